"""Names of measures, and hints for unknown names."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest

from stcollection.cli.options.measures import names_typed
from stcollection.db.files import folder, toml
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.kinds import GROUPS, KINDS, SOURCES, Kind
from stcollection.evaluation.measures import AP, OFFICIAL, RR, Bpref, Judged, Measure, P, R, nDCG, parse_measure, parse_measures
from stcollection.evaluation.score import leaderboard, score
from tests.evaluation.conftest import StoreQrels, StoreRun

NAMES = {
    nDCG @ 10: ["nDCG@10", "ndcg_cut_10", "NDCG@10", "ndcg_cut.10", "nDCG(dcg='log2')@10"],
    P @ 20: ["P@20", "P_20", "p@20", "P(rel=1)@20", "precision@20"],
    R @ 100: ["R@100", "recall_100", "recall@100"],
    Judged @ 10: ["Judged@10", "judged_10"],
    RR: ["RR", "recip_rank", "MRR", "mrr", "RR(rel=1)"],
    AP: ["AP", "map", "MAP", "AP(rel=1)"],
    Measure("Rprec"): ["Rprec", "Rprec", "r-precision"],
    Measure("Success") @ 5: ["Success@5", "success_5", "hit_rate@5"],
    parse_measure("nDCG(dcg='exp-log2')@10"): ["nDCG(dcg='exp-log2')@10", "ndcg_exp_10", "ndcg_burges@10"],
    Bpref: ["Bpref", "bpref", " BPREF "],
}


@pytest.mark.parametrize(("name", "measure"), [(name, measure) for measure, names in NAMES.items() for name in names])
def test_both_naming_conventions_are_read(name: str, measure: Measure) -> None:
    assert parse_measure(name) == measure


@pytest.mark.parametrize("measure", NAMES, ids=str)
def test_both_naming_conventions_are_written(measure: Measure) -> None:
    assert [str(measure), measure.trec_eval] == NAMES[measure][:2]


def test_the_official_measures_start_with_the_ranking_measure() -> None:
    assert ", ".join(measure.trec_eval for measure in OFFICIAL) == "ndcg_cut_10, ndcg_cut_20, P_10, P_20, recip_rank, bpref, map"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nDGC@10", "Did you mean nDCG? 'stc show measures' lists them."),
        ("R", "Add a cutoff: R@10."),
        ("Bpref@10", "Bpref uses the whole ranking: remove the cutoff."),
        ("", "Use a name such as nDCG@10 or ndcg_cut_10; 'stc show measures' lists them."),
        ("P", "Name a single measure, such as P@5."),
    ],
)
def test_an_unknown_measure_has_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UnknownObject) as error:
        parse_measure(name)
    assert (error.value.sqlstate, error.value.hint) == ("IR108", hint)


OUT_OF_RANGE = [
    ("P@0", "IR201"), ("nDCG@-1", "IR201"), ("P@2147483648", "IR201"), ("P(k=2)@5", "IR202"), ("utility.1,2", "IR202"),
    ("ndcg.a=1", "IR108"),
    ("ndcg.1=", "IR202"), ("P.0,5", "IR201"), ("IPrec@-1", "IR201"), ("nDCG(judged_only=True)@10", "IR202"),
    ("RBP(p=1.5)", "IR202"), ("set_F.-1", "IR202"), ("ERR(max=2.5)@5", "IR202"), ("rbp.p=3", "IR202"), ("rbp.0.1,0.2", "IR202"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sqlstate"), OUT_OF_RANGE)
def test_a_measure_out_of_range_is_refused(conn: psycopg.Connection, name: str, sqlstate: str) -> None:
    with pytest.raises((BadArgument, UnknownObject)) as error:
        parse_measure(name)
    assert error.value.sqlstate == sqlstate
    with pytest.raises(psycopg.Error) as refused:
        conn.execute("SELECT * FROM stc.parse_measures(ARRAY[%s])", [name])
    assert (refused.value.sqlstate or "").startswith("IR")
    assert refused.value.diag.message_hint


EVERY = [
    *KINDS, *GROUPS, "P.5,7,3", "ndcg_cut.10,20", "utility.2,-1,0,0", "iprec_at_recall..10,.20", "Rprec_mult.5.0,0.2",
    "11pt_avg..25,.5,.75",
    "ndcg.1=3,2=9,4=4.5", "G.1=2", "success.2,5", "P(rel=2)@5", "RBP(p=0.8)", "RBP(p=0.5, rel=2)", "RBP", "nDCG(dcg='exp-log2')@10",
    "ERR@20", "ERR(max=2)@20", "Judged@10", "rbp.p=0.7", "rbp_resid.p=0.5", "set_F.2", "AP@10", "RR@10", "Rprec", "IPrec@0.1",
    "SetF",
    "SetAP", "NumRet", "NumRet(rel=1)", "nDCG", "nDCG@5", "infAP", "Success@5", "AP(rel=2)", "recip_rank_10", "map_cut_7",
    "SetF(beta=2)", "RBP(p=0.9)@10", "ERR(max=2)@5", "MAP@10", "mrr@5", "precision@7", "num_ret(rel=2)", "ndcg_exp@7", "rbp@10",
    "hit_rate@7", "r-precision", "ndcg_burges@7",
]  # fmt: skip


def test_python_and_sql_read_the_same_registry(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT kind, coalesce(ir, ''), coalesce(also, '{}'), takes, coalesce(defaults, '{}'), coalesce(parameters, '[]'), groups,"
        " mean, range, uses, definition, split_part(reference, ': ', 1), printed, coalesce(documents, ''), coalesce(gain, ''),"
        " value FROM stc.measure_kinds() ORDER BY place"
    ).fetchall()
    assert len(rows) == len(KINDS) == len({kind.lower() for kind in KINDS})
    for row, kind in zip(rows, KINDS.values(), strict=True):
        name, ir, also, takes, defaults, parameters, groups, mean, among, uses, definition, source, printed, *formula = row
        assert (name, ir, tuple(also), takes, mean) == (kind.name, kind.ir, kind.also, kind.takes, kind.mean)
        assert (tuple(uses), definition, source, printed) == (kind.uses, kind.definition, kind.source, kind.printed), name
        assert (None if groups is None else tuple(groups)) == kind.groups
        assert tuple(defaults) == (() if parameters and takes != "cutoff" else kind.defaults), name
        named = [(one["name"], one["default"]) for one in parameters]
        assert named == [(one.name, float(one.default)) for one in kind.parameters], name
        assert among == conn.execute("SELECT %s::numrange", [kind.range]).fetchall()[0][0]
        assert [text.strip() for text in formula] == [kind.documents, kind.gain, kind.value], name
    titles = conn.execute("SELECT DISTINCT reference FROM stc.measure_kinds()").fetchall()
    assert dict(title.split(": ", 1) for (title,) in titles) == SOURCES


def test_a_row_of_the_registry_has_no_other_keys() -> None:
    """A misspelt key would be ignored."""
    rows = toml(folder("sql") / "evaluation" / "measures.toml")["measures"]
    assert {key for row in rows for key in row} <= {field.replace("name", "kind") for field in Kind._fields}
    parameters = {key for row in rows for parameter in row.get("parameters", ()) for key in parameter}
    assert parameters == {"name", "default", "range", "squared", "written"}


def test_each_placeholder_of_a_formula_is_filled(conn: psycopg.Connection) -> None:
    for subtopics in (False, True):
        kinds = [kind for kind in KINDS.values() if ("subtopics" in kind.uses) == subtopics]
        names = [*(kind.name for kind in kinds), *(() if subtopics else ("ndcg.1=3,2=9",))]
        [[statement]] = conn.execute(
            "SELECT stc.score_statement(kinds, places, counts, levels, false, NULL, 'trec_eval 9', true, 'request_lists', %s)"
            " FROM stc.measure_plan(%s, 1, false, NULL, 'trec_eval 9', %s)",
            ["subtopic_profiles" if subtopics else "judged_profiles", names, subtopics],
        ).fetchall()
        assert not re.findall(r"\{\w+\}", statement)


def test_sql_and_python_read_the_same_names(conn: psycopg.Connection) -> None:
    for name in EVERY:
        rows = conn.execute(
            "SELECT kind, trec_name, cutoff, numbers FROM stc.parse_measures(ARRAY[%s]) ORDER BY place", [name]
        ).fetchall()
        measures = parse_measures(name)
        assert [row[0] for row in rows] == [one.kind.name for one in measures], name
        for row, one in zip(rows, measures, strict=True):
            again = conn.execute(
                "SELECT kind, trec_name, cutoff, numbers FROM stc.parse_measures(ARRAY[%s])", [str(one)]
            ).fetchall()
            assert row[1] == one.trec_eval, name
            assert (again[0][0], *again[0][2:]) == (row[0], *row[2:]), (name, str(one))
            assert parse_measure(str(one)) == one


def test_a_cutoff_is_checked() -> None:
    with pytest.raises(BadArgument, match="P@0 has a cutoff of 0"):
        P @ 0


def test_an_unknown_run_has_a_hint(conn: psycopg.Connection, store_run: StoreRun, store_qrels: StoreQrels) -> None:
    store_run({}, "bm25")
    edition = store_qrels({})
    for call in (score, leaderboard):
        with pytest.raises(UnknownObject, match="no run 'b25'") as error:
            call(conn, runs=["bm25", "b25"], edition=edition, measures=[nDCG @ 10])
        assert (error.value.sqlstate, error.value.hint) == ("IR101", "Did you mean 'bm25'? 'stc show runs' lists all runs.")


def test_an_unknown_edition_has_a_hint(conn: psycopg.Connection, store_qrels: StoreQrels) -> None:
    store_qrels({}, "2024 test")
    for measure in (nDCG @ 10, Judged @ 10):
        with pytest.raises(UnknownObject, match="no edition 'entirely different'") as error:
            score(conn, runs=[], edition="entirely different", measures=[measure])
        assert (error.value.sqlstate, error.value.hint) == ("IR102", "'stc show editions' lists all editions.")


def test_sql_checks_the_cutoffs(conn: psycopg.Connection, store_qrels: StoreQrels) -> None:
    edition = store_qrels({})
    for function in ("evaluate", "stc.evaluate_runs"):
        for cutoffs in ("{0}", "{10,-1}", "{NULL}", "{}"):
            with pytest.raises(psycopg.Error) as error:
                conn.execute(f"SELECT * FROM {function}('{{}}', %s, %s)", [edition, cutoffs])
            assert error.value.sqlstate == "IR201"


def test_the_nearest_name(conn: psycopg.Connection) -> None:
    names = ["bm25", "dense_title", "boolean"]
    for name, nearest in {"BM25": "bm25", "b25": "bm25", "dense_titel": "dense_title", "dense_abstract": None, "": None}.items():
        assert conn.execute("SELECT stc.nearest_name(%s, %s)", [name, names]).fetchone() == (nearest,)


def test_names_on_the_command_line() -> None:
    """A comma separates names, except before a number or within brackets."""
    typed = [
        "nDCG@10,P.5,10 AP",
        "map,11pt_avg",
        "RBP(p=0.5, rel=2),RR",
        "utility.2,-1,0,0,ndcg.1=3,2=9",
        "iprec_at_recall..10,.20",
    ]
    assert names_typed(typed) == [
        "nDCG@10",
        "P.5,10",
        "AP",
        "map",
        "11pt_avg",
        "RBP(p=0.5, rel=2)",
        "RR",
        "utility.2,-1,0,0",
        "ndcg.1=3,2=9",
        "iprec_at_recall..10,.20",
    ]


def parameterised() -> Iterator[str]:
    """Yield each measure of the registry with its cutoff, with each of its parameters, and with all of them."""
    for kind in KINDS.values():
        at = f"@{kind.defaults[0]:g}" if kind.cut else ""
        given = ["rel=2", *(f"{one.name}={float(one.default) / 2 + 0.5:g}" for one in kind.parameters if "." in one.default)]
        given += [f"{one.name}={int(one.default) + 2}" for one in kind.parameters if "." not in one.default]
        for name in filter(None, dict.fromkeys((kind.name, kind.family))):
            yield from (f"{name}{at}", *(f"{name}({one}){at}" for one in given), f"{name}({', '.join(given)}){at}")
        if kind.takes == "p":
            yield from (f"{kind.name}{form}0.25" for form in (".", ".p=", "_p="))
            yield f"{kind.name}@7"
        if kind.takes == "gains":
            yield f"{kind.name}.1=3,2=9.5"
        if kind.takes == "numbers":
            yield f"{kind.name}.{','.join(['0.25'] * len(kind.defaults))}"


def test_a_printed_name_is_read_again(conn: psycopg.Connection) -> None:
    """Python and SQL read the name that they print for any parameters, as the same measure."""
    parsed = "SELECT kind, trec_name, cutoff, numbers, level FROM stc.parse_measures(ARRAY[%s]) ORDER BY place"
    names = list(parameterised())
    assert len(names) > 4 * len(KINDS)
    wrong = []
    for name in names:
        measures = parse_measures(name)
        rows = conn.execute(parsed, [name]).fetchall()
        try:
            for row, one in zip(rows, measures, strict=True):
                assert (parse_measure(str(one)), one.trec_eval) == (one, row[1])
                assert conn.execute(parsed, [str(one)]).fetchall() == [row]
            given = [row[0] for row in conn.execute("SELECT measure FROM stc.parse_measures(ARRAY[%s]) ORDER BY place", [name])]
            assert [conn.execute(parsed, [shown]).fetchone() for shown in given] == rows
        except (AssertionError, UnknownObject, BadArgument, psycopg.Error) as error:
            wrong.append((name, str(measures[0]), str(error)[:150]))
    assert wrong == []


def test_printed_names_of_measures_that_ir_measures_lacks() -> None:
    names = {
        "set_relative_P( rel = 2 )": "set_relative_P(rel=2)", "relative_P(rel=2)_5": "relative_P(rel=2)@5",
        "utility(a=2)": "utility(a=2)", "utility.2,-1,0,0": "utility_2,-1,0,0", "rbp.p=0.7": "rbp_p=0.7",
        "rbp_resid@7": "rbp_resid@7", "rbp_resid(p=0.5)": "rbp_resid_p=0.5", "G.1=2": "G_1=2",
    }  # fmt: skip
    assert {name: str(parse_measure(name)) for name in names} == names
    assert parse_measure("utility(a=2)").trec_eval == "utility_2,-1,0,0"


def test_rbp_with_a_grade_is_another_measure() -> None:
    """The names rbp(rel=2) and rbp@5 denote RBP, so that trec_eval's rbp cannot have them."""
    for measure in (Measure("rbp", None, "rel=2"), Measure("rbp", 5)):
        with pytest.raises(BadArgument, match="rbp has only the parameter p") as error:
            measure.checked()
        assert error.value.hint == "Use RBP for a minimum grade or a cutoff."
    assert str(Measure("rbp")(p=0.7)) == "rbp_p=0.7"
