"""The rules of each variant, with its options as the referee enforces them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, abort, render_template

from dashboard import sheets
from referee.rules import VARIANTS

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from referee.rules import Variant

bp = Blueprint("rules", __name__, url_prefix="/rules")


@bp.get("", strict_slashes=False)
def index() -> ResponseReturnValue:
    """Every variant, and what they share."""
    return render_template("rules.html", variants=VARIANTS)


@bp.get("/<variant>")
def show(variant: str) -> ResponseReturnValue:
    """One variant, or `common`: its sheet and its options; 404 for one that is not played here."""
    known: dict[str, Variant | None] = {sheets.COMMON: None} | {one.name: one for one in VARIANTS}
    if variant not in known:
        abort(404, f"There is no variant {variant!r} here (there are: {', '.join(one.name for one in VARIANTS)}).")
    found = known[variant]
    options = sheets.options(found) if found else []
    return render_template(
        "rules_variant.html", name=variant, variant=found, variants=VARIANTS, options=options, sheet=sheets.html(variant)
    )
