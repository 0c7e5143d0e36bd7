"""Preferences equal the output in trec_eval's own files, and a plain computation of the definitions."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.evaluation.preferences import PREFERENCES, score_judgments, trec_eval_lines
from stcollection.qrels.load import JudgmentOptions, import_qrels
from stcollection.qrels.preferences import ImportedPreferences, import_preferences
from stcollection.runs.load import ImportOptions, import_run
from tests.evaluation.conftest import single
from tests.examples import examples

pytestmark = pytest.mark.slow

Pair = tuple[str, str]
Levels = Sequence[tuple[str, str, str, float]]  # group, subgroup, document, level
_numbers = itertools.count(1)


def stored_run(conn: psycopg.Connection, path: Path, name: str) -> str:
    return import_run(conn, path, name=name, options=ImportOptions()).run


def printed(path: Path) -> list[str]:
    return path.read_text().splitlines()


@pytest.mark.parametrize("prefs", ["prefs.test", "prefs.comment.test"])
def test_preferences_equal_trec_eval_output(conn: psycopg.Connection, data: Path, prefs: str) -> None:
    files = data / "trec_eval"
    stored_run(conn, files / "prefs.results.test", "run")
    done = import_preferences(conn, files / prefs, edition="prefs")
    assert (done.queries, done.levels, done.added, done.duplicates) == (24, 164, 164, 0)
    found = score_judgments(conn, run="run", edition="prefs", judgments="prefs")
    assert [*trec_eval_lines(found)] == printed(files / "out.test.prefs")
    assert [*trec_eval_lines(found, per_query=False)] == printed(files / "out.test.prefs")[-len(PREFERENCES) - 2 :]


@pytest.mark.slow
def test_preferences_implied_by_grades_equal_trec_eval_output(conn: psycopg.Connection, data: Path) -> None:
    files = data / "trec_eval"
    stored_run(conn, files / "results.test", "run")
    import_qrels(conn, files / "qrels.test", edition="qrels")
    found = score_judgments(conn, run="run", edition="qrels", judgments="qrels_prefs")
    assert [*trec_eval_lines(found)] == printed(files / "out.test.qrels_prefs")


def expected(run: dict[str, float], levels: Levels) -> dict[str, float]:
    """Compute the measures of one query by definition, in plain loops. :param run: the score of each document."""
    judged = {doc for _, _, doc, _ in levels}
    retrieved = sorted(judged & run.keys(), key=lambda doc: (-single(run[doc]), doc.encode()))
    order = retrieved + sorted(judged - run.keys(), key=str.encode)
    place = {doc: number for number, doc in enumerate(order)}
    seen = set(retrieved)

    def fulfils(better: str, worse: str) -> bool:
        return better in seen and place[better] < place[worse]

    ratios: dict[str, list[float | None]] = defaultdict(list)
    votes: dict[frozenset[str], list[tuple[str, str]]] = defaultdict(list)
    every: list[tuple[str, str]] = []
    for group in sorted({group for group, *_ in levels}):
        mine = [(subgroup, doc, level) for name, subgroup, doc, level in levels if name == group]
        prefs = {(a, b) for s, a, x in mine for t, b, y in mine if s == t and x > y}
        partial = len({subgroup for subgroup, _, _ in mine}) > 1
        while partial and (more := {(a, d) for a, b in prefs for c, d in prefs if b == c} - prefs):
            prefs |= more
        every += prefs
        for pair in prefs:
            votes[frozenset(pair)].append(pair)
        for name, held in parts(prefs, seen).items():
            ratios["prefs_avgjg" + name].append(sum(fulfils(*pair) for pair in held) / len(held) if held else 0)
        level = {doc: one for _, doc, one in mine}
        ratios["prefs_avgjg_Rnonrel"].append(as_many_nonrelevant(prefs, level, partial, order, seen, fulfils, False))
        ratios["prefs_avgjg_Rnonrel_ret"].append(as_many_nonrelevant(prefs, level, partial, order, seen, fulfils, True))
    values = {
        measure: 0.0 if None in of_groups else sum(one for one in of_groups if one is not None) / len(of_groups)
        for measure, of_groups in ratios.items()
    }
    for name, held in parts(every, seen).items():
        values["prefs_simp" + name] = sum(fulfils(*pair) for pair in held) / len(held) if held else 0
        shares = [sum(fulfils(*one) for one in votes[pair]) / len(votes[pair]) for pair in {frozenset(pair) for pair in held}]
        values["prefs_pair" + name] = sum(shares) / len(shares) if shares else 0
    values["prefs_num_prefs_poss"] = len(every)
    values["prefs_num_prefs_ful"] = sum(fulfils(*pair) for pair in every)
    values["prefs_num_prefs_ful_ret"] = sum(fulfils(*pair) for pair in every if set(pair) <= seen)
    return values


def parts(prefs: Iterable[Pair], seen: set[str]) -> dict[str, list[Pair]]:
    """Split preferences: all, those with both documents retrieved, those with at least one retrieved."""
    every = [*prefs]
    return {"": every, "_ret": [pair for pair in every if set(pair) <= seen], "_imp": [pair for pair in every if set(pair) & seen]}


def as_many_nonrelevant(
    prefs: set[Pair],
    level: dict[str, float],
    partial: bool,
    order: list[str],
    seen: set[str],
    fulfils: Callable[[str, str], bool],
    both: bool,
) -> float | None:
    """Return the ratio of one group with R non-relevant documents; None for 0/0.

    :param both: of preferences with both documents retrieved.
    """
    docs = [doc for doc in order if doc in level]
    relevant, rest = [doc for doc in docs if level[doc] > 0], [doc for doc in docs if level[doc] <= 0]
    if both:
        wanted, have = len(seen.intersection(relevant)), len(seen.intersection(rest))
    else:
        wanted, have = len(relevant), len(rest)
    counted = [pair for pair in prefs if not both or set(pair) <= seen]
    if wanted >= have:
        fulfilled = sum(fulfils(*pair) for pair in counted) + len(seen.intersection(relevant)) * (wanted - have)
        possible = len(counted) + len(relevant) * (wanted - have)
    else:
        lowest = [doc for doc in docs if level[doc] == min(level.values())]
        kept = lowest[: len(relevant) if partial else wanted]
        counted = [pair for pair in counted if not set(pair) & (set(lowest) - set(kept))]
        if not partial:
            counted += [(i, j) for i in lowest for j in kept if not both or {i, j} <= seen]
        fulfilled, possible = sum(fulfils(*pair) for pair in counted), len(counted)
    return fulfilled / possible if possible else None


DOCS = ("d1", "d2", "d3", "d10", "Z", "é", "a", "B")
runs = st.dictionaries(st.sampled_from((*DOCS, "x", "y")), st.sampled_from([0.5, 1.0, 1.00000001, 2.0, 3.0]), min_size=1)


@st.composite
def consistent_levels(draw: st.DrawFn) -> Levels:
    """Draw groups with one hidden order each, of which every subgroup reports a part with its own numbers."""
    levels = []
    for group in draw(st.lists(st.sampled_from(["g", "G", "h"]), min_size=1, max_size=3, unique=True)):
        mind = {doc: draw(st.integers(0, 4)) for doc in DOCS}
        for subgroup in draw(st.lists(st.sampled_from(["0", "1", "a"]), min_size=1, max_size=3, unique=True)):
            scale = draw(st.sampled_from([0.5, 1, 3]))
            part = draw(st.lists(st.sampled_from(DOCS), min_size=1, unique=True))
            levels += [(group, subgroup, doc, mind[doc] * scale) for doc in part]
    return levels


@pytest.mark.slow
@examples(40)
@given(ranked=st.tuples(runs, runs), levels=st.tuples(consistent_levels(), consistent_levels()))
def test_preferences_by_definition(
    conn: psycopg.Connection, tmp_path: Path, ranked: tuple[dict[str, float], ...], levels: tuple[Levels, ...]
) -> None:
    name = f"name{next(_numbers)}"  # differs from the names of earlier examples
    (tmp_path / "run").write_text(
        "".join(f"q{n} Q0 {doc} 1 {score!r} t\n" for n, run in enumerate(ranked) for doc, score in run.items())
    )
    (tmp_path / "prefs").write_text("".join(f"q{n} {g} {s} {d} {rel}\n" for n, part in enumerate(levels) for g, s, d, rel in part))
    stored_run(conn, tmp_path / "run", name)
    import_preferences(conn, tmp_path / "prefs", edition=name)
    found = score_judgments(conn, run=name, edition=name)
    assert [*found.queries] == ["q0", "q1"]
    for query, run, part in zip(found.queries, ranked, levels, strict=True):
        assert found.queries[query] == pytest.approx(expected(run, part), abs=1e-12)
    among_all = {
        (query, measure): value
        for run, query, measure, value in conn.execute("SELECT * FROM preference_scores('{}', %s)", [name])
        if run == name
    }
    alone = {(query, measure): value for query, by in found.queries.items() for measure, value in by.items()}
    assert among_all == alone


grades = st.dictionaries(
    st.sampled_from(["", "ann", "Bob"]), st.dictionaries(st.sampled_from(DOCS), st.integers(-2, 3), min_size=1), min_size=1
)


@pytest.mark.slow
@examples(40)
@given(ranked=runs, judged=grades)
def test_preferences_implied_by_grades_by_definition(
    conn: psycopg.Connection, tmp_path: Path, ranked: dict[str, float], judged: dict[str, dict[str, int]]
) -> None:
    name = f"name{next(_numbers)}"
    (tmp_path / "run").write_text("".join(f"q Q0 {doc} 1 {score!r} t\n" for doc, score in ranked.items()))
    stored_run(conn, tmp_path / "run", name)
    for annotator, by_doc in judged.items():
        (tmp_path / "qrels").write_text("".join(f"q 0 {doc} {rel}\n" for doc, rel in by_doc.items()))
        import_qrels(conn, tmp_path / "qrels", edition=name, options=JudgmentOptions(annotator=annotator))
    found = score_judgments(conn, run=name, edition=name, judgments="qrels_prefs").queries["q"]
    levels = [(annotator, "0", doc, rel) for annotator, by_doc in judged.items() for doc, rel in by_doc.items()]
    assert found == pytest.approx(expected(ranked, levels), abs=1e-12)


def imported(conn: psycopg.Connection, tmp_path: Path, text: str, edition: str = "mine") -> ImportedPreferences:
    (tmp_path / "prefs").write_bytes(text.encode())
    return import_preferences(conn, tmp_path / "prefs", edition=edition)


def rows(conn: psycopg.Connection) -> list[tuple[object, ...]]:
    return conn.execute("SELECT * FROM qrels_preferences ORDER BY edition, query, annotator, subgroup, doc").fetchall()


def test_preferences_by_hand(conn: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 a 1 3 t\nq Q0 b 2 2 t\nr Q0 a 1 1 t\n")
    stored_run(conn, tmp_path / "run", "run")
    imported(conn, tmp_path, "q g 0 a 2\nq g 0 b 1\nq g 0 c 0\nq h 0 b 5\nq h 0 a 1\nnothing g 0 a 1\nnothing g 0 b 0\n")
    found = score_judgments(conn, run="run", edition="mine")
    # g: a > b, a > c, b > c all hold, the last two because c is not retrieved; h: b > a does not
    assert {measure: found.queries["q"][measure] for measure in ("prefs_num_prefs_poss", "prefs_num_prefs_ful")} == {
        "prefs_num_prefs_poss": 4,
        "prefs_num_prefs_ful": 3,
    }
    assert found.queries["q"]["prefs_simp"] == 3 / 4
    assert found.queries["q"]["prefs_pair"] == (1 / 2 + 1 + 1) / 3
    assert found.queries["q"]["prefs_avgjg"] == (1 + 0) / 2
    assert found.queries["q"]["prefs_simp_ret"] == 1 / 2
    assert [*found.queries] == ["q"]
    complete = score_judgments(conn, run="run", edition="mine", complete=True)
    assert [*complete.queries] == ["nothing", "q"]
    assert complete.queries["nothing"] == dict.fromkeys(PREFERENCES, 0) | {"prefs_num_prefs_poss": 1}
    assert complete.means["prefs_simp"] == 3 / 8
    assert complete.means["prefs_num_prefs_poss"] == 5


def test_the_same_file_again_changes_nothing(conn: psycopg.Connection, tmp_path: Path) -> None:
    text = "# tells q\nq g 0 a 2\nq g 0 b#1 1.5\nq g 0 a 2.0\n\n"
    done = imported(conn, tmp_path, text)
    assert (done.queries, done.groups, done.levels, done.added, done.duplicates) == (1, 1, 2, 2, 1)
    assert (done.new_queries, done.new_documents) == (1, 2)
    before = rows(conn)
    done = imported(conn, tmp_path, text + "q g 1 a 7\n")
    assert (done.added, done.unchanged) == (1, 2)
    assert [one for one in rows(conn) if one in before] == before
    ledger = conn.execute("SELECT judgments, added, sha256 IS NOT NULL FROM qrels_files ORDER BY id").fetchall()
    assert ledger == [(2, 2, True), (3, 1, True)]


@pytest.mark.parametrize(
    ("text", "message", "sqlstate"),
    [
        ("q g 0 a\n", r"prefs:1: 4 columns, not 5", "IR301"),
        ("# fine\nq g 0 a x\n", r"prefs:2: the level 'x' is not a number", "IR301"),
        ("q g 0 a -1\n", r"prefs:1: the level '-1' is not a number", "IR301"),
        ("q g 0 a nan\n", r"prefs:1: the level 'nan'", "IR301"),
        ("q g 0 a inf\n", r"prefs:1: the level 'inf'", "IR301"),
        ("q g 0 a 1_0\n", r"prefs:1: the level '1_0'", "IR301"),
        ("", r"prefs: contains no preference", "IR301"),
        ("q g 0 a 1\n\0", r"prefs:2: contains U\+0000", "IR303"),
        ("q g 0 a 1\nq g 0 b 1\nq g 0 a 2\n", r"prefs:3: query q, document a has level 2 here and 1 on line 1", "IR302"),
        ("q g 0 a 1\nq g 1 a 0\n", r"prefs:1: query q, group g: document a has level 0 in one subgroup and a higher", "IR301"),
        (
            "q g 0 a 2\nq g 0 b 1\nq g 1 b 3\nq g 1 c 2\nq g 2 c 2\nq g 2 a 1\n",
            r"prefs:1: query q, group g prefers document a to itself",
            "IR301",
        ),
    ],
)
def test_a_file_is_stored_wholly_or_not_at_all(
    conn: psycopg.Connection, tmp_path: Path, text: str, message: str, sqlstate: str
) -> None:
    with pytest.raises(BadInput, match=message) as error:
        imported(conn, tmp_path, text)
    assert error.value.sqlstate == sqlstate
    assert error.value.hint
    assert rows(conn) == []
    assert conn.execute("SELECT count(*) FROM qrels_editions").fetchone() == (0,)


def test_stored_preferences_are_not_changed(conn: psycopg.Connection, tmp_path: Path) -> None:
    imported(conn, tmp_path, "q g 0 a 2\nq g 0 b 1\n")
    before = rows(conn)
    for text, message in (
        ("q x 0 c 1\nq g 0 a 3\n", r"prefs:2: query q, document a has level 3 here and is stored with 2"),
        ("q g 1 a 0\nq g 1 z 1\n", r"prefs:1: query q, group g: document a has level 0 in one"),
        ("q g 1 b 2\nq g 1 a 1\n", r"prefs:1: query q, group g prefers document b to itself"),
    ):
        with pytest.raises(BadInput, match=message):
            imported(conn, tmp_path, text)
    assert rows(conn) == before
    imported(conn, tmp_path, "q h 0 b 2\nq h 0 a 1\n")  # another group may differ
    conn.execute(
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT edition, query, doc, 1 FROM qrels_preferences LIMIT 1"
    )
    conn.execute("SELECT seal_edition('mine')")
    assert imported(conn, tmp_path, "q h 0 b 2\n").added == 0
    with pytest.raises(StateError, match="edition 'mine' has been sealed"):
        imported(conn, tmp_path, "q h 0 c 2\n")


def test_unknown_documents_and_queries_by_policy(conn: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "prefs"
    path.write_text("q g 0 a 1\nq g 0 b 0\n")
    with pytest.raises(BadInput, match=r"prefs:1: query q is not stored"):
        import_preferences(conn, path, edition="mine", unknown_queries="error")
    with pytest.raises(StateError, match="no preference to store"):
        import_preferences(conn, path, edition="mine", unknown_queries="skip")
    with pytest.raises(BadInput, match=r"prefs:1: document a is not stored"):
        import_preferences(conn, path, edition="mine", unknown_documents="error")


def test_errors(conn: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 a 1 3 t\n")
    stored_run(conn, tmp_path / "run", "run")
    import_qrels(conn, tmp_path / "run", edition="graded", options=JudgmentOptions(columns="query,_,doc,_,_,_"))
    with pytest.raises(StateError, match="edition graded has no preferences") as error:
        score_judgments(conn, run="run", edition="graded")
    assert "qrels_prefs" in (error.value.hint or "")
    with pytest.raises(UnknownObject, match="there is no run 'ran'") as unknown:
        score_judgments(conn, run="ran", edition="graded")
    assert "'run'" in (unknown.value.hint or "")
    with pytest.raises(UnknownObject, match="there is no edition 'grated'"):
        score_judgments(conn, run="run", edition="grated")
    with pytest.raises(BadArgument, match="unknown kind of judgments 'qrels'"):
        score_judgments(conn, run="run", edition="graded", judgments="qrels")
    with pytest.raises(psycopg.Error, match="not a form of preferences") as refused:
        conn.execute("SELECT * FROM preference_scores('{run}', 'graded', 'qrels_jg')")
    assert refused.value.sqlstate == "IR202"
