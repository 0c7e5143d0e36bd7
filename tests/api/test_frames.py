"""Frames: their types, without rows and with NULLs; the rows they are made from; no import of an unused library."""

from __future__ import annotations

import subprocess
import sys
import warnings
from decimal import Decimal
from typing import Any

import pandas as pd
import polars as pl
import pytest

import stcollection
from stcollection.api.collection import Collection
from stcollection.api.frames import columns_of, frame_of, texts
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.extras import load_module


def test_open_by_name_and_home(settings: Settings) -> None:
    if settings.dsn is None:
        opened = stcollection.open(settings.db, home=settings.home)
    else:
        opened = stcollection.open(settings.db, dsn=settings.dsn)
    with opened as collection:
        assert collection.name == settings.db
        assert collection.sql("SELECT current_database() AS db")["db"].tolist() == [settings.db]
    assert "closed" in repr(collection)
    with stcollection.open(settings.db, home=settings.home, dsn=settings.dsn, frame="polars") as collection:
        assert isinstance(collection.runs(), pl.DataFrame)
        assert isinstance(collection.runs(frame="pandas"), pd.DataFrame)
    with pytest.raises(UnknownObject, match="no such") as error:
        stcollection.open("no such", home=settings.home, dsn=settings.dsn)
    assert str(error.value.hint).startswith('stcollection.create("no such") creates it, stcollection.collections() lists')


def test_types_without_a_row_and_with_null(small: Collection) -> None:
    query = (
        "SELECT 1 AS i, 1.5::float8 AS f, 'a' AS t, true AS b, 2.25::numeric AS n, '{1,2}'::int[] AS l, '{\"a\": 1}'::jsonb AS j"
    )
    full, empty = small.sql(query), small.sql(f"SELECT * FROM ({query}) q WHERE false")
    assert full.iloc[0].tolist() == [1, 1.5, "a", True, 2.25, [1, 2], {"a": 1}]
    for frame in (full, empty):
        assert [str(frame[name].dtype) for name in "ifbn"] == ["int64", "float64", "bool", "float64"]
    null = small.sql("SELECT NULL::int AS i, NULL::numeric AS n, NULL::text AS t UNION ALL SELECT 3, 1, 'x'")
    assert str(null["i"].dtype) == "Int64"
    assert null["i"].isna().tolist() == [True, False]
    assert null["t"].isna().tolist() == [True, False]
    polars = small.sql(query + " UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL", frame="polars")
    assert polars.schema["i"] == pl.Int64
    assert polars.schema["n"] == pl.Float64
    assert polars.rows()[1] == (None,) * 7
    assert small.sql(f"SELECT * FROM ({query}) q WHERE false", frame="polars").schema["b"] == pl.Boolean


def test_sql_takes_parameters_and_tells_errors(small: Collection) -> None:
    assert small.sql("SELECT docno FROM dblp WHERE id = ANY (%s) ORDER BY 1", [[1, 2]])["docno"].tolist() == ["1", "X-2"]
    assert small.sql("SELECT count(*) AS n FROM dblp WHERE docno LIKE 'X%'")["n"].tolist() == [1]
    assert small.sql("SELECT %(a)s::text AS a", {"a": "'; DROP TABLE dblp"})["a"].tolist() == ["'; DROP TABLE dblp"]
    assert small.sql("CREATE TEMPORARY TABLE mine (a int)") is None
    with pytest.raises(BadArgument, match="k is 0") as error:
        small.sql("SELECT * FROM bm25_search('voice', 0)")
    assert error.value.sqlstate == "IR201"
    with pytest.raises(BadArgument, match="two columns are named a"):
        small.sql("SELECT 1 AS a, 2 AS a")
    with pytest.raises(BadArgument, match="unknown kind of frame 'arrow'"):
        small.sql("SELECT 1 AS a", frame="arrow")


@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame({"qid": ["a", "b"], "n": [1.0, None]}),
        pl.DataFrame({"qid": ["a", "b"], "n": [1.0, None]}),
        {"qid": ["a", "b"], "n": [1.0, None]},
        [{"qid": "a", "n": 1.0}, {"qid": "b"}],
    ],
)
def test_what_a_frame_can_be(given: Any) -> None:
    assert columns_of(given) == {"qid": ["a", "b"], "n": [1.0, None]}


def test_what_is_no_frame() -> None:
    for what in (3, "text", [1, 2]):
        with pytest.raises(BadArgument, match="is not a frame"):
            columns_of(what)
    assert texts(["a", 1, 2.0], "qid") == ["a", "1", "2"]
    for bad in (None, 1.5, True, Decimal("1.5"), float("nan")):
        with pytest.raises(BadInput, match="row 2: qid is"):
            texts(["a", bad], "qid")


def test_a_package_that_is_missing_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(StateError, match="needs the Python package polars, which is not installed") as error:
        frame_of(["a"], [(1,)], "polars")
    assert "stcollection[notebook]" in str(error.value.hint)
    monkeypatch.setitem(sys.modules, "pyterrier", None)
    with pytest.raises(StateError) as error:
        load_module("pyterrier")
    assert "stcollection[pyterrier]" in str(error.value.hint)


@pytest.mark.slow
def test_nothing_is_imported_that_is_not_used(small: Collection) -> None:
    code = """
import sys
from pathlib import Path
import stcollection
assert not {"psycopg", "numpy"} & set(sys.modules)
with stcollection.open(sys.argv[1], home=sys.argv[2] or None, dsn=sys.argv[3] or None) as collection:
    some = ("pandas", "polars", "pyterrier", "ir_datasets", "torch", "sentence_transformers")
    next(collection.docs_iter()), collection.rag_context("voice", system="bm25", count=len)
    assert not [one for one in some if one in sys.modules]
    collection.search("voice", "bm25", frame="polars")
    assert [one for one in some if one in sys.modules] == ["polars"]
"""
    where = small.settings
    done = subprocess.run(
        [sys.executable, "-c", code, where.db, str(where.home), where.dsn or ""], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_frames_of_simulated_judgments_say_so(small: Collection) -> None:
    small.connection.execute("SELECT stc.mark_simulated('train')")
    note = "Simulated: judgments of the edition train."
    assert small.qrels("train").attrs == {"simulated": note}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for edition in ("train", "train", "decoy"):
            small.qrels(edition, frame="polars")
    assert [str(one.message) for one in told] == [note]
    small.connection.execute("SELECT stc.mark_simulated('decoy')")
    with pytest.warns(UserWarning, match="edition decoy"):
        small.qrels("decoy", frame="polars")
