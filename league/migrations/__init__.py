"""Creates and upgrades the store's schema with Alembic, from revisions that travel inside the package.

A developer makes a revision with ``python -m league.migrations MESSAGE`` after changing :mod:`league.tables`.
"""
