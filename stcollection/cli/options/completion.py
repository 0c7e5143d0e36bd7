"""Completion of names in the collection. It uses a running server, starts none, and ignores all errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from stcollection.db.settings import read_settings
from stcollection.errors import StcError

if TYPE_CHECKING:
    from stcollection.db.stored import Stored

DB = "stcollection.db"  # in the context's meta: the value of --db after a command


def _complete(kind: Stored, ctx: click.Context, _: click.Parameter, typed: str) -> list[str]:
    try:
        settings = read_settings(db=ctx.meta.get(DB) or ctx.find_root().params.get("db"))
    except StcError:
        return []
    from stcollection.db.stored import stored_names  # not at module level: every command would import the database driver

    return stored_names(settings, kind, start=typed)


Completion = Callable[[click.Context, click.Parameter, str], list[str]]

complete_collections: Completion = partial(_complete, "collections")
complete_editions: Completion = partial(_complete, "editions")
complete_runs: Completion = partial(_complete, "runs")
complete_sets: Completion = partial(_complete, "sets")
complete_systems: Completion = partial(_complete, "systems")


def complete_measures(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    """Complete the name of a measure, with its usual cutoffs."""
    from stcollection.evaluation.kinds import GROUPS, KINDS  # not at module level: help of groups needs no measures
    from stcollection.evaluation.measures import parse_measures

    usual = [one for kind in KINDS.values() for one in parse_measures(kind.name)]
    names = dict.fromkeys([*GROUPS, *(name for one in usual for name in (str(one), one.trec_eval))])
    return [name for name in names if name.lower().startswith(typed.lower())]


#: Completion by parameter name, for parameters without a completion.
BY_NAME = {
    **dict.fromkeys(("run", "runs", "baseline"), complete_runs),
    "queries": complete_sets,
    **dict.fromkeys(("system", "systems"), complete_systems),
    **dict.fromkeys(("measure", "measures"), complete_measures),
    **dict.fromkeys(("edition", "editions", "a", "b", "human", "llm", "sparse", "like", "train", "test"), complete_editions),
}
