"""Selecting queries that resemble judged ones: targets, reproducibility, shortage, publishing, the figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.plots.canvas import style, write
from stcollection.studies.synth.choose import match, select
from stcollection.studies.synth.match_figure import plot_match
from stcollection.studies.synth.publish import Published, publish
from tests.at_once import at_once
from tests.groups import plot, synth
from tests.plots.look import part, shown, title
from tests.studies.synth.studies import chosen, put_documents, put_edition, put_study, put_target

pytestmark = pytest.mark.slow


def target_of(conn: psycopg.Connection, edition: str, field: str = "abstract", level: int = 1) -> list[tuple[int, int, int]]:
    return conn.execute("SELECT * FROM stc.synth_target(%s, %s, %s)", [edition, field, level]).fetchall()


def test_the_target_counts_the_relevant_pairs(conn: psycopg.Connection) -> None:
    put_documents(conn, {1: "The cats of Rome, and a dog.", 2: "Rome", 3: " "})
    conn.execute("UPDATE dblp_text SET title = 'Many cats' WHERE id = 2")
    judged = {("a", 1): 1, ("a", 2): 2, ("b", 1): 0, ("b", 2): -1, ("b", 3): 1, ("stub", 1): 1, ("c", 1): 2}
    put_edition(conn, "e", judged, {"a": "cats the cats", "b": "rome", "c": "Roman DOG"})
    assert target_of(conn, "e") == [(2, 1, 1), (3, 0, 1), (3, 3, 1), (None, None, 2)]
    assert target_of(conn, "e", level=2) == [(2, 1, 1), (3, 0, 1)]
    assert target_of(conn, "e", field="content", level=2) == [(2, 1, 1), (3, 2, 1)]
    with pytest.raises(psycopg.Error, match="no field 'title'") as error:
        target_of(conn, "e", field="title")
    assert error.value.sqlstate == "IR106"


@pytest.fixture
def world(conn: psycopg.Connection) -> psycopg.Connection:
    """12 passages with candidates in the cells (2, 1), (3, 1) and (4, 4), odd ones in (3, 3); three target cells; gpt-4 too."""
    put_target(conn, "like", [(2, 1), (2, 1), (3, 3), (4, 4)])
    t5 = {doc: [None, (2, 1), (3, 1), (4, 4), *([(3, 3)] if doc % 2 else [])] for doc in range(1, 13)}
    gpt = {doc: [None, (5, 5), (6, 6)] for doc in range(1, 13) if doc > 3} | {1: [None]}
    put_study(conn, "s", {"t5": t5, "gpt-4": gpt})
    return conn


def test_the_choice_follows_the_target(world: psycopg.Connection) -> None:
    found, taken = select(world, "s", like="like", n=8, also=["gpt-4"])
    assert found.after.rows() == [[2, 1, 4], [3, 3, 2], [4, 4, 2]]
    assert (found.exact, found.moved, found.without_text) == (8, 0, 0)
    assert found.before.rows() == [[2, 1, 12], [3, 1, 12], [3, 3, 6], [4, 4, 12]]
    of_t5 = [row for row in chosen(world, "s") if row[0] == "t5"]
    assert len({docno for _, docno, _ in of_t5}) == 8
    of_gpt = [row for row in chosen(world, "s") if row[0] == "gpt-4"]
    lacking = {"d1", "d2", "d3"} & {docno for _, docno, _ in of_t5}
    assert {docno for _, docno, _ in of_gpt} == {docno for _, docno, _ in of_t5} - lacking
    assert {number for *_, number in of_gpt} == {2}  # the first usable candidate
    assert taken == [("t5", 8, 0), ("gpt-4", 8 - len(lacking), len(lacking))]
    length, words, joint = found.distances()
    assert (length.target, length.after, length.tv_after, length.w1_after) == (2.75, 2.75, 0, 0)
    assert length.before == pytest.approx((24 + 36 + 18 + 48) / 42)
    assert words.tv_before == pytest.approx((24 / 42 - 0.5 + 0.25 - 6 / 42 + 12 / 42 - 0.25) / 2)
    assert joint.tv_before == pytest.approx((0.5 - 12 / 42 + 12 / 42 + 0.25 - 6 / 42 + 12 / 42 - 0.25) / 2)
    assert joint.w1_after == pytest.approx(0)
    kept = match(world, "s")
    assert (kept[:10], kept.distances(), kept.after.rows()) == (found[:10], found.distances(), found.after.rows())


def test_the_choice_depends_on_the_seed_but_not_on_row_order(world: psycopg.Connection, settings: Settings) -> None:
    select(world, "s", like="like", n=4, seed=5)
    first = chosen(world, "s")
    by_seed = set()
    for seed in range(8):
        select(world, "s", like="like", n=4, seed=seed)
        by_seed.add(tuple(chosen(world, "s")))
        if seed == 5:
            assert chosen(world, "s") == first
    assert len(by_seed) > 3
    world.execute("UPDATE stc_all.synth_candidates SET model = model")  # moves every row
    select(world, "s", like="like", n=4, seed=5)
    assert chosen(world, "s") == first
    kept = world.execute("SELECT origin, doc, number, length, found, dropped FROM stc_all.synth_candidates").fetchall()
    world.execute("DELETE FROM stc_all.synth_studies")
    cells: dict[str, dict[int, list[tuple[int, int] | None]]] = {}
    for origin, doc, _, length, words, dropped in sorted(kept, key=lambda row: row[:3]):
        cells.setdefault(origin, {}).setdefault(doc, []).append(None if dropped else (length, words))
    put_study(world, "s", cells, backwards=True)
    select(world, "s", like="like", n=4, seed=5)
    assert chosen(world, "s") == first


def test_no_text_is_chosen_twice(conn: psycopg.Connection) -> None:
    put_target(conn, "like", [(2, 2)])
    put_study(conn, "s", {"t5": {doc: [(2, 2), (6, 2)] for doc in range(1, 6)}})
    conn.execute(
        "UPDATE stc_all.synth_candidates SET text = CASE doc % 2 WHEN 0 THEN 'one text' ELSE 'One Text ' END WHERE number = 1"
    )
    found, _ = select(conn, "s", like="like", n=5)
    assert found.after.rows() == [[2, 2, 1], [6, 2, 4]]
    assert (found.exact, found.moved) == (1, 16)


def test_shortage_is_reported(world: psycopg.Connection) -> None:
    found, taken = select(world, "s", like="like", n=100)
    assert (found.requested, found.after.pairs, taken[0].chosen) == (100, 12, 12)
    assert found.after.rows() == [[2, 1, 6], [3, 3, 3], [4, 4, 3]]


def test_a_second_choice_replaces_the_first(world: psycopg.Connection) -> None:
    select(world, "s", like="like", n=12, also=["gpt-4"])
    select(world, "s", like="like", n=2)
    assert len(chosen(world, "s")) == 2
    assert match(world, "s").requested == 2


def test_errors(world: psycopg.Connection) -> None:
    put_edition(world, "none", {("n", 1): 0}, {"n": "text"})
    put_edition(world, "stubs", {("stub", 1): 1}, {})
    with pytest.raises(StateError, match="'none' has no grade of 1 or more"):
        select(world, "s", like="none")
    with pytest.raises(StateError, match="1 relevant pair of the edition 'stubs', none with the text"):
        select(world, "s", like="stubs")
    with pytest.raises(UnknownObject, match="no edition 'lik'"):
        select(world, "s", like="lik")
    with pytest.raises(UnknownObject, match="no study 'z'") as error:
        select(world, "z", like="like")
    assert error.value.sqlstate == "IR112"
    with pytest.raises(StateError, match="no usable query of the origin 'T5'") as state:
        select(world, "s", like="like", origin="T5")
    assert state.value.hint == "Its origins are gpt-4, t5."
    for wrong in ({"n": 0}, {"also": ["t5"]}, {"seed": 2**63}):
        with pytest.raises(BadArgument):
            select(world, "s", like="like", **wrong)
    with pytest.raises(StateError, match="no queries of the study 's' were chosen"):
        match(world, "s")
    with pytest.raises(StateError, match="no candidate of study 's' is chosen"):
        publish(world, "s", edition="sparse")
    assert chosen(world, "s") == []


def test_concurrent_choices_are_serialised(world: psycopg.Connection, dsn: str) -> None:
    def work(seed: int) -> None:
        with psycopg.connect(dsn, autocommit=True) as own:
            select(own, "s", like="like", n=4, seed=seed)

    at_once(work, range(4))
    now = chosen(world, "s")
    assert len(now) == 4
    select(world, "s", like="like", n=4, seed=match(world, "s").seed)
    assert chosen(world, "s") == now


def test_published_queries_have_their_provenance(world: psycopg.Connection) -> None:
    select(world, "s", like="like", n=4, also=["gpt-4"])
    done = publish(world, "s", edition="sparse")
    gpt = len(chosen(world, "s")) - 4
    assert done[0] == Published("t5", 4, 4, "S0001", "S0004", 4 + gpt)
    assert [one.origin for one in done] == ["t5", "gpt-4"][: 1 + (gpt > 0)]
    rows = world.execute(
        "SELECT q.query, q.text, q.origin, q.model, q.source, c.doc, c.text, c.origin FROM st1_queries q"
        " JOIN stc_all.synth_candidates c ON c.query = q.id WHERE c.chosen ORDER BY q.query"
    ).fetchall()
    assert [row[0] for row in rows] == [f"S{number:04}" for number in range(1, 5 + gpt)]
    assert all((row[1], row[2], row[4]) == (row[6], row[7], row[5]) and row[3] == f"{row[2]}-model" for row in rows)
    assert [row[4] for row in rows[:4]] == sorted(row[4] for row in rows[:4])  # in the order of sampling
    judged = world.execute(
        "SELECT q.query, j.doc, j.rel, j.origin, j.annotator FROM qrels_judgments j JOIN st1_queries q ON q.id = j.query"
        " WHERE j.edition = stc.edition_key('sparse') ORDER BY 1"
    ).fetchall()
    assert judged == [(row[0], row[4], 1, "llm", "sparse") for row in rows]
    assert world.execute("SELECT cardinality(stc.edition_queries('sparse', 't5'))").fetchone() == (4,)
    with pytest.raises(BadArgument, match="chosen queries that are already published"):
        select(world, "s", like="like")


def test_publishing_again_changes_nothing(world: psycopg.Connection) -> None:
    select(world, "s", like="like", n=4)
    publish(world, "s", edition="sparse")
    before = world.execute("SELECT count(*), max(id) FROM qrels_judgments").fetchone()
    world.execute("SELECT seal_edition('sparse')")
    assert publish(world, "s", edition="sparse") == [Published("t5", 4, 0, "S0001", "S0004", 0)]
    assert world.execute("SELECT count(*), max(id) FROM qrels_judgments").fetchone() == before
    assert world.execute("SELECT path, judgments, added FROM qrels_files").fetchall() == [("study:s", 4, 4)]
    with pytest.raises(BadArgument, match="already published, with queries such as 'S0001'"):
        publish(world, "s", edition="sparse", prefix="T")


def test_taken_names_raise_and_nothing_is_stored(world: psycopg.Connection) -> None:
    select(world, "s", like="like", n=4)
    world.execute("INSERT INTO st1_queries (query, text) VALUES ('S0003', 'mine')")
    with pytest.raises(BadInput, match="query 'S0003' already exists") as error:
        publish(world, "s", edition="sparse")
    assert error.value.sqlstate == "IR302"
    with pytest.raises(BadInput, match="edition 'like' already has other judgments") as error:
        publish(world, "s", edition="like", prefix="T")
    assert error.value.sqlstate == "IR302"
    for name, prefix in ((" ", "T"), ("sparse", "a b")):
        with pytest.raises(BadArgument):
            publish(world, "s", edition=name, prefix=prefix)
    assert world.execute("SELECT count(*) FROM st1_queries WHERE origin <> 'human'").fetchone() == (0,)
    assert world.execute("SELECT count(*) FROM qrels_editions").fetchone() == (1,)
    assert publish(world, "s", edition="sparse", prefix="T-")[0].last == "T-0004"


def test_the_figure_shows_the_shares(world: psycopg.Connection, tmp_path: Path) -> None:
    select(world, "s", like="like", n=8)
    figure = plot_match(world, "s")
    assert list(part(figure, "target-0").get_data().values) == [0, 0, 0.5, 0.25, 0.25]
    assert list(part(figure, "after-1").get_data().values) == [0, 0.5, 0, 0.25, 0.25]
    assert part(figure, "before-0").get_data().values == pytest.approx(np.array([0, 0, 12, 18, 12]) / 42)
    assert part(figure, "joint-chosen").get_array().tolist() == [0.5, 0.25, 0.25]
    assert "s: queries of t5 like like" in title(figure)
    with style():
        figure.canvas.draw()
    boxes = [text.get_window_extent() for text in shown(figure) if text.get_text().strip()]
    for at, box in enumerate(boxes):
        assert -1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1
        for other in boxes[at + 1 :]:
            assert min(box.x1, other.x1) - max(box.x0, other.x0) <= 1 or min(box.y1, other.y1) - max(box.y0, other.y0) <= 3
    write(figure, tmp_path / "a.svg")
    write(plot_match(world, "s"), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_one_long_query_does_not_squeeze_the_figure(world: psycopg.Connection) -> None:
    for doc in range(1, 13):
        world.execute(
            "INSERT INTO stc_all.synth_candidates (study, doc, origin, model, number, text, length, found)"
            " SELECT stc.synth_study_key('s'), %s, 't5', 'm', g, concat(%s::text, g), 3, 1 FROM generate_series(10, 60) g",
            [doc, f"q{doc} "],
        )
    world.execute("UPDATE stc_all.synth_candidates SET length = 400 WHERE doc = 1 AND number = 60")
    select(world, "s", like="like", n=8)
    figure = plot_match(world, "s")
    assert figure.axes[0].get_xlim()[1] < 10
    assert "beyond the axes: 1 of all" in title(figure)


def stc(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(synth, list(arguments), obj=settings)


def test_the_commands(settings: Settings, world: psycopg.Connection, tmp_path: Path) -> None:
    put_edition(world, "more", {("like-0", 9_000): 1, ("stub", 1): 1}, {})
    done = stc(settings, "select", "s", "--match", "more", "--size", "40", "--also", "gpt-4")
    assert done.exit_code == 0, done.output
    assert "40 requested: no more passages have a query of t5" in done.output
    assert "1 relevant judgment is not part of the target" in done.output
    assert "9 queries of gpt-4 of the same passages; 3 of the passages have none" in done.output
    again = stc(settings, "match", "s")
    assert again.output.splitlines()[:5] == done.output.splitlines()[:5]
    assert stc(settings, "match", "s", "--format", "json").stdout.startswith("[")
    drawn = CliRunner().invoke(plot, ["match", "s", "--out", str(tmp_path / "m.pdf")], obj=settings)
    assert "inches" in drawn.output
    done = stc(settings, "publish", "s", "--edition", "sparse", "--prefix", "X")
    assert done.exit_code == 0, done.output
    assert "X0013" in done.output
    assert "sparse: 21 new judgments" in done.output
    assert isinstance(stc(settings, "select", "s", "--match", "more").exception, BadArgument)
    assert isinstance(stc(settings, "match", "z").exception, UnknownObject)
