"""How a model's vectors are computed (prefixes, dimensions, pooling, length): stored once, and used for all texts and queries."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.serve.app import Service
from stcollection.serve.protocol import RefusedRequest, StoredRecipe
from stcollection.vectors.embed import embed
from stcollection.vectors.model import FOLDERS, EncoderOptions, Vectors, forget_loaded, load
from stcollection.vectors.process import ModelProcess
from stcollection.vectors.queries import embed_queries, encoder_of, query_vector
from stcollection.vectors.store import registered
from tests.text.documents import put
from tests.vectors.conftest import save
from tests.vectors.test_models import column

pytestmark = [pytest.mark.usefixtures("dsn"), pytest.mark.slow]

TEXTS: dict[int, tuple[str | None, str | None]] = {
    1: ("Voice assistants listen at home to everything that families say in their kitchens", None),
    2: ("Self-driving cars", None),
}
QUERY = "who listens to what people say in their homes?"
RECIPE = EncoderOptions(query_prefix="ask: ", passage_prefix="tell: ", dimensions=64, pooling="cls", max_tokens=8, precision="fp32")


def oracle(folder: Path, *, pooling: str | None = None, length: int | None = None, dim: int | None = None) -> Any:
    """Return the model as sentence-transformers alone makes it."""
    from sentence_transformers import SentenceTransformer, models

    model = SentenceTransformer(str(folder), local_files_only=True, truncate_dim=dim, device="cpu")
    if pooling is not None:
        model[1] = models.Pooling(384, pooling_mode=pooling)
    if length is not None:
        model.max_seq_length = length
    return model


@pytest.fixture(scope="module")
def prompted(tmp_path_factory: pytest.TempPathFactory, weights: Path) -> Path:
    """Return the folder of a model that states prompts, a length and a dimension to truncate to."""
    from sentence_transformers import SentenceTransformer

    folder = tmp_path_factory.mktemp("models") / "prompted"
    model = SentenceTransformer(str(weights), prompts={"query": "Q: ", "document": "D: "}, truncate_dim=96, device="cpu")
    model.max_seq_length = 12
    model.save(str(folder), create_model_card=False)
    return folder


def test_what_the_model_says_is_the_default(conn: psycopg.Connection, prompted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDERS, str(prompted))
    put(conn, TEXTS)
    embed(conn, model=str(prompted), options=EncoderOptions(precision="fp32"))
    space = registered(conn, "prompted")
    assert (space.dim, space.pooling, space.max_tokens) == (96, "mean", 12)
    assert (space.query_prefix, space.passage_prefix) == ("Q: ", "D: ")
    model = oracle(prompted)
    expected = model.encode_document([TEXTS[1][0]], normalize_embeddings=True)
    np.testing.assert_allclose(column(conn, "dblp_v_prompted", "title")[1], expected[0], atol=1e-6)
    asked = model.encode_query([QUERY], normalize_embeddings=True)
    np.testing.assert_allclose(query_vector(conn, QUERY, model="prompted").to_numpy(), asked[0], atol=1e-6)


def test_options_override_it_for_documents_and_queries(
    conn: psycopg.Connection, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    folder = shutil.copytree(weights, tmp_path / "mine")
    put(conn, TEXTS)
    untouched = load(str(folder), options=EncoderOptions(precision="fp32")).encode([QUERY])
    embed(conn, model=str(folder), options=RECIPE)
    model = oracle(folder, pooling="cls", length=8, dim=64)
    stored = column(conn, "dblp_v_mine", "title")
    for doc, (title, _) in TEXTS.items():
        expected = model.encode_document([title], prompt="tell: ", normalize_embeddings=True)[0]
        np.testing.assert_allclose(stored[doc], expected, atol=1e-6)
        assert np.linalg.norm(stored[doc]) == pytest.approx(1, abs=1e-6)
    asked = model.encode_query([QUERY], prompt="ask: ", normalize_embeddings=True)[0]
    np.testing.assert_allclose(query_vector(conn, QUERY, model="mine").to_numpy(), asked, atol=1e-6)
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('1', %s)", [f"{QUERY} then"])
    assert embed_queries(conn, model="mine") == 1
    again = model.encode_query([f"{QUERY} then"], prompt="ask: ", normalize_embeddings=True)[0]
    [(cached,)] = conn.execute("SELECT embed_query(%s, 'mine')::real[]", [f"{QUERY} then"]).fetchall()
    np.testing.assert_allclose(cached, again, atol=1e-6)
    process = ModelProcess()  # of the page
    try:
        there = process.encoder(registered(conn, "mine")).encode([QUERY], query=True)
    finally:
        process.close()
    np.testing.assert_allclose(there[0], asked, atol=1e-6)
    # The shared weights, length and pooling of the model itself have not changed.
    np.testing.assert_array_equal(load(str(folder), options=EncoderOptions(precision="fp32")).encode([QUERY]), untouched)

    put(conn, {3: ("Later", None)})
    embed(conn, model="mine", options=EncoderOptions(precision="fp32"))  # by its short name
    expected = model.encode_document(["Later"], prompt="tell: ", normalize_embeddings=True)[0]
    np.testing.assert_allclose(column(conn, "dblp_v_mine", "title")[3], expected, atol=1e-6)


CHANGED: list[tuple[dict[str, Any], str]] = [
    ({"dimensions": 32}, "vectors of 32 dimensions do not match those of mine, which have 64"),
    ({"pooling": "mean"}, "the vectors of mine have the pooling cls, not mean"),
    ({"max_tokens": 16}, "texts of mine are read up to 8 tokens, not 16"),
    ({"query_prefix": "query: "}, "queries of mine have the prefix 'ask: ', not 'query: '"),
]


def test_another_recipe_under_the_same_name_is_refused(conn: psycopg.Connection, weights: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(weights, tmp_path / "mine")
    put(conn, TEXTS)
    embed(conn, model=str(folder), options=RECIPE)
    for lacking in (False, True):  # also while an interrupted embedding has texts left
        if lacking:
            put(conn, {3: ("ships", None)})
        for changed, message in CHANGED:
            with pytest.raises(StateError, match=message) as error:
                embed(conn, model=str(folder), options=replace(RECIPE, **changed))
            assert error.value.sqlstate == "IR403"
            assert "--as SHORT" in (error.value.hint or "")
            assert "stc drop vectors" in (error.value.hint or "")
    assert embed(conn, model=str(folder), options=RECIPE).documents == 1
    embed(conn, model=str(folder), short="other", options=replace(RECIPE, dimensions=32))
    assert registered(conn, "other").dim == 32


def test_a_model_in_memory_must_compute_the_same(conn: psycopg.Connection, weights: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(weights, tmp_path / "mine")
    put(conn, TEXTS)
    embed(conn, model=str(folder), options=RECIPE)
    for changed in ({"dimensions": 32}, {"pooling": "mean"}, {"max_tokens": 16}, {"query_prefix": ""}):
        other = load(str(folder), short="mine", options=replace(RECIPE, **changed))
        with pytest.raises(StateError, match="stored vectors of mine") as error:
            query_vector(conn, QUERY, model=other)
        assert error.value.sqlstate == "IR403"
    assert conn.execute("SELECT count(*) FROM query_v").fetchone() == (0,)


def test_the_folder_has_other_weights_or_is_gone(
    conn: psycopg.Connection, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    folder = shutil.copytree(weights, tmp_path / "mine")
    put(conn, TEXTS)
    embed(conn, model=str(folder), options=EncoderOptions(precision="fp32"))
    shutil.rmtree(folder)
    save(weights, folder, dim=384, pooling="mean")
    forget_loaded()
    with pytest.raises(StateError, match=r"has weights 'sha256 .*', stored vectors of mine 'sha256 "):
        query_vector(conn, QUERY, model="mine")
    shutil.rmtree(folder)
    forget_loaded()
    with pytest.raises(UnknownObject, match=f"{folder}") as error:
        query_vector(conn, QUERY, model="mine")
    assert error.value.sqlstate == "IR105"
    monkeypatch.delenv(FOLDERS)
    with pytest.raises(UnknownObject, match="does not allow it"):
        query_vector(conn, QUERY, model="mine")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"dimensions": 500}, "have 384 dimensions; 500 cannot be kept"),
    ({"dimensions": 0}, "dimensions"),
    ({"pooling": "best"}, "there is no pooling 'best'"),
    ({"max_tokens": 1000}, "reads at most 512 tokens"),
]


@pytest.mark.parametrize(("option", "message"), WRONG)
def test_options_that_the_model_cannot_follow(conn: psycopg.Connection, option: dict[str, Any], message: str) -> None:
    put(conn, TEXTS)
    with pytest.raises(BadArgument, match=message):
        embed(conn, short="wrong", options=EncoderOptions(**option))
    assert conn.execute("SELECT count(*) FROM stc.vector_models").fetchone() == (0,)


def test_a_static_model_has_no_length_or_pooling(conn: psycopg.Connection, static: Path) -> None:
    for option in ({"max_tokens": 5}, {"pooling": "cls"}):
        with pytest.raises(BadArgument, match=r"reads texts whole|no layer that pools"):
            load(str(static), options=EncoderOptions(**option))
    assert load(str(static), options=EncoderOptions(dimensions=2)).encode(["voice"]).shape == (1, 2)


def test_vectors_imported_with_fewer_dimensions_are_not_taken_for_truncated(conn: psycopg.Connection, weights: Path) -> None:
    conn.execute("SELECT stc.add_vector_model('theirs', 'all-MiniLM-L6-v2', 64, made_by => 'import')")
    with pytest.raises(StateError, match="dimensions 384, stored vectors of theirs 64"):
        encoder_of(registered(conn, "theirs"))


def test_the_service_embeds_as_stored_or_refuses(conn: psycopg.Connection, weights: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(weights, tmp_path / "mine")
    put(conn, TEXTS)
    short = replace(RECIPE, dimensions=32)
    embed(conn, model=str(folder), options=RECIPE)
    embed(conn, model=str(folder), short="brief", options=short)
    service = Service(tuple, limits=None)  # type: ignore[arg-type]
    spaces = [registered(conn, name) for name in ("mine", "brief")]
    service.encoders = [encoder_of(space, given=str(folder)) for space in spaces]
    for space in spaces:
        recipe = StoredRecipe(**{name: getattr(space, name) for name in StoredRecipe.model_fields})
        assert service.encoder(space.name, recipe).short == space.model
        with pytest.raises(RefusedRequest, match="the served model has the query prefix 'ask: '") as error:
            service.encoder(space.name, recipe.model_copy(update={"query_prefix": "query: "}))
        assert error.value.status == 409


def test_the_command(conn: psycopg.Connection, settings: Settings, weights: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(weights, tmp_path / "mine")
    put(conn, TEXTS)
    options = ["--query-prefix", "ask:", "--dimensions", "64", "--pooling", "cls", "--max-tokens", "8", "--precision", "fp32"]
    done = CliRunner().invoke(stc, ["vectors", "embed", "--model", str(folder), *options], obj=settings, catch_exceptions=False)
    assert done.exit_code == 0
    assert "the prefix 'ask:' does not end with a space" in done.stderr
    listed = CliRunner().invoke(stc, ["show", "models", "--format", "json"], obj=settings, catch_exceptions=False)
    [row] = json.loads(listed.stdout)
    assert (row["dim"], row["pooling"], row["max_tokens"], row["query_prefix"]) == (64, "cls", 8, "ask:")
    stored: Vectors = column(conn, "dblp_v_mine", "title")[2]
    expected = oracle(folder, pooling="cls", length=8, dim=64).encode_document(["Self-driving cars"], normalize_embeddings=True)[0]
    np.testing.assert_allclose(stored, expected, atol=1e-6)
