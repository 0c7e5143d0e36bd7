"""The command ``stc answers models``."""

from __future__ import annotations

import click

from stcollection.cli.output import format_option, render
from stcollection.db.connection import connect
from stcollection.db.settings import Settings


@click.command("models")
@format_option
@click.pass_obj
def command(settings: Settings, style: str) -> None:
    """List the models of agreement."""
    from stcollection.studies.answers.agreement.store import models

    with connect(settings) as conn:
        found = models(conn)
    rows = []
    for one in found:
        what = one.params.get("classifier") or one.params.get("name")
        data = " ".join([one.params["set"], *one.params["splits"]]) if "set" in one.params else None
        held = f"{one.params['folds']} by {one.params['by']}" if one.params.get("folds") else None
        learnt = " ".join(one.params.get("kinds", [])) + (" shuffled" if one.params.get("shuffled") else "")
        rows.append(
            (
                one.model,
                what,
                learnt or None,
                data,
                one.params.get("pairs"),
                held,
                one.params["threshold"],
                one.relations,
                (one.fingerprint or "")[:12] or None,
                (one.params.get("versions") or {}).get("scikit-learn"),
            )
        )
    headers = ["model", "what", "features", "data", "pairs", "folds", "threshold", "relations", "fingerprint", "scikit-learn"]
    click.echo(render(rows, headers, style=style))
