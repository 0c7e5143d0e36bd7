"""The commands on models of agreement: ``stc show answer-models``, ``nli``, ``relate``, ``check`` and ``drop-model``."""

from __future__ import annotations

from typing import Annotated

import click

from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import ProgressBar, render
from stcollection.cli.quiet import aside
from stcollection.counts import counted
from stcollection.db.connection import connect
from stcollection.declared import Option
from stcollection.studies.answers.agreement.check import AgreementCheck, PairMeasures, check
from stcollection.studies.answers.agreement.model import RELATIONS
from stcollection.studies.answers.agreement.nli import Nli
from stcollection.studies.answers.agreement.relate import Related, register, relate
from stcollection.studies.answers.agreement.store import StoredModel, drop, models

_HEADERS = ("model", "what", "features", "data", "pairs", "folds", "threshold", "relations", "fingerprint", "scikit-learn")


@command(models)
def models_command(call: Call[list[StoredModel]], *, style: Style = "table") -> None:
    """List the models of agreement."""
    stored = call.once()
    rows = []
    for model in stored:
        params = model.params
        learnt = " ".join(params.get("kinds", [])) + (" shuffled" if params.get("shuffled") else "")
        rows.append(
            (
                model.model,
                params.get("classifier") or params.get("name"),
                learnt or None,
                " ".join([params["set"], *params["splits"]]) if "set" in params else None,
                params.get("pairs"),
                f"{params['folds']} by {params['by']}" if params.get("folds") else None,
                params["threshold"],
                model.relations,
                (model.fingerprint or "")[:12] or None,
                (params.get("versions") or {}).get("scikit-learn"),
            )
        )
    click.echo(render(rows, _HEADERS, style=style))


@command(drop)
def drop_model_command(call: Call[None]) -> None:
    """Remove MODEL and all relations it predicted."""
    call.once()
    click.echo(f"{call.given['model']} dropped")


@command(register)
def nli_command(call: Call[Nli]) -> None:
    """Register a cross-encoder for natural language inference as MODEL. Nothing is downloaded.

    Entailment in either direction counts as support, contradiction as opposition. The model's config.json defines its outputs.
    """
    nli = call.once()
    click.echo(f"{call.given['model']}: {nli.name}, {nli.revision[:19]}, labels {nli.labels}")


@command(relate)
def relate_command(call: Call[Related]) -> None:
    """Predict and store the relations of all pairs of answers to each query of SET. Run it again to add missing ones."""
    with connect(call.settings) as conn, ProgressBar("pairs", unit="pairs", scale=True) as bar:
        related = call(conn, progress=bar)
    added = f"{counted(related.added, 'relation')} of {counted(related.queries, 'query')} added"
    click.echo(f"{call.given['model']}: {added}, {related.stored:,} already stored")


@command(check)
def check_command(
    call: Call[AgreementCheck],
    *,
    confusion: Annotated[
        bool, Option(help="Print confusion matrices (rows: label, columns: prediction) instead of measures.")
    ] = False,
    style: Style = "table",
) -> None:
    """Compare the predictions of MODEL with the labels of SET: precision, recall, F1, AUC, calibration, the three relations."""
    checked = call.once()
    if confusion:
        rows = [
            (row.unit, truth, *line)
            for row in checked.rows
            if row.confusion is not None
            for truth, line in zip(RELATIONS, row.confusion.tolist(), strict=True)
        ]
        click.echo(render(rows, ["unit", "truth", *RELATIONS], style=style))
    else:
        click.echo(render([(row.unit, *row.measures) for row in checked.rows], ["unit", *PairMeasures._fields], style=style))
    for note in checked.notes:
        aside(f"note: {note}")
