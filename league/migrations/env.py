"""Alembic's environment: runs the revisions on the connection that :mod:`league.migrate` hands over."""

from alembic import context

from league.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,  # the caller holds one transaction round everything, on SQLite too
)
with context.begin_transaction():
    context.run_migrations()
