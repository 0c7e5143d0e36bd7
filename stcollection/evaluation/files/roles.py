"""Distinguish runs from judgments, so that files in the wrong order are reported before they are read in full."""

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
    """Detect from its beginning whether a file is a run or judgments; None if it may be both or neither.

    :raises BadArgument: the file does not exist.
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

    :raises BadArgument: the order is wrong, or a file is missing.
    """
    roles = {path: role(path) for path in (*runs, qrels)}
    judged = [path for path in runs if roles[path] == "qrels"]
    if roles[qrels] == "run" and judged:
        ordered = [*(path for path in roles if path != judged[0]), judged[0]]
        raise BadArgument(
            f"{judged[0]} contains judgments and {qrels} is a run: the judgments must come last",
            hint=f"Name the files in this order: {shlex.join(map(str, ordered))}",
        )
    if roles[qrels] == "run":
        raise BadArgument(
            f"{qrels} is a run; the last file must contain the judgments (qrels)",
            hint=f"Add the file of judgments: {shlex.join(map(str, roles))} QRELS",
        )
    if judged:
        raise BadArgument(
            f"{judged[0]} contains judgments and is not a run; only the last file, here {qrels}, may contain judgments",
            hint="Put only run files before it.",
        )
