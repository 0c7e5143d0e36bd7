"""Measures and systems of a recipe: built, changed, refused before anything is built, and written into a bundle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from stcollection.build.build import build
from stcollection.build.portable import portable_recipe
from stcollection.db.settings import Settings
from stcollection.errors import StcError
from stcollection.evaluation import learning
from stcollection.evaluation.kinds import relearn
from tests.build.conftest import names

pytestmark = pytest.mark.slow
Change = Callable[[str, str, str], None]

OWN = """
[[measures]]
ir = "Hits"
takes = "cutoff"
value = "{hits}"
range = "[0,]"

[[systems]]
system = "titles"
function = "mine.titles(text, integer)"
path = "titles.sql"

[[run]]
system = "titles"
"""
FUNCTION = """
CREATE SCHEMA IF NOT EXISTS mine;
CREATE OR REPLACE FUNCTION mine.titles(query text, k integer) RETURNS TABLE (doc bigint, score float) LANGUAGE sql AS
$$ SELECT id, length(title)::float FROM dblp_text WHERE title LIKE '%s%' ORDER BY 2 DESC LIMIT k $$;
"""


@pytest.fixture
def own(recipe: Path, change: Change) -> Iterator[Path]:
    recipe.with_name("titles.sql").write_text(FUNCTION)
    change("collection.toml", 'measures = ["nDCG@10", "AP"]', 'measures = ["Hits@2", "AP"]' + OWN)
    yield recipe
    learning.forget()
    learning.learn_from("test", list)
    relearn()
    learning.forget()


def test_a_recipe_has_measures_and_systems(settings: Settings, own: Path, change: Change, conn: psycopg.Connection) -> None:
    built = names(build(settings, own), "built")
    assert built[:2] == ["measures Hits", "systems titles"]
    assert "run titles" in built
    assert names(build(settings, own), "built") == []
    assert conn.execute("SELECT system, maker FROM systems WHERE maker IS NOT NULL").fetchall() == [("titles", "organisers")]
    assert conn.execute("SELECT count(*) FROM st1_rankings").fetchone() != (0,)
    [(params,)] = conn.execute("SELECT params FROM st1_runs WHERE run = 'titles'").fetchall()
    assert "length(title)" in str(params)

    change("titles.sql", "length(title)", "-length(title)")
    assert names(build(settings, own), "built") == ["systems titles", "run titles", "score train"]
    change("collection.toml", '"{hits}"', '"2 * {hits}"')
    assert names(build(settings, own), "built") == ["measures Hits", "score train"]
    conn.execute("SELECT add_measure('Hits', '{hits}', takes => 'cutoff')")  # by hand
    conn.execute("SELECT stc.drop_system('titles')")
    planned = build(settings, own, dry_run=True)
    assert names(planned, "to build") == ["measures Hits", "systems titles", "run titles", "score train"]


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("collection.toml", '"{hits}"', '"{hits} + foo"', r"\[\[measures\]\] 1: .* at character 10: FOO"),
        (
            "collection.toml",
            OWN,
            OWN + '[[measures]]\nir = "AP"\nvalue = "1"',
            r"\[\[measures\]\] 2: .* taken by a measure of the product",
        ),
        ("collection.toml", '"cutoff"', '"share"', r"\[\[measures\]\] 1: takes is 'share'"),
        ("collection.toml", '"Hits@2"', '"Hats@2"', r"\[\[score\]\] 1: there is no measure Hats@2"),
        ("collection.toml", "mine.titles(text", "mine.nothing(text", r"\[\[systems\]\] 1: the function mine\.nothing"),
        (
            "collection.toml",
            OWN,
            f'{OWN}[[systems]]\nsystem = "bm25"\nfunction = "mine.titles(text, integer)"',
            "taken by a system",
        ),
        ("collection.toml", '[[run]]\nsystem = "titles"', '[[run]]\nsystem = "title"', "there is no system 'title'"),
        ("collection.toml", '"titles.sql"', '"none.sql"', "there is no such file"),
        ("titles.sql", "SELECT id", "SELEC id", r"\[\[systems\]\] 1: syntax error"),
    ],
)
def test_an_error_stores_nothing(
    settings: Settings, own: Path, change: Change, conn: psycopg.Connection, name: str, old: str, new: str, message: str
) -> None:
    change(name, old, new)
    with pytest.raises(StcError, match=message):
        build(settings, own)
    assert conn.execute("SELECT count(*) FROM dblp").fetchone() == (0,)
    if "taken" not in message:
        assert conn.execute("SELECT count(*) FROM stc.own_systems").fetchone() == (0,)
        assert conn.execute("SELECT to_regnamespace('mine')").fetchone() == (None,)


def test_a_recipe_names_systems_and_measures_of_the_collection(
    settings: Settings, own: Path, change: Change, conn: psycopg.Connection
) -> None:
    change("collection.toml", OWN, '\n[[run]]\nsystem = "titles"\n')
    with pytest.raises(StcError, match="there is no measure Hits@2"):
        build(settings, own)
    conn.execute("SELECT add_measure('Hits', '{hits}', takes => 'cutoff')")
    with pytest.raises(StcError, match="there is no system 'titles'"):
        build(settings, own)
    conn.execute(FUNCTION.encode())
    conn.execute("SELECT add_system('titles', 'mine.titles(text, integer)')")
    assert {"run titles", "score train"} <= {*names(build(settings, own), "built")}


def test_a_bundle_s_recipe_has_the_measure_and_names_the_file_of_the_system(
    settings: Settings, own: Path, conn: psycopg.Connection
) -> None:
    build(settings, own)
    manifest = {"documents": {"texts": 3, "references": 3}, "editions": [], "runs": []}
    written = portable_recipe(conn, manifest, {}, texts="texts.jsonl") or ""
    assert '[[measures]]\nir = "Hits"' in written
    assert "# titles.sql is not in the bundle: SHA-256" in written
