"""Own measures: who adds them, and that a formula reads no hidden judgment, whoever wrote it and however it was stored."""

from __future__ import annotations

import psycopg
import pytest

from tests.evaluation.test_own_measures import ATTACKS
from tests.roles.worlds import Login, collection

_ = collection
MEANS = "SELECT measure, value FROM mean_scores('{base}', %s, %s::text[])"


def refused(conn: psycopg.Connection, statement: str, *values: object) -> psycopg.Error:
    with pytest.raises(psycopg.Error) as error:
        conn.execute(statement.encode(), values)
    return error.value


def test_only_organisers_add_and_all_use(collection: psycopg.Connection, login: Login) -> None:
    organiser, participant, reader = login("organiser"), login(), login("reader")
    for conn in (participant, reader):
        assert refused(conn, "SELECT add_measure('Mine', '1')").sqlstate == "IR410"
        assert refused(conn, "SELECT stc.drop_measure('Mine')").sqlstate == "IR410"
        assert refused(conn, "INSERT INTO stc.own_measures (kind, ir, cutoff) VALUES ('mine', 'Mine', false)").sqlstate == "42501"
        assert refused(conn, "UPDATE stc.own_measures SET value = '2'").sqlstate == "42501"
    organiser.execute("SELECT add_measure('Mine', 'sum(1 / u.rank)', documents => 'relevant')")
    own = organiser.execute(MEANS, ["train", ["Mine"]]).fetchall()
    assert own[0][1] > 0
    for conn in (participant, reader, collection):
        assert conn.execute(MEANS, ["train", ["Mine"]]).fetchall() == own
    for conn in (participant, reader):
        assert refused(conn, MEANS, "test", ["Mine"]).sqlstate == "IR102"
    organiser.execute("SELECT stc.drop_measure('mine')")
    assert refused(participant, MEANS, "train", ["Mine"]).sqlstate == "IR108"


def test_score_requests_report_no_own_measure(collection: psycopg.Connection, login: Login) -> None:
    organiser, participant = login("organiser"), login()
    organiser.execute("SELECT add_measure('Mine', '{hits}', takes => 'cutoff')")
    for names in (["Mine@10"], ["ndcg_cut_10", "Mine@10"], ["mine_10"]):
        error = refused(organiser, "SELECT stc.allow_asks('test', 3, %s)", names)
        assert (error.sqlstate, "not permitted for score requests" in str(error)) == ("IR202", True)
    organiser.execute("SELECT stc.allow_asks('test', 3, '{ndcg_cut_10}')")
    # an allowance from a dump: the formula is not evaluated for it
    collection.execute("UPDATE stc.ask_allowances SET measures = '{Mine@10}'")
    assert refused(participant, "SELECT ask_scores('red1', 'test')")
    participant.execute("SELECT score_requests()")
    assert participant.execute("SELECT count(*) FROM stc.ask_requests").fetchone() == (0,)


def test_rows_of_a_dump_are_checked_at_each_use(collection: psycopg.Connection, login: Login) -> None:
    """A row that add_measure would refuse is no measure, and the others work."""
    organiser = login("organiser")
    store = (
        "INSERT INTO stc.own_measures (kind, ir, cutoff, mean, range, definition, value, documents, gain, parameters, defaults)"
        " VALUES (%s, %s, %s, %s, '[0,1]', '', %s, %s, %s, %s, %s)"
    )
    for number, formula in enumerate(ATTACKS):
        name = f"a{number}"
        for suffix, documents, gain in (
            ("", None, None),
            ("b", "relevant", None),
            ("c", "gained", "l.rel" if formula == "r.rel" else formula),
        ):
            value = "1" if gain else formula
            collection.execute(store, [name + suffix, name + suffix, False, "mean", value, documents, gain, None, None])
    for kind, ir, cutoff, mean, documents, parameters, defaults in (
        ("ndcg_cut", "nDCG", True, "mean", None, None, [10.0]),
        ("x", "map", False, "mean", None, None, None),
        ("y_cut", "y", True, "mean", None, None, ["nan"]),
        ("z", "z", False, "mean", "(SELECT 1) u", None, None),
        ("w", "w", False, "sum; DROP", None, None, None),
        ("v", "v", False, "mean", None, '{"a": 1}', None),
        ("u", "u", False, "mean", None, '[{"name": "p\'", "default": 1, "range": "[0,1]"}]', None),
        ("t", "t", False, "mean", None, '[{"name": "p", "default": "1", "range": "[0,1]"}]', None),
        # names of what score_statement fills in, and a value that it casts
        ("r", "r", False, "mean", "gained", '[{"name": "gained", "default": 1, "range": "[0,1]"}]', None),
        ("q", "q", False, "mean", "subtopics", '[{"name": "subtopics", "default": 1, "range": "[0,1]"}]', None),
        ("p", "p", False, "mean", None, '[{"name": "p", "default": 1, "range": "[0,1]", "squared": {}}]', None),
        *(
            (f"o{n}", f"o{n}", False, "mean", None, odd, None)
            for n, odd in enumerate(("[1]", '["a"]', "[[]]", "[null]", '"x"', "5"))
        ),
        ("s", "other", False, "mean", None, None, None),
    ):
        collection.execute(store, [kind, ir, cutoff, mean, "1", documents, None, parameters, defaults])
    assert collection.execute("SELECT kind FROM stc.own_kinds() WHERE fault IS NULL").fetchall() == []
    organiser.execute("SELECT add_measure('Good', '{R}')")
    assert len(organiser.execute(MEANS, ["train", ["Good", "AP", "nDCG@10"]]).fetchall()) == 3
    assert refused(organiser, MEANS, "train", ["a0"]).sqlstate == "IR108"


def test_no_function_or_operator_of_others_is_called(collection: psycopg.Connection, login: Login) -> None:
    """Words of a formula mean those of pg_catalog, whatever is in the schemas of the search path."""
    organiser, participant = login("organiser"), login()
    for function in ("sum(double precision)", "ln(double precision)"):
        name = function.partition("(")[0]
        collection.execute(
            f"CREATE FUNCTION public.{name}(double precision) RETURNS double precision LANGUAGE sql AS 'SELECT 666::float'".encode()
        )
    collection.execute("CREATE FUNCTION public.plus(float, float) RETURNS float LANGUAGE sql AS 'SELECT 666::float'")
    collection.execute("CREATE OPERATOR public.+ (FUNCTION = public.plus, LEFTARG = float, RIGHTARG = float)")
    participant.execute("CREATE FUNCTION pg_temp.ln(float) RETURNS float LANGUAGE sql AS 'SELECT 666::float'")
    participant.execute("CREATE TEMP TABLE own_measures (LIKE stc.own_measures)")
    organiser.execute("SELECT add_measure('Mine', '1 + ln(1)')")
    for conn in (organiser, participant):
        assert conn.execute(MEANS, ["train", ["Mine"]]).fetchall() == [("Mine", 1)]
