"""Distinguish runs from judgments, so that files in the wrong order are reported before they are read in full."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from stcollection.errors import BadArgument, BadInput
from stcollection.io.irdatasets import PREFIX
from stcollection.io.roles import recognise

Role = Literal["run", "qrels", "either"]


def role(path: Path) -> Role | None:
    """Detect from its beginning whether a file is a run or judgments; ``either`` if it may be both, None if it is neither.

    :raises BadArgument: the file does not exist.
    """
    if path.as_posix().startswith(PREFIX):
        return "qrels"
    try:
        found = recognise(path)
    except BadInput:
        return None
    if "qrels" in found.roles and found.reason and not found.weak:
        return "either"
    return "run" if found.roles == {"runs"} else "qrels" if found.roles == {"qrels"} else None


def check_order(runs: Sequence[Path], qrels: Path) -> None:
    """Check that no file is clearly something else than its position says: runs first, the judgments last.

    :raises BadArgument: the order is wrong, or a file is missing.
    """
    roles = {path: role(path) for path in (*runs, qrels)}
    judged = [path for path in runs if roles[path] == "qrels"]
    perhaps = judged or [path for path in runs if roles[path] == "either"]
    if roles[qrels] == "run" and perhaps:
        ordered = [*(path for path in roles if path != perhaps[0]), perhaps[0]]
        what = "contains judgments" if judged else "may contain judgments"
        raise BadArgument(
            f"{perhaps[0]} {what} and {qrels} is a run: the judgments must come last",
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
