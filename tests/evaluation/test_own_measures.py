"""Measures that organisers add: values, equality with ir_measures, formulas that are refused, files and commands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import ir_measures
import psycopg
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, UnknownObject
from stcollection.evaluation import learning
from stcollection.evaluation.files.score import RunFiles, score_files
from stcollection.evaluation.kinds import KINDS, PRODUCT, relearn
from stcollection.evaluation.measures import parse_measure
from stcollection.evaluation.own import add_measures, drop_measure, own_measures
from stcollection.evaluation.score import leaderboard, score
from tests.evaluation.conftest import StoreQrels, StoreRun, ranked
from tests.evaluation.cwl import REAL, real, value

P = """, parameters => '[{"name": "p", "default": 0.5, "range": "[0,1]"}]'"""
RUN, JUDGED = ["d1", "d2", "d3", "d4"], {"d1": 1, "d2": 0, "d3": 2, "d9": 1}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Each test ends with the measures of the product."""
    yield
    learning.forget()
    learning.learn_from("test", list)
    relearn()
    learning.forget()
    assert tuple(KINDS) == PRODUCT


@pytest.fixture
def learned(conn: psycopg.Connection) -> psycopg.Connection:
    """The names of measures of this collection are known."""
    learning.learn_from("test", lambda: own_measures(conn))
    return conn


def add(conn: psycopg.Connection, formula: str, more: str = "") -> None:
    conn.execute(f"SELECT add_measure('Mine', %s{more})".encode(), [formula])
    learning.learn_from("test", lambda: own_measures(conn))  # as if a second had passed


@pytest.mark.parametrize(
    ("formula", "more", "name", "expected"),
    [
        ("{hits}", ", takes => 'cutoff'", "Mine@2", 1),
        ("{hits}", ", takes => 'cutoff'", "mine_3", 2),
        ("1 / 2", "", "Mine", 0.5),
        ("{R} + {N} * 10 + {retrieved} * 100 + {found} * 1000 + {judged} * 10000", "", "Mine", 3 + 10 + 400 + 2000 + 30000),
        ("-2 ^ 2 + abs(-1) * (3 - 1)", "", "Mine", 6),
        ("1 / {ranks}[2]", "", "Mine", 1 / 3),
        ("CASE WHEN {found} > 1 AND NOT {R} IS NULL THEN 5 ELSE 7 END", "", "Mine", 5),
        ("case when {R} is not null or 1 = 2 then {R} end", "", "MINE", 3),
        ("greatest(1, nullif({R}, 3), least(4, 9))", "", "Mine", 4),
        ("sum(u.k / u.rank::float) / {R}", ", documents => 'relevant'", "Mine", (1 + 2 / 3) / 3),
        ("sum(u.g)", ", documents => 'gained'", "Mine", 3),
        ("sum(u.g)", ", documents => 'gained', gain => '{grade} ^ 2 - 0'", "Mine", 5),
        ("sum(u.g)", ", documents => 'gained', gain => 'case when r.rel > 1 then 9 else 0 end'", "Mine", 9),
        ("count(*) FILTER (WHERE u.rank > 1)", ", documents => 'relevant'", "Mine", 1),
        ("sum(u.g)", ", documents => 'gained', takes => 'cutoff'", "Mine@2", 1),
        ("max(u.rank) filter (where u.rank < 9)", ", documents => 'relevant', takes => 'cutoff'", "Mine@2", 1),
        ("sum({p} ^ u.rank)", ", documents => 'relevant'" + P, "Mine", 0.625),
        ("sum({decay})", ", documents => 'relevant'" + P, "Mine(p=0.1)", 1.01),
        ("NULL", "", "Mine", 0),
    ],
)  # fmt: skip
def test_by_hand(
    learned: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels, formula: str, more: str, name: str, expected: float
) -> None:
    add(learned, formula, more)
    assert value(learned, store_run, store_qrels, name, RUN, JUDGED) == pytest.approx(expected)


