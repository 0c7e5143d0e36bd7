"""Tell runs from judgments, so that files named in the wrong order are reported before anything is read."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from stcollection.errors import BadArgument, BadInput
from stcollection.io.irdatasets import PREFIX
from stcollection.io.roles import possible

Role = Literal["run", "qrels"]


def role(path: Path) -> Role | None:
    """What a file is by its beginning; None if it may be both, or is neither.

    :raises BadArgument: there is no such file.
    """
    if path.as_posix().startswith(PREFIX):
        return "qrels"
    try:
        found = possible(path)
    except BadInput:
        return None
    return "run" if found == {"runs"} else "qrels" if found == {"qrels"} else None


def check_order(runs: Sequence[Path], qrels: Path) -> None:
    """Check that the runs are runs and that the last file has judgments.

    :raises BadArgument: they are in another order, or a file is missing.
    """
    roles = {path: role(path) for path in (*runs, qrels)}
    judged = [path for path in runs if roles[path] == "qrels"]
    if roles[qrels] == "run" and judged:
        ordered = [*(path for path in roles if path != judged[0]), judged[0]]
        raise BadArgument(
            f"{judged[0]} has judgments and {qrels} is a run: the judgments come last",
            hint=f"Name the files in this order: {shlex.join(map(str, ordered))}",
        )
    if roles[qrels] == "run":
        raise BadArgument(
            f"{qrels} is a run; the last file is the judgments (qrels)",
            hint=f"Add the file of judgments: {shlex.join(map(str, roles))} QRELS",
        )
    if judged:
        raise BadArgument(
            f"{judged[0]} has judgments and is not a run; only the last file, here {qrels}, is the judgments",
            hint="Name files of runs before it.",
        )
