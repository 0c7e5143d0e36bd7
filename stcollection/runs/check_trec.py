"""Find the faults of a TREC run file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from stcollection.counts import counted
from stcollection.io.files import blocks, clip, is_comment
from stcollection.io.runs import trec
from stcollection.runs.faults import CheckedRun, few, notes_on_order
from stcollection.runs.metadata import in_header
from stcollection.runs.names import task_of, valid_run_id

_TAGS = 5  # number of tags to check; a run should have one


def read(path: Path, checked: CheckedRun, *, task: int | None, teamed: bool = False) -> None:
    """Check a run in TREC's format, line by line.

    :param task: the task number that the tag must contain, as a run_id does.
    :param teamed: the team is already known; any tag is allowed.
    :raises BadInput: the file is not text.
    """
    tags: Counter[str] = Counter()
    ranking: dict[str, list[tuple[int, float, str]]] = {}
    comments = unranked = 0
    for first, block in blocks(path):
        for line, text in enumerate(block.split(b"\n"), first):
            fields = text.split()
            if not fields or is_comment(fields[0]):
                comments += bool(fields)
                continue
            what = trec.fault(fields)
            if what:
                checked.add(line, what)
                continue
            query, docno, tag = (fields[column].decode() for column in (0, 2, 5))
            checked.rows += 1
            checked.pair(line, query, docno)
            tags[tag] += 1
            unranked += not fields[3].isdigit()
            rank = int(fields[3][:18]) if fields[3].isdigit() else 0
            ranking.setdefault(query, []).append((rank, float(fields[4]), docno))
    checked.faults += in_header(path)[1]
    checked.run_id = next(iter(tags), None)
    for tag in list(tags)[:_TAGS] if task is not None else ():
        if not valid_run_id(tag):
            if not teamed:
                checked.add(0, f"tag {clip(tag)} is not TEAM_task{task}_NAME")
        elif not tag.isprintable():
            checked.add(0, f"run_id {tag!r} contains unprintable characters")
        elif task_of(tag) != task:
            checked.add(0, f"tag {clip(tag)} is for task {task_of(tag)}, not {task}")
    if len(tags) > 1:
        checked.add(0, f"{counted(len(tags), 'tag')}: {few(sorted(tags))}; trec_eval reads them as one run", note=True)
    if unranked:
        checked.add(
            0, f"{counted(unranked, 'rank is not an integer', 'ranks are not integers')}; trec_eval ignores ranks", note=True
        )
    twice = [query for query, rows in ranking.items() if len({rank for rank, *_ in rows}) < len(rows)]
    if twice and not unranked:
        checked.add(
            0, f"{counted(len(twice), 'query repeats', 'queries repeat')} a rank: {few(twice)}; trec_eval sorts by score", note=True
        )
    if comments:
        what = (
            f"{counted(comments, 'line is a comment', 'lines are comments')}; current trec_eval skips them, older versions and"
            " pytrec_eval do not"
        )
        checked.add(0, what, note=True)
        if doubtful := trec.warning(path):
            checked.add(0, doubtful.removeprefix(f"{path}: "), note=True)
    notes_on_order(checked, ranking, given="the ranks are")
