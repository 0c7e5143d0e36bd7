"""The command ``stc analysis findings``."""

from __future__ import annotations

from collections import Counter

import click

from stcollection.analysis.findings import AGREES, DIFFERS, UNDETERMINED, Finding, findings
from stcollection.cli.declared import Call, Style, command
from stcollection.cli.output import render


@command(findings)
def findings_command(call: Call[list[Finding]], *, style: Style = "table") -> None:
    """Check each published finding on synthetic queries against this collection: it agrees, disagrees or cannot be decided, and
    why.

    Numbers are those of TREC 2023 Deep Learning and are compared only on its queries. The direction of an effect is checked in any
    collection that has human and other queries. docs/howto/check-reliability.md lists the names of the families of systems.
    """
    checked = call.once()
    if style in ("json", "csv"):
        click.echo(render(checked, Finding._fields, style=style))
        return
    rows = [
        (finding.id, finding.verdict, _short(finding.published), _short(finding.ours), _interval(finding), finding.labels or "–")
        for finding in checked
    ]
    click.echo(render(rows, ["finding", "verdict", "published", "ours", "95 %", "labels"], style=style))
    counts = Counter(finding.verdict for finding in checked)
    click.echo("\n" + ", ".join(f"{counts[verdict]} {verdict}" for verdict in (AGREES, DIFFERS, UNDETERMINED)) + "\n")
    for source in dict.fromkeys(finding.source for finding in checked):
        click.echo(f"{source}:")
        for finding in checked:
            if finding.source == source:
                click.echo(
                    f"- {finding.id}: {finding.verdict}. {finding.sentence} Published: {finding.claim}. Rule: {finding.rule}."
                )


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}" if abs(value) >= 10 else f"{value:.3f}"


def _interval(finding: Finding) -> str:
    return "–" if finding.low is None or finding.high is None else f"{finding.low:.3f} … {finding.high:.3f}"
