"""The command ``stc complexity compute``."""

from __future__ import annotations

import click

from stcollection.cli.declared import Call, command
from stcollection.cli.output import ProgressBar
from stcollection.complexity.compute import Computed, compute
from stcollection.counts import counted
from stcollection.db.connection import connect, conninfo


@command(compute)
def compute_command(call: Call[Computed]) -> None:
    """Compute the readability of abstracts that are new or changed, with NLTK and CMUdict, readability and textstat."""
    if call.typed("count") and not call.typed("address"):
        raise click.UsageError("--actors needs --ray: local, auto, or an address")
    connect(call.settings).close()  # raises an error if it is not a collection of this version
    with ProgressBar("measuring", unit="abstracts", scale=True) as progress:
        computed = call(conninfo(call.settings), progress=progress)
    rate = f", {computed.documents / computed.seconds:,.0f} a second" if computed.documents else ""
    click.echo(f"measured {counted(computed.documents, 'abstract')} in {computed.seconds:.1f} s{rate}")
    if computed.bare:
        click.echo(f"{counted(computed.bare, 'document has', 'documents have')} no abstract, and so no measures")
    if computed.changed:
        click.echo(f"{counted(computed.changed, 'abstract')} changed during the run; run the command again for them")
    versions = computed.resources.versions
    parts = [f"{name} {version}" for name, version in versions.items() if name in ("nltk", "readability", "textstat")]
    parts.append(computed.resources.dictionary)
    parts += [f"{name} {digest[:8]}" for name, digest in computed.resources.files.items() if name.startswith("punkt")]
    click.echo(f"with {', '.join(parts)}; fingerprint {computed.resources.fingerprint[:16]}")
