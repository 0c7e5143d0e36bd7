"""Reading run and judgment files for scoring: ranks, duplicates, names and roles. No database is needed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from stcollection.errors import BadArgument, BadInput
from stcollection.evaluation.files.judged import JudgedFile, read_judgments
from stcollection.evaluation.files.ranked import JudgedRanking, RankedFile, read_ranking
from stcollection.evaluation.files.roles import check_order, role

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def judged(tmp_path: Path) -> JudgedFile:
    return read_judgments(written(tmp_path, "a.qrels", "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq1 0 d4 -1\nq2 0 d1 1\n"))


def only(run: RankedFile) -> JudgedRanking:
    [ranking] = run.rankings
    return ranking


def test_ranks_of_judged_documents(tmp_path: Path, judged: JudgedFile) -> None:
    rows = "".join(f"q1 Q0 {doc} 9 {score} tag\n" for doc, score in {"x": 9, "d1": 1, "d3": 8, "d4": 7, "d2": 2}.items())
    run = read_ranking(written(tmp_path, "a.run", rows + "q9 Q0 d1 1 1 tag\n"), judged)
    assert only(run) == (b"q1", 5, [2, 5], [2, 1], [4], [3])
    assert (run.name, run.tag) == ("a", "tag")


def test_ties_by_name_and_scores_in_single_or_double_precision(tmp_path: Path, judged: JudgedFile) -> None:
    run = written(tmp_path, "a.run", "q1 Q0 d1 1 1.00000001 t\nq1 Q0 d3 2 1.0 t\nq1 Q0 x 3 1.0 t\n")
    assert only(read_ranking(run, judged)).relevant == [2, 3]  # x, d3, d1: all three tie
    assert only(read_ranking(run, judged)).grades == [2, 1]
    assert only(read_ranking(run, judged, double=True)).grades == [1, 2]


def test_a_query_split_over_the_file(tmp_path: Path, judged: JudgedFile) -> None:
    run = written(tmp_path, "a.run", "q1 Q0 d1 1 1 t\nq2 Q0 d1 1 1 t\nq1 Q0 d3 1 2 t\n")
    by_query = {one.query: one for one in read_ranking(run, judged).rankings}
    assert by_query[b"q1"].grades == [2, 1]
    assert by_query[b"q2"].retrieved == 1


def test_a_duplicate_is_an_error_unless_one_is_kept(tmp_path: Path, judged: JudgedFile) -> None:
    run = written(tmp_path, "a.run", "q1 Q0 d1 1 1 t\nq1 Q0 x 2 2 t\nq1 Q0 d1 3 3 t\n")
    with pytest.raises(BadInput, match=r"a\.run:3: query 'q1' has document 'd1' already, on line 1"):
        read_ranking(run, judged)
    assert only(read_ranking(run, judged, on_duplicate="first")).relevant == [2]
    assert only(read_ranking(run, judged, on_duplicate="best")).relevant == [1]
    with pytest.raises(BadArgument, match="worst"):
        read_ranking(run, judged, on_duplicate="worst")


def test_names_with_backslashes(tmp_path: Path) -> None:
    judged = read_judgments(written(tmp_path, "a.qrels", "q\\1 0 d\\t1 1\nq\\1 0 \\N 2\n"))
    run = written(tmp_path, "a.run", "q\\1 Q0 d\\t1 1 1 t\nq\\1 Q0 \\N 2 2 t\n")
    assert only(read_ranking(run, judged)).grades == [2, 1]


@pytest.mark.parametrize("run", sorted((EXAMPLES / "runs").iterdir()), ids=lambda path: path.name)
@pytest.mark.parametrize("qrels", ["trec.qrels", "table.csv", "ungraded.qrels"])
def test_every_format(tmp_path: Path, run: Path, qrels: str) -> None:
    judged = read_judgments(EXAMPLES / "qrels" / qrels, relevance=1 if qrels == "ungraded.qrels" else None)
    packed = tmp_path / f"{run.name}.gz"
    packed.write_bytes(gzip.compress(run.read_bytes()))
    plain, unpacked = read_ranking(run, judged), read_ranking(packed, judged)
    assert plain.rankings == unpacked.rankings
    assert plain.name == unpacked.name


def test_two_grades_for_a_document(tmp_path: Path) -> None:
    path = written(tmp_path, "a.qrels", "q1 0 d1 1\nq1 0 d1 1\nq1 0 d1 2\n")
    with pytest.raises(BadInput, match=r"a\.qrels:3: query 'q1', document 'd1' has grade 2, but 1 on an earlier line"):
        read_judgments(path)


def test_a_reversed_scale_is_noted_and_reversed(tmp_path: Path) -> None:
    path = written(tmp_path, "a.qrels", "q1 0 d1 1\nq1 0 d2 4\nq1 0 d3 -1\n")
    [note] = read_judgments(path).notes
    assert "--best-grade 1" in note
    turned = read_judgments(path, best_grade=1)
    assert turned.grades == {b"q1": {b"d1": 4, b"d2": 1, b"d3": 0}}
    assert turned.notes == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("runs/trec.run", "run"), ("runs/simpletext.json", "run"), ("qrels/trec.qrels", "qrels"), ("qrels/table.csv", "qrels"),
        ("qrels/ungraded.qrels", None), ("qrels/cacm.text", "qrels"), ("qrels/cranfield.qrel", "qrels"),
        ("topics/smart.qry", None),
    ],
)  # fmt: skip
def test_runs_and_judgments_are_distinguished(name: str, expected: str | None) -> None:
    assert role(EXAMPLES / name) == expected


def test_the_order_of_the_files(tmp_path: Path) -> None:
    run, qrels, other = EXAMPLES / "runs/trec.run", EXAMPLES / "qrels/trec.qrels", EXAMPLES / "runs/simpletext.json"
    check_order([run, other], qrels)
    with pytest.raises(BadArgument, match="judgments must come last") as swapped:
        check_order([qrels], run)
    assert swapped.value.hint == f"Name the files in this order: {run} {qrels}"
    with pytest.raises(BadArgument, match="is a run; the last file must contain the judgments"):
        check_order([run], other)
    with pytest.raises(BadArgument, match="is not a run"):
        check_order([qrels], EXAMPLES / "qrels/table.csv")
    whole = written(tmp_path, "a.json", '{"q1": {"d1": 1, "d2": 2}}')
    for runs, judged in (([run], whole), ([whole], qrels), ([whole], whole)):
        check_order(runs, judged)  # whole numbers are grades or scores: the position decides
    with pytest.raises(BadArgument, match=r"a\.json may contain judgments and .*trec\.run is a run") as either:
        check_order([whole], run)
    assert either.value.hint == f"Name the files in this order: {run} {whole}"
    with pytest.raises(BadArgument, match="there is no file"):
        check_order([run], Path("nothing.qrels"))