#: Own formulas of measures that ir_measures has.
EQUAL = {
    "Success@10": ("least({hits}, 1)", ", takes => 'cutoff'", "Mine@10"),
    "P@20": ("{hits} / {k}", ", takes => 'cutoff'", "Mine@20"),
    "AP": ("sum(u.k / u.rank) / {R}", ", documents => 'relevant'", "Mine"),
    "nDCG@10": ("sum(u.d) / {ideal}", ", documents => 'gained', takes => 'cutoff'", "Mine@10"),
    "RBP(p=0.7,rel=1)": ("(1 - {p}) * sum({decay})", ", documents => 'relevant'" + P, "Mine(p=0.7)"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("paths", REAL)
@pytest.mark.parametrize("theirs", EQUAL)
def test_equal_to_ir_measures(
    learned: psycopg.Connection, data: Path, store_run: StoreRun, store_qrels: StoreQrels, theirs: str, paths: tuple[str, str]
) -> None:
    formula, more, name = EQUAL[theirs]
    add(learned, formula, more)
    run, judged = real(data, *paths)
    ours = score(learned, runs=[store_run(run)], edition=store_qrels(judged), measures=[parse_measure(name)], complete=False)
    order = {
        query: {doc: -float(rank) for rank, doc in enumerate(ranked(docs))} for query, docs in run.items()
    }  # cwl_eval breaks ties
    expected = {one.query_id: one.value for one in ir_measures.iter_calc([ir_measures.parse_measure(theirs)], judged, order)}
    assert len(ours) == len(expected) > 5
    assert max(abs(one.value - expected[one.query]) for one in ours) < 1e-9


@pytest.mark.parametrize(
    ("formula", "more", "message"),
    [
        ("{hits} / {found}", ", takes => 'cutoff'", r"at character 10: \{found\} is not available; use one of \{R\}, .*\{hits\}"),
        ("{k}", "", r"at character 1: \{k\} is not available"),
        ("1 +", "", "at character 4: the formula ends too early: a number"),
        ("(1 + 2", "", "the formula ends too early: a closing bracket"),
        ("1 2", "", "at character 3: an operator is expected"),
        ("1 + * 2", "", "at character 5: .* is not possible here"),
        ("case 1 end", "", "WHEN is expected here"),
        ("case when 1 = 1 then 2", "", "END is missing"),
        ("1)", "", "at character 2"),
        ("1, 2", "", "at character 2"),
        ("sum(u.k)", "", "at character 1: sum needs documents"),
        ("u.rank", ", documents => 'relevant'", "at character 1: u.rank must be in an aggregate"),
        ("sum(u.g)", ", documents => 'relevant'", r"there is no column u.g; use one of u.rank, u.k"),
        ("sum(sum(u.k))", ", documents => 'relevant'", "at character 5: sum is within another aggregate"),
        ("sum(u.k) filter (where u.k > 1", ", documents => 'relevant'", "a closing bracket"),
        ("count(*", ", documents => 'relevant'", "ends too early"),
        ("{R} > 1", "", "fails for .*: cannot cast type boolean"),
        ("1 / {found}", "", "fails for a query for which nothing is retrieved: division by zero"),
        ("abs(1, 2)", "", "fails for .*does not exist"),
        ("1" * 3000, "", "at character 2001: longer than 2,000 characters"),
        ("(" * 60 + "1" + ")" * 60, "", "more than 50 brackets are open"),
        ("", "", "the formula ends too early"),
        ("1", ", documents => 'all'", "its documents are neither relevant"),
        ("1", ", gain => '{grade}'", "a gain needs gained documents"),
        ("1", ", documents => 'gained', gain => '{R}'", r"in the gain, at character 1: \{R\} is not available"),
        ("1", ", mean => 'median'", "its mean is neither"),
        ("1", ", takes => 'share'", "a measure cannot take 'share'"),
        ("1", ", takes => 'cutoff', defaults => '{0}'", "its cutoffs are not numbers of ranks"),
        ("1", ", defaults => '{10}'", "cutoffs are given, but it takes none"),
        ("1", P.replace('"p"', '"k"'), "its parameters are not a list such as"),
        ("1", P.replace("[0,1]", "(0,1)"), "its parameters are not a list such as"),
        ("1", ", parameters => '7'", "its parameters are not a list such as"),
    ],
)  # fmt: skip
def test_refused_with_the_place(conn: psycopg.Connection, formula: str, more: str, message: str) -> None:
    with pytest.raises(psycopg.Error, match=message) as error:
        add(conn, formula, more)
    assert (error.value.sqlstate, bool(error.value.diag.message_hint)) == ("IR202", True)
    assert conn.execute("SELECT count(*) FROM stc.own_measures").fetchone() == (0,)
    learning.forget()


#: Formulas that would read more than the ranking, or change something. All are refused.
ATTACKS = [
    '(SELECT 1)', '1; DROP TABLE dblp', '1 -- ', '1 /* */', "'a'", '$$a$$', '"a"', 'pg_sleep(1)', 'stc.fading(1, 1)',
    'pg_catalog.sum(u.rank)', 'current_user', '1::regclass', '1::text', '{1}', '{G}', '{L}', 's.rels', 'l.grades',
    'a.relevant_1', '$1', 'u.*', 'r.rel', 'array[1]', '{ranks}', '{ranks}[-1]', '{ranks}[1:2]', '{irrelevant}',
    'sum(u.k) over ()', '1 OPERATOR(public.+) 2', '1 in (1)', '1 between 0 and 2', 'exists(1)', 'row(1)', 'cast(1 as text)',
    '1 collate "C"', "U&'a'", 'random()', 'x', '1 @@ 2', 'coalesce((1),(SELECT 2))', 'sum(u.k order by 1)', 'sum(distinct u.k)',
    'count(*) filter (where (select true))', '{k}}', '{{k}', '\\',
]  # fmt: skip


@pytest.mark.parametrize("documents", ["relevant", None])
@pytest.mark.parametrize("formula", ATTACKS)
def test_a_formula_is_nothing_but_arithmetic(conn: psycopg.Connection, formula: str, documents: str | None) -> None:
    found = conn.execute(
        "SELECT expression, place, fault FROM stc.measure_formula(%s, %s, false, '{}')", [formula, documents or "ranking"]
    ).fetchone()
    assert found is not None
    assert found[0] is None
    assert found[1] >= 1
    assert found[2]


_WORDS = st.sampled_from(
    [
        "1",
        "2.5",
        "{R}",
        "{k}",
        "{hits}",
        "u.rank",
        "u.k",
        "+",
        "-",
        "*",
        "/",
        "^",
        "<",
        "=",
        "and",
        "or",
        "not",
        "is",
        "null",
        "(",
        ")",
        ",",
        "case",
        "when",
        "then",
        "else",
        "end",
        "sum(",
        "count(*",
        "filter(",
        "where",
        "abs(",
        "greatest(",
        "::",
        "float",
        "'",
        '"',
        ";",
        "--",
        "/*",
        "select",
        "$1",
        "[",
        "]",
        "{",
        "}",
        ".",
        "é",
        "\\",
        "over",
    ]
)


@given(words=st.lists(_WORDS, max_size=25), cutoff=st.booleans())
def test_whatever_is_written_becomes_words_of_the_list(conn: psycopg.Connection, words: list[str], cutoff: bool) -> None:
    found = conn.execute(
        "SELECT expression, fault FROM stc.measure_formula(%s, 'relevant', %s, '{}')", [" ".join(words), cutoff]
    ).fetchone()
    assert found is not None
    expression, fault = found
    assert (expression is None) == bool(fault)
    if expression is not None:
        rest = expression.replace("pg_catalog.", "").replace("::float8", "")
        known = "CASE WHEN THEN ELSE END AND OR NOT IS NULL FILTER WHERE sum count abs greatest u.rank u.k {k} {R} {hits} 1 2.5"
        for word in sorted(known.split(), key=len, reverse=True):
            rest = rest.replace(word, "")
        assert set(rest) <= set(" ()+-*/^<=,"), expression
        assert "--" not in expression
        assert "/*" not in expression


def test_a_cutoff_reads_no_document_below_it(learned: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    """Whatever other measures are computed with it."""
    add(learned, "sum(u.rank)", ", documents => 'relevant', takes => 'cutoff'")
    run, edition = store_run({"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}), store_qrels({"q": {"d1": 1, "d3": 1}})
    for names in (["Mine@1"], ["Mine@1", "Mine@3"], ["Mine@1", "AP"]):
        scores = score(learned, runs=[run], edition=edition, measures=[parse_measure(name) for name in names])
        assert scores[0].value == 1


@pytest.mark.parametrize("name", ["nDCG", "p", "MRR", "official", "map", "x y", "1st", "a_1", "Hits_cut", "", "é", "x" * 41])
def test_names_that_cannot_be_used(conn: psycopg.Connection, name: str) -> None:
    with pytest.raises(psycopg.Error, match=r"its name (is taken|cannot be used)"):
        conn.execute("SELECT add_measure(%s, '1')", [name])


def test_a_changed_formula_takes_effect_at_once(learned: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    add(learned, "1")
    run, edition = store_run({"q": {"d1": 1.0}}), store_qrels({"q": {"d1": 1}})
    assert leaderboard(learned, edition=edition, runs=[run], measures=[parse_measure("Mine")])[0].values == (1,)
    add(learned, "2")
    assert leaderboard(learned, edition=edition, runs=[run], measures=[parse_measure("Mine")])[0].values == (2,)
    assert learned.execute("SELECT count(*) FROM stc.own_measures").fetchone() == (1,)


def test_sums_are_not_means(learned: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    add(learned, "{hits}", ", takes => 'cutoff', mean => 'sum'")
    run, edition = store_run({"q": {"d1": 1.0}, "r": {"d1": 1.0}}), store_qrels({"q": {"d1": 1}, "r": {"d1": 1}})
    [place] = leaderboard(learned, edition=edition, runs=[run], measures=[parse_measure("Mine@5")])
    assert place.values == (2,)


FILE = """
[[measures]]
ir = "Hits"
takes = "cutoff"
defaults = [10]
range = "[0,]"
definition = "relevant documents among the first k"
value = "{hits}"
source = "van Rijsbergen 1979"

[[measures]]
ir = "Halving"
documents = "gained"
parameters = [{name = "p", default = 0.5, range = "[0,1]"}]
value = "sum(u.g * {p} ^ (u.rank - 1))"
"""


def test_a_file_of_measures(learned: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(FILE)
    assert add_measures(learned, path) == ["Hits", "Halving"]
    learning.learn_from("test", lambda: own_measures(learned))
    assert str(parse_measure("hits_7")) == "Hits@7"
    assert str(parse_measure("halving(p=0.9)")) == "Halving(p=0.9)"
    with pytest.raises(BadArgument, match="parameter of 2"):
        parse_measure("Halving(p=2)")
    assert drop_measure(learned, "halving") == 0
    with pytest.raises(UnknownObject, match="no measure Halving was added") as error:
        drop_measure(learned, "Halving")
    assert error.value.hint == "Added were Hits."
    for text, message in (
        ("x", "is not TOML"),
        ("", "has no measure"),
        ("[[measures]]\nir = 'A'", "measure 1 of 1 measure: without value"),
        ("[[measures]]\nir = 'A'\nvalue = '1'\nsql = '2'", "measure 1 of 1 measure: sql"),
    ):
        path.write_text(text)
        with pytest.raises(BadInput, match=message):
            add_measures(learned, path)
    path.write_text(FILE + "[[measures]]\nir = 'Bad'\nvalue = '1 +'\n")
    with pytest.raises(BadArgument, match="the measure Bad cannot be added"):
        add_measures(learned, path)
    assert learned.execute("SELECT ir FROM stc.own_measures").fetchall() == [("Hits",)]


def test_the_commands(
    conn: psycopg.Connection, settings: Settings, store_run: StoreRun, store_qrels: StoreQrels, tmp_path: Path
) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(stc, words, obj=settings)
        assert done.exit_code == 0, done.output
        return done.stdout

    path = tmp_path / "own.toml"
    path.write_text(FILE)
    edition = store_qrels({"q": {"d1": 1, "d2": 1}, "r": {"d1": 1}})
    a, b = store_run({"q": {"d1": 1.0}, "r": {"d1": 1.0}}), store_run({"q": {"d1": 1.0, "d2": 0.5}, "r": {"d1": 1.0}})
    learning.forget()
    assert "2 measures added: Hits, Halving" in run("load", "--as", "measures", str(path))
    assert "Hits@k" in run("show", "measures")
    assert f"{b}" in run("score", a, b, "-m", "Hits@10", "--edition", edition)
    assert "1.5000" in run("score", "--leaderboard", a, b, "-m", "hits_10", "--edition", edition)
    assert "0.5000" in run("compare", a, b, "-m", "Hits@10", "--edition", edition)
    run("plot", "systems", "-m", "Hits@10", "--edition", edition, "--out", str(tmp_path / "hits.svg"))
    assert run("drop", "measure", "Hits") == "Hits: removed\n"


def test_files_are_scored_by_the_definition_of_the_collection(conn: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("".join(f"q Q0 d{rank} {rank} {9 - rank} a\n" for rank in range(1, 5)))
    (tmp_path / "b.run").write_text("q Q0 d3 1 2 b\nq Q0 d2 2 1 b\n")
    (tmp_path / "train.qrels").write_text("".join(f"q 0 {doc} {grade}\n" for doc, grade in JUDGED.items()))
    names = [str(tmp_path / name) for name in ("a.run", "b.run", "train.qrels")]

    def run(*words: str, at: Settings = settings) -> str:
        done = CliRunner().invoke(stc, words, obj=at)
        return " ".join(done.output.split()) if done.exit_code == 0 else repr(done.exception)

    (tmp_path / "own.toml").write_text(FILE)
    assert "there is no measure Hits@2" in run("score", *names, "-m", "Hits@2")
    run("load", "--as", "measures", str(tmp_path / "own.toml"))
    learning.learn_from("test", list)  # as if a second had passed
    shown = run("score", *names, "-m", "Hits@2", "-m", "Halving(p=0.1)", "-m", "AP")
    assert "a 1.0000 1.0200 0.5556" in shown
    assert "b 1.0000 2.0000 0.3333" in shown
    assert "hits_2 all 1.0000" in run("score", *names[::2], "-m", "Hits@2", "--format", "trec")
    assert "b a 2.0000" in run("compare", *names, "-m", "Halving(p=0.1)", "--missing", "zero")
    files = RunFiles(runs=[Path(names[0])], qrels=Path(names[2]))
    assert score_files(settings, files, measures="Hits@3").runs[0].values["q"][parse_measure("Hits@3")] == 2
    conn.execute("UPDATE stc.own_measures SET value = '(SELECT 1)' WHERE kind = 'hits_cut'")  # as a hostile server would
    conn.commit()
    with pytest.raises(UnknownObject, match="Hits"):
        score_files(settings, files, measures="Hits@3")
    learning.forget()
    learning.learn_from("test", list)
    relearn()
    nowhere = replace(settings, db="nowhere")
    refused = CliRunner().invoke(stc, ("score", *names, "-m", "Hits@2"), obj=nowhere).exception
    assert isinstance(refused, UnknownObject)
    assert "'nowhere' could not be read: there is no collection" in (refused.hint or "")
