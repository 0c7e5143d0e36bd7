"""Distinguish runs from judgments, so that files in the wrong order are reported before they are read in full."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus.fields import folded
from stcollection.io.irdatasets import PREFIX
from stcollection.io.qrels.table import NAMES, read_columns
from stcollection.io.roles import names_in, recognise
from stcollection.io.runs.named import PARTS, are_names

Role = Literal["run", "qrels", "either"]


def role(path: Path) -> Role | None:
    """Detect from its beginning whether a file is a run or judgments; ``either`` if it may be both, None if it is neither.

    :raises BadArgument: the file does not exist.
    """
    if path.as_posix().startswith(PREFIX):
        return "qrels"
    try:
        recognised = recognise(path)
    except BadInput:
        return None
    if "qrels" in recognised.roles and recognised.reason and not recognised.weak:
        return "either"
    return "run" if recognised.roles == {"runs"} else "qrels" if recognised.roles == {"qrels"} else None


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


def columns_by_file(runs: Sequence[Path], qrels: Path, columns: str) -> dict[Path, str]:
    """Return which of the named columns each file has; files without any are omitted.

    :param columns: names by part, such as ``query=question,doc=paper,score=rating,rel=useful``.
    :raises BadArgument: they are not such names, or no file has one of them.
    """
    example = "query=question,doc=paper,score=rating,rel=useful"
    named = read_columns(columns, {**PARTS, **NAMES}, of="runs or judgments", example=example)
    by_file: dict[Path, dict[str, str]] = {}
    there: dict[str, None] = {}
    for path in (*runs, *([] if qrels.as_posix().startswith(PREFIX) else [qrels])):
        names = names_in(path)
        there |= dict.fromkeys(names if are_names(names) else ())
        known, has = PARTS if path in runs else NAMES, set(map(folded, names))
        by_file[path] = {part: name for part, name in named.items() if part in known and folded(name) in has}
    if unused := [f"{part}={name}" for part, name in named.items() if not any(part in parts for parts in by_file.values())]:
        hint = f"The columns are {', '.join(filter(None, there))}. Correct --columns {shlex.quote(unused[0])}."
        raise BadArgument(f"no file has a column {unused[0].partition('=')[2]}", hint=hint)
    return {path: ",".join(f"{part}={name}" for part, name in parts.items()) for path, parts in by_file.items() if parts}
