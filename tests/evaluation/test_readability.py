"""Readability of retrieved documents: by hand, against numpy, and through the commands."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.analysis.readability import compare_readability
from stcollection.api.collection import Collection
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, StcError, UnknownObject
from stcollection.evaluation.readability import VALUES, query_readability, readability
from tests.evaluation.conftest import StoreQrels, StoreRun
from tests.groups import evaluation

pytestmark = pytest.mark.slow

#: docno: words, distinct, long and complex words, grade level; None: no abstract. Document w has an abstract without a word.
TEXTS: dict[str, tuple[float | None, ...]] = {
    "a": (100, 60, 20, 10, 10), "b": (50, 40, 15, 10, 14), "d": (10, 10, 1, 0, 5), "w": (None, None, None, None, 0),
}  # fmt: skip
#: docno: listed references, citations, citation percentile; None: missing in the record, or not ranked.
FACTS: dict[str, tuple[int | None, int | None, float | None]] = {
    "a": (4, 10, 50), "b": (None, 20, None), "c": (0, None, 20), "d": (6, 0, 90), "w": (None, None, None),
}  # fmt: skip
RUN = {"q1": {"a": 9.0, "b": 8.0, "c": 7.0, "stub": 6.0}, "q2": {"d": 9.0, "a": 8.0}}


def put(
    conn: psycopg.Connection,
    texts: Mapping[str, tuple[float | None, ...]] = TEXTS,
    facts: Mapping[str, tuple[int | None, int | None, float | None]] = FACTS,
) -> None:
    """Write readability, references and citations of stored documents."""
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO st1_complexity_metrics (id, read_tok, read_wordtypes, read_long_words, read_complex_words, textstat_fkgl,"
            " cmu_fkgl) SELECT id, %s, %s, %s, %s, %s::float8, %s::float8 + 1 FROM dblp WHERE docno = %s",
            [(*text, text[-1], docno) for docno, text in texts.items()],
        )
        cursor.executemany(
            "INSERT INTO dblp_facts (id, n_reference, n_citation) SELECT id, %s, %s FROM dblp WHERE docno = %s",
            [(references, citations, docno) for docno, (references, citations, _) in facts.items()],
        )
        cursor.executemany(
            "INSERT INTO stc.citation_ranks (id, by_year, percentile, fields) SELECT id, 99, %s, 1 FROM dblp WHERE docno = %s",
            [(percentile, docno) for docno, (_, _, percentile) in facts.items() if percentile is not None],
        )


@pytest.fixture
def world(conn: psycopg.Connection, store_run: StoreRun) -> str:
    """Store the run, its decoy, and a run on a third query."""
    name = store_run(RUN, "mine")
    store_run({"q3": {"w": 1.0}}, "wordless", decoy=False)
    put(conn)
    return name


def approximately(*values: float | None) -> list[Any]:
    return [None if value is None else pytest.approx(value) for value in values]


def test_a_run_by_hand(conn: psycopg.Connection, world: str) -> None:
    [got] = readability(conn, runs=[world])
    # a counts for both queries; c has no abstract, the stub has no data; the record of b lists no references
    assert got[:5] == ("mine", 2, 6, 4, 4)
    assert list(got[5:]) == approximately(3.5, 42.5, 0.2, 0.1, 9.75, 10, 10, 52.5)
    assert got.refs == (4 + 0 + 6 + 4) / 4
    assert got.citation_percentile == (50 + 20 + 90 + 50) / 4


def test_the_ratio_is_the_mean_over_documents(conn: psycopg.Connection, world: str) -> None:
    """The ratio is not total long words by total words, 56 / 260: a long abstract weighs no more than a short one."""
    [got] = readability(conn, runs=[world])
    assert got.long_ratio == pytest.approx((0.2 + 0.3 + 0.1 + 0.2) / 4)
    assert got.long_ratio != pytest.approx((20 + 15 + 1 + 20) / (100 + 50 + 10 + 100))


def test_a_query_by_hand(conn: psycopg.Connection, world: str) -> None:
    first, second = query_readability(conn, runs=[world])
    assert first[:5] == ("mine", "q1", 4, 2, 2)
    assert list(first[5:]) == approximately(2, 50, 0.25, 0.15, 12, 12, 15, 35)  # the median of two values is their mean
    assert second[:5] == ("mine", "q2", 2, 2, 2)
    assert list(second[5:]) == approximately(5, 35, 0.15, 0.05, 7.5, 7.5, 5, 70)


def test_k_counts_by_rank(conn: psycopg.Connection, world: str) -> None:
    [got] = readability(conn, runs=[world], k=1)
    assert got[:5] == ("mine", 2, 2, 2, 2)  # a of q1, d of q2
    assert (got.fkgl, got.fkgl_median, got.citation_percentile) == (7.5, 7.5, 70)
    [deeper] = readability(conn, runs=[world], k=2)
    assert deeper.documents == 4
    assert (deeper.fkgl, deeper.fkgl_median) == (9.75, 10)
    [decoy] = readability(conn, runs=["~mine"], k=1)
    assert (decoy.measured, decoy.fkgl) == (1, 10)  # its top documents are the stub, and a of q2


def test_only_the_queries_of_an_edition(conn: psycopg.Connection, world: str, store_qrels: StoreQrels) -> None:
    edition = store_qrels({"q2": {"z": 1}, "q4": {"a": 1}})
    mine, wordless = readability(conn, runs=["wordless", world], edition=edition)
    assert (mine.run, mine.queries, mine.documents, mine.fkgl) == ("mine", 1, 2, 7.5)
    assert wordless[:5] == ("wordless", 0, 0, 0, 0)  # a run without documents for the edition has an empty row
    assert set(wordless[5:]) == {None}
    # a query without documents has no row
    assert [row[:3] for row in query_readability(conn, edition=edition)] == [("mine", "q2", 2), ("~mine", "q2", 2)]


def test_an_abstract_without_a_word_has_no_readability(conn: psycopg.Connection, world: str) -> None:
    """textstat gives such a text grade level 0, as for the easiest texts."""
    [got] = readability(conn, runs=["wordless"])
    assert got == ("wordless", 1, 1, 0, 0, *[None] * 8)


def test_the_other_grade_level(conn: psycopg.Connection, world: str) -> None:
    [got] = readability(conn, runs=[world], measure="cmu_fkgl")
    assert (got.fkgl, got.fkgl_median, got.vocabulary) == (10.75, 11, 42.5)


def test_all_runs_by_name(conn: psycopg.Connection, world: str) -> None:
    assert [row.run for row in readability(conn)] == ["mine", "wordless", "~mine"]
    runs = conn.execute("SELECT run FROM run_readability()").fetchall()
    assert runs == [("mine",), ("wordless",), ("~mine",)]


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_numpy(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, seed: int) -> None:
    random = np.random.default_rng(seed)
    documents = [f"d{n}" for n in range(60)]
    runs = {
        f"r{run}": {
            f"q{query}": {docno: -float(rank) for rank, docno in enumerate(random.permutation(documents)[: random.integers(1, 16)])}
            for query in range(6)
            if random.random() < 0.8
        }
        for run in range(4)
    }
    for name, run in runs.items():
        store_run(run, name)
    edition = store_qrels({f"q{query}": {"d0": 1} for query in range(0, 6, 2)})
    stored = {docno for run in runs.values() for ranked in run.values() for docno in ranked}
    texts = {
        docno: (*(float(n) for n in random.integers((50, 20, 0, 0), (300, 50, 40, 20))), float(random.integers(4, 9)))
        for docno in documents
        if docno in stored and random.random() < 0.8
    }
    facts = {
        docno: (int(random.integers(9)) if random.random() < 0.6 else None, int(random.integers(99)), float(random.random() * 100))
        for docno in documents
        if docno in stored and random.random() < 0.9
    }
    put(conn, texts, facts)

    def expected(ranked: list[str]) -> list[Any]:
        of = [np.array(texts[docno], dtype=float) for docno in ranked if docno in texts]
        says = [facts[docno] for docno in ranked if docno in facts]
        listed = [one[0] for one in says if one[0] is not None]
        words = [(one[1], one[2] / one[0], one[3] / one[0], one[4]) for one in of]
        means = np.mean(words, axis=0).tolist() if words else [None] * 4
        median = float(np.median([one[3] for one in words])) if words else None
        cited = np.mean([one[1:] for one in says], axis=0).tolist() if says else [None, None]
        reference = float(np.mean(listed)) if listed else None
        return [len(ranked), len(of), len(listed), *approximately(reference, *means, median, *cited)]

    for k in (1, 4, 10):
        for wanted in (None, edition):
            kept = {
                name: {query: list(ranked)[:k] for query, ranked in run.items() if wanted is None or int(query[1:]) % 2 == 0}
                for name, run in runs.items()
            }
            for got in readability(conn, runs=list(runs), k=k, edition=wanted):
                mine = kept[got.run]
                assert [got.queries, *got[2:]] == [len(mine), *expected([doc for ranked in mine.values() for doc in ranked])]
            by_query = {
                (one.run, one.query): list(one[2:]) for one in query_readability(conn, runs=list(runs), k=k, edition=wanted)
            }
            assert by_query == {(name, query): expected(ranked) for name, run in kept.items() for query, ranked in run.items()}


@pytest.mark.parametrize(
    ("options", "error", "sqlstate", "said", "hint"),
    [
        ({"runs": ["mime"]}, UnknownObject, "IR101", "no run 'mime'", "Did you mean 'mine'?"),
        ({"edition": "peple"}, UnknownObject, "IR102", "no edition 'peple'", "Did you mean 'people'?"),
        ({"measure": "cmu_fkg"}, UnknownObject, "IR108", "'cmu_fkg' is not a grade-level measure", "Did you mean 'cmu_fkgl'?"),
        ({"k": 0}, BadArgument, "IR201", "k is 0", "1 or more"),
    ],
)
def test_a_bad_argument_has_a_hint(
    conn: psycopg.Connection,
    world: str,
    store_qrels: StoreQrels,
    options: dict[str, Any],
    error: type[StcError],
    sqlstate: str,
    said: str,
    hint: str,
) -> None:
    store_qrels({"q1": {"a": 1}}, "people")
    for read in (readability, query_readability):
        with pytest.raises(error, match=said) as raised:
            read(conn, **options)
        assert raised.value.sqlstate == sqlstate
        assert hint in (raised.value.hint or "")


def test_before_readability_is_computed(
    conn: psycopg.Connection, settings: Settings, store_run: StoreRun, store_qrels: StoreQrels
) -> None:
    run, edition = store_run(RUN), store_qrels({"q1": {"a": 1}})
    with pytest.raises(StateError, match="no readability has been computed") as raised:
        readability(conn, runs=[run])
    assert (raised.value.sqlstate, raised.value.hint) == ("IR405", "Compute it for all abstracts with 'stc complexity compute'.")
    # the leaderboard needs readability only if requested
    assert command(settings, "leaderboard", "--edition", edition).exit_code == 0
    assert isinstance(command(settings, "leaderboard", "--edition", edition, "--readability").exception, StateError)


def test_the_leaderboard_in_sql(conn: psycopg.Connection, world: str, store_qrels: StoreQrels) -> None:
    edition = store_qrels({"q1": {"a": 2, "b": 1}, "q2": {"d": 1}})
    rows = conn.execute("SELECT run, ndcg_cut_10, documents, measured, fkgl FROM readable_leaderboard(%s, 2)", [edition]).fetchall()
    assert [row[0] for row in rows] == ["mine", "~mine", "wordless"]
    assert rows[0][1:] == (1.0, 4, 4, 9.75)
    assert rows[2][1:] == (0.0, 0, 0, None)


def command(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(evaluation, list(arguments), obj=settings)


def test_the_table(conn: psycopg.Connection, settings: Settings, world: str) -> None:
    done = command(settings, "readability", world)
    heading, _, row = done.stdout.splitlines()
    assert heading.split() == [
        "run",
        "queries",
        "documents",
        "measured",
        "listing",
        "refs",
        "vocab",
        "long",
        "complex",
        "FKGL",
        "FKGL",
        "median",
        "citations",
        "percentile",
    ]
    assert row.split() == ["mine", "2", "6", "4", "4", "3.50", "42.5", "0.2000", "0.1000", "9.75", "10.00", "10.0", "52.5"]
    assert done.stderr == "rank 10 or better; measured: with readability, listing: with references; FKGL is textstat_fkgl\n"


def test_the_table_of_a_paper(conn: psycopg.Connection, settings: Settings, world: str) -> None:
    lines = command(settings, "readability", world, "wordless", "--format", "latex").stdout.splitlines()
    assert lines[0] == "% rank 10 or better, FKGL is textstat_fkgl; readability is of 4 of 7 documents"
    cells = [[cell.strip() for cell in line.removesuffix(r"\\").split("&")] for line in lines if "&" in line]
    assert cells == [
        ["run", "refs", "vocab", "long", "complex", "FKGL", "FKGL median"],
        ["mine", "3.50", "42.5", "0.2000", "0.1000", "9.75", "10.00"],
        ["wordless", *["–"] * 6],
    ]


def test_queries_as_csv(conn: psycopg.Connection, settings: Settings, world: str) -> None:
    done = command(settings, "readability", world, "-q", "--cutoff", "1", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["query"], row["measured"], row["fkgl"], row["long_ratio"]) for row in rows] == [
        ("q1", "1", "10.0", "0.2"),
        ("q2", "1", "5.0", "0.1"),
    ]


def test_on_the_leaderboard(conn: psycopg.Connection, settings: Settings, world: str, store_qrels: StoreQrels) -> None:
    edition = store_qrels({"q1": {"a": 2, "b": 1}, "q2": {"d": 1}})
    told = command(settings, "leaderboard", "--edition", edition, "-m", "nDCG@10", "--readability", "--format", "json").stdout
    first, *_, last = json.loads(told)
    assert first == {
        "run": "mine",
        "nDCG@10": 1.0,
        "coverage": pytest.approx(4 / 6),
        "refs": 3.5,
        "vocabulary": 42.5,
        "long_ratio": pytest.approx(0.2),
        "complex_ratio": pytest.approx(0.1),
        "fkgl": 9.75,
        "fkgl_median": 10.0,
    }
    assert last == {"run": "wordless", "nDCG@10": 0.0} | dict.fromkeys(list(first)[2:])
    told = command(settings, "leaderboard", "--edition", edition, "--readability", "--cutoff", "1").stdout
    assert told.splitlines()[2].split()[-7:] == ["1.0000", "5.00", "35.0", "0.1500", "0.0500", "7.50", "7.50"]
    plain = command(settings, "leaderboard", "--edition", edition).stdout
    assert "FKGL" not in plain
    done = command(settings, "leaderboard", "--edition", edition, "--cutoff", "5")
    assert (done.exit_code, "--cutoff needs --readability" in done.stderr) == (2, True)


def test_comparison_of_two_runs_equals_scipy(conn: psycopg.Connection, settings: Settings, store_run: StoreRun) -> None:
    stats: Any = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(7)
    documents = [f"d{n}" for n in range(40)]
    ranked = {
        name: {f"q{q}": {docno: float(random.random()) for docno in random.permutation(documents)[:5]} for q in range(queries)}
        for name, queries in (("one", 9), ("two", 8))
    }
    for name, run in ranked.items():
        store_run(run, name)
    put(conn, {docno: (100.0, 50.0, float(n), 3.0, float(random.normal(12, 3))) for n, docno in enumerate(documents)}, {})
    found = {one.measure: one for one in compare_readability(conn, run="one", against="two")}
    assert tuple(found) == VALUES
    rows = {(one.run, one.query): one for one in query_readability(conn)}
    both = [f"q{q}" for q in range(8)]  # the ninth query has no counterpart
    for name in ("fkgl", "fkgl_median", "long_ratio"):
        one, two = ([getattr(rows[run, query], name) for query in both] for run in ("one", "two"))
        theirs = stats.ttest_rel(one, two)
        got = found[name]
        assert (got.queries, got.wins + got.ties + got.losses) == (8, 8)
        assert got.p == pytest.approx(theirs.pvalue)
        interval = theirs.confidence_interval()
        assert (got.mean, got.mean_against, got.low, got.high) == pytest.approx(
            (np.mean(one), np.mean(two), interval.low, interval.high)
        )
    assert found["vocabulary"].p == 1  # all values are equal
    assert (found["refs"].queries, np.isnan(found["refs"].p)) == (0, True)
    assert found["fkgl"].corrected >= found["fkgl"].p
    told = command(settings, "readability", "one", "two", "--compare").stdout
    assert [line.split()[0] for line in told.splitlines()[2:]] == [
        "refs",
        "vocab",
        "long",
        "complex",
        "FKGL",
        "FKGL",
        "citations",
        "percentile",
    ]
    with pytest.raises(BadArgument, match="with itself"):
        compare_readability(conn, run="one", against="one")
    assert command(settings, "readability", "one", "--compare").exit_code == 2


def test_a_frame(conn: psycopg.Connection, settings: Settings, world: str) -> None:
    pytest.importorskip("pandas")
    with Collection(settings) as collection:
        frame = collection.readability(world)
        assert frame[["run", "queries", "measured", "fkgl", "fkgl_median"]].values.tolist() == [["mine", 2, 4, 9.75, 10.0]]
        queries = collection.readability(k=1, per_query=True)
        assert queries["qid"].tolist() == ["q1", "q2", "q3", "q1", "q2"]
        assert str(queries["fkgl"].dtype) == "float64"
        with pytest.raises(UnknownObject, match="no run"):
            collection.readability("nobody")
