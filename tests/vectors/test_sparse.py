"""Sparse vectors: imported and embedded, searched beside a numpy oracle, explained, indexed, fused, and kept by a dump."""

from __future__ import annotations

import json
import runpy
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
import pytest
from click.testing import CliRunner
from scipy import sparse

from stcollection.cli import stc
from stcollection.db.backup.dump import dump
from stcollection.db.backup.restore import restore
from stcollection.db.connection import conninfo
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, StcError, UnknownObject
from stcollection.explore.search.choices import options
from stcollection.retrieval.explain import why
from stcollection.retrieval.run import run
from stcollection.retrieval.search import Search, search
from stcollection.vectors import sparse_files
from stcollection.vectors.embed import embed
from stcollection.vectors.export import export
from stcollection.vectors.imported import import_vectors
from stcollection.vectors.incoming import ForeignModel, ImportedVectors
from stcollection.vectors.index import IndexOptions, index
from stcollection.vectors.model import EncoderOptions, load
from stcollection.vectors.sparse import SparseEmbedder, SparseRows
from stcollection.vectors.store import drop, registered
from stcollection.vectors.train import base_of
from tests.text.documents import put

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("dsn")]  # imports commit

WORDS = [f"w{number}" for number in range(60)]
Weights = Mapping[str, float]


def drawn(n: int, seed: int) -> dict[str, dict[str, float]]:
    """Return sparse vectors by name, with frequent and rare words, and some equal vectors."""
    rng = np.random.default_rng(seed)
    rows = {}
    for name in range(1, n + 1):
        some = rng.choice(60, size=rng.integers(1, 12), replace=False, p=1 / np.arange(1, 61) / (1 / np.arange(1, 61)).sum())
        rows[str(name)] = {WORDS[word]: round(float(rng.gamma(2)), 3) + 0.001 for word in some}
    rows[str(n)] = rows["1"]
    return rows


class World:
    """Documents 1 to 80, two queries, and imports into the model splade."""

    def __init__(self, conn: psycopg.Connection, folder: Path) -> None:
        self.conn, self.folder = conn, folder
        self.documents = drawn(80, seed=1)
        self.queries = {f"q{name}": row for name, row in drawn(3, seed=2).items() if name != "3"}

    def load(
        self, rows: Mapping[str, Weights] | Sequence[object], field: Any = "content", model: str = "splade", *, skip: bool = False
    ) -> ImportedVectors:
        path = self.folder / "v.jsonl"
        lines = [{"id": name, "contents": "", "vector": row} for name, row in rows.items()] if isinstance(rows, Mapping) else rows
        path.write_text("\n".join(map(json.dumps, lines)))
        return import_vectors(self.conn, path, field=field, made_by=ForeignModel(model=model), skip=skip)

    def expected(self, query: Weights, k: int = 100, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """Score by numpy; equal scores by name descending."""
        scores = {
            int(name): float(sum(np.float32(query[word]) * np.float32(weight) for word, weight in row.items() if word in query))
            for name, row in self.documents.items()
        }
        kept = [(doc, score) for doc, score in scores.items() if score > 0 and (among is None or doc in among)]
        return sorted(kept, key=lambda pair: (round(-pair[1], 5), [-ord(c) for c in str(pair[0])] + [0]))[:k]

    def searched(self, query: str, k: int = 100, more: str = "") -> list[tuple[int, float]]:
        rows = self.conn.execute(
            f"SELECT doc, score FROM stc.sparse_search(embed_query(%s, 'splade'), %s{more}) ORDER BY rank".encode(), [query, k]
        )
        return list(rows)


@pytest.fixture
def world(conn: psycopg.Connection, tmp_path: Path) -> World:
    put(conn, {doc: (f"title {doc}", f"abstract w{doc % 7}") for doc in range(1, 81)})
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('q1', 'first query'), ('q2', 'second query')")
    conn.execute("UPDATE dblp_facts SET year = 1950 + id")
    made = World(conn, tmp_path)
    made.load(made.documents)
    made.load(made.queries, "query")
    return made


def same(got: Sequence[tuple[int, float]], expected: Sequence[tuple[int, float]]) -> None:
    assert [doc for doc, _ in got] == [doc for doc, _ in expected]
    np.testing.assert_allclose([score for _, score in got], [score for _, score in expected], rtol=1e-6)


@pytest.mark.parametrize("k", [1, 3, 1000])
def test_scores_and_order_are_those_of_numpy(world: World, k: int) -> None:
    for query, text in (("q1", "first query"), ("q2", "second query")):
        same(world.searched(text, k), world.expected(world.queries[query], k))


def test_a_filter_returns_k_documents_of_those_that_match(world: World) -> None:
    some = world.searched("first query", 5, """, filter => '{"year": [1960, 1990]}'""")
    same(some, world.expected(world.queries["q1"], 5, among=range(10, 41)))
    index(world.conn, "splade")
    assert world.searched("first query", 5, """, filter => '{"year": [1960, 1990]}'""") == some


def test_an_index_finds_them_too_and_can_be_audited(world: World) -> None:
    [built] = index(world.conn, "splade")
    assert (built.kind, built.rows) == ("impact", 80)
    same(world.searched("first query", 5), world.expected(world.queries["q1"], 5))
    same(world.searched("first query", 5, ", effort => 0"), world.expected(world.queries["q1"], 5))
    audited = world.conn.execute("SELECT recall FROM audit_vectors('content', 'splade', queries => 2)").fetchall()
    assert audited[-1][0] == 1
    with pytest.raises(StcError, match="cannot be ivfflat"):
        index(world.conn, "splade", options=IndexOptions(kind="ivfflat"))


def test_impacts_as_text(conn: psycopg.Connection) -> None:
    # 11 f / (10 + f) is 2 for f = 2.2, and 8, the highest, for f = 26.7; a weight of .1 is too low for one word.
    shown = conn.execute("SELECT stc.impact_text('{1:2,3:0.1,12:9}/40', 1), stc.impact_text('{}/40', 1)").fetchone()
    assert shown == ("b b " + "bc " * 27, "")
    asked = conn.execute("SELECT stc.impact_query('[0,2,6,1,11,0]', 8), stc.impact_query('[0,2,6,1]', 1)").fetchone()
    assert asked == ("b " * 16 + "h " * 8, "b " * 16)
    # Divided by the frequencies: 2 / 4 and 1 / 1; a term beyond the array is divided by 10.
    asked = conn.execute("SELECT stc.impact_query('[0,2,6,1,11,9]', 8, '{4,1,1,1,1,1,1}')").fetchone()
    assert asked == ("h " * 16 + "bc " * 14 + "b " * 8,)


def test_statistics_of_a_sample(world: World) -> None:
    [(scale, idf)] = world.conn.execute("SELECT * FROM stc.impact_statistics('dblp_v_splade', 'content')").fetchall()
    highest = [max(row.values()) for row in world.documents.values()]
    assert scale == pytest.approx(2.8 / np.mean(highest), rel=1e-5)
    terms: dict[str, int] = dict(world.conn.execute("SELECT word, term FROM stc.vector_terms WHERE model = 'splade'").fetchall())
    for word, term in terms.items():
        df = sum(scale * row.get(word, 0) >= 0.524 for row in world.documents.values())
        assert idf[term] == pytest.approx(np.log(1 + (80 - df + 0.5) / (df + 0.5)), rel=1e-5)


def test_an_index_of_impacts_selects_candidates_until_vectors_are_added(world: World) -> None:
    index(world.conn, "splade")

    def selected() -> list[tuple[bool, list[int] | None]]:
        return world.conn.execute(
            "SELECT n.complete, n.docs FROM stc.vector_indexes i, embed_query('first query', 'splade') q,"
            " stc.impact_nearest(q, stc.sparse_vector(q, 1048576), 5, i, 'dblp_v_splade', 20, NULL, NULL, NULL) n"
            " WHERE i.model = 'splade'"
        ).fetchall()

    assert selected() == [(True, [doc for doc, _ in world.expected(world.queries["q1"], 5)])]
    some = world.searched("first query", 5, """, filter => '{"year": [1955, 2000]}'""")
    same(some, world.expected(world.queries["q1"], 5, among=range(5, 51)))
    heavy = dict.fromkeys(world.queries["q1"], 9.0)
    world.load({"7": heavy})
    world.documents["7"] = heavy
    assert selected() == [(False, None)]
    assert world.searched("first query", 1)[0][0] == 7
    same(world.searched("first query", 5), world.expected(world.queries["q1"], 5))
    index(world.conn, "splade", rebuild=True)
    assert (selected()[0][1] or [0])[0] == 7
    with pytest.raises(StcError, match="the vectors of minilm are dense"):
        index(world.conn, "minilm", fields=("title",), options=IndexOptions(kind="impact"))


def test_searches_do_not_wait_for_a_build_which_leaves_nothing_when_it_is_interrupted(world: World, dsn: str) -> None:
    expected = world.expected(world.queries["q1"], 5)
    world.conn.execute("CREATE EXTENSION IF NOT EXISTS pg_textsearch")
    with psycopg.connect(dsn, autocommit=True) as reader:
        reader.execute("SET lock_timeout = '2s'")
        there = World(reader, world.folder)
        with world.conn.transaction(force_rollback=True):
            world.conn.execute("SELECT stc.build_impacts('dblp_v_splade', 'content')")
            same(there.searched("first query", 5, ", effort => 20"), expected)
        assert reader.execute("SELECT FROM pg_class WHERE relname ~ 'impact'").fetchall() == []
        assert reader.execute("SELECT FROM pg_trigger WHERE tgname ~ 'impact'").fetchall() == []
        index(world.conn, "splade")
        with ThreadPoolExecutor(1) as threads:
            rebuilt = threads.submit(index, world.conn, "splade", rebuild=True)
            while not rebuilt.done():
                same(there.searched("first query", 5, ", effort => 20"), expected)
            assert rebuilt.result()[0].built


def test_texts_of_the_index_follow_the_vectors(world: World) -> None:
    index(world.conn, "splade")
    texts = "SELECT id, content FROM stc.dblp_v_splade_content_impacts ORDER BY id"
    before: dict[int, str] = dict(world.conn.execute(texts).fetchall())
    world.load({"7": {"w3": 9.0}, "8": world.documents["8"]})
    world.conn.execute("DELETE FROM dblp WHERE id = 9")
    world.conn.execute("UPDATE dblp_v_splade SET content_v = NULL WHERE id = 10")
    after: dict[int, str] = dict(world.conn.execute(texts).fetchall())
    assert len(set(after.pop(7).split())) == 1
    assert after == {doc: text for doc, text in before.items() if doc not in (7, 9, 10)}
    drop(world.conn, "splade")
    assert world.conn.execute("SELECT to_regclass('stc.dblp_v_splade_content_impacts')").fetchone() == (None,)


def test_an_index_of_an_earlier_revision_is_set_aside(world: World) -> None:
    index(world.conn, "splade")
    world.conn.execute(
        "ALTER TABLE dblp_v_splade ADD content_i text GENERATED ALWAYS AS (stc.impact_text(content_v, 1)) STORED;"
        "DROP TABLE stc.dblp_v_splade_content_impacts; DROP TRIGGER keep_impacts_content ON dblp_v_splade;"
        "CREATE INDEX dblp_v_splade_content_impact ON dblp_v_splade USING bm25 (content_i)"
        " WITH (text_config = 'pg_catalog.simple', k1 = 10, b = 0)"
    )
    revision = Path(__file__).parents[2] / "migrations" / "versions" / "0057_impact_tables.py"
    world.conn.execute(runpy.run_path(str(revision))["SET_ASIDE"])
    same(world.searched("first query", 5), world.expected(world.queries["q1"], 5))
    [(advice,)] = world.conn.execute("SELECT advice FROM stc.vector_status() WHERE model = 'splade'").fetchall()
    assert advice.startswith("the index is missing or not valid, searches are exact")
    [rebuilt] = index(world.conn, "splade")
    assert rebuilt.built
    columns = world.conn.execute("SELECT * FROM dblp_v_splade LIMIT 0").description or []
    assert [column.name for column in columns] == ["id", "title_v", "abstract_v", "content_v"]


def test_more_terms_than_a_graph_can_index_are_searched_exactly(world: World) -> None:
    world.load({"5": {f"w{number}": 1.0 for number in range(1200)}})
    with pytest.raises(StcError, match="1,200 terms; hnsw indexes at most 1,000"):
        index(world.conn, "splade", options=IndexOptions(kind="hnsw"))
    world.documents["5"] = dict.fromkeys(WORDS, 1.0)
    same(world.searched("first query"), world.expected(world.queries["q1"]))
    [built] = index(world.conn, "splade")
    assert (built.kind, built.rows) == ("impact", 80)
    same(world.searched("first query", 5), world.expected(world.queries["q1"], 5))


def test_changed_and_removed_documents(world: World) -> None:
    best, second = (doc for doc, _ in world.expected(world.queries["q1"], 2))
    world.conn.execute("DELETE FROM dblp WHERE id = %s", [best])
    world.conn.execute("UPDATE dblp_text SET title = 'changed' WHERE id = %s", [second])
    left = [doc for doc in range(1, 81) if doc not in (best, second)]
    same(world.searched("first query"), world.expected(world.queries["q1"], among=left))
    assert world.conn.execute("SELECT stc.count_unembedded('splade', '{content}')").fetchone() == (1,)


def test_a_run_a_search_and_a_ranker_of_hybrid(world: World) -> None:
    assert run(world.conn, system="sparse", name="mine").queries == 2
    stored = world.conn.execute(
        "SELECT doc, rel_score FROM st1_rankings WHERE run = 'mine' AND query = 'q1' ORDER BY rank"
    ).fetchall()
    same(stored, world.expected(world.queries["q1"]))
    [(params,)] = world.conn.execute("SELECT params FROM st1_runs WHERE run = 'mine'").fetchall()
    assert params["model"] == "splade", params
    assert options(world.conn).systems["sparse"].problem is None
    shown = search(world.conn, "first query", "sparse", k=2)
    same([(row.doc, row.score) for row in shown], world.expected(world.queries["q1"], 2))
    world.conn.execute("CALL stc.index_text(engine => 'portable')")
    fused = world.conn.execute(
        "SELECT doc, score FROM hybrid_search('first query', 3, rankers => '{bm25,sparse}', norm => 'none')"
    ).fetchall()
    same(fused, world.expected(world.queries["q1"], 3))
    named = (
        "SELECT doc, score FROM hybrid_search('first query', 3, rankers => '{sparse:splade}', norm => 'none', model => 'minilm')"
    )
    assert world.conn.execute(named.encode()).fetchall() == fused


def test_an_explanation_adds_up_to_the_score_and_says_what_the_model_added(world: World) -> None:
    world.conn.execute("UPDATE dblp_text SET title = %s WHERE id = 1", [f"{next(iter(world.documents['1']))} unknownword"])
    query = dict(world.documents["1"]) | {"##word": 0.5, "absent": 0.5}
    world.load({"1": dict(world.documents["1"]) | {"##word": 0.5}})
    world.load({"q1": query}, "query")
    [vector] = world.conn.execute("SELECT embed_query('first query', 'splade')").fetchone() or [None]
    asked = Search(text=next(iter(query)), system="sparse", k=3, filter=None, model="splade")
    terms = why(world.conn, asked, 1, vector).terms
    assert {term.term for term in terms} == {*world.documents["1"], "##word"}
    [(score,)] = world.conn.execute("SELECT score FROM stc.sparse_search(%s::vector, 1)", [vector]).fetchall()
    assert sum(term.added for term in terms) == pytest.approx(score, rel=1e-6)
    sides = {term.term: (term.in_query, term.in_document) for term in terms}
    assert sides.pop(next(iter(query))) == (True, True)
    assert sides.pop("##word") == (False, True)
    assert {side for side, _ in sides.values()} == {False}


def test_a_matrix_of_numbers(world: World) -> None:
    rng = np.random.default_rng(3)
    dense = np.where(rng.random((80, 40)) < 0.2, rng.random((80, 40)), 0).astype(np.float32)
    dense[:, 0] = 1
    sparse.save_npz(world.folder / "m.npz", sparse.csr_matrix(dense))
    np.save(world.folder / "ids.npy", np.arange(1, 81))
    into = ForeignModel(model="matrix")
    done = import_vectors(world.conn, world.folder / "m.npz", world.folder / "ids.npy", field="content", made_by=into)
    assert (done.model, done.stored) == ("matrix", 80)
    pairs = "stc.sparse_pairs('{1:1,5:2}/40')"
    found = world.conn.execute(f"SELECT doc, score FROM stc.sparse_search({pairs}, 100, 'matrix') ORDER BY doc".encode()).fetchall()
    np.testing.assert_allclose([score for _, score in found], dense[:, 0] + 2 * dense[:, 4], rtol=1e-6)
    sparse.save_npz(world.folder / "m.npz", sparse.csr_matrix(dense[:, :30]))
    with pytest.raises(StateError, match="30 dimensions do not match those of matrix, which have 40"):
        import_vectors(world.conn, world.folder / "m.npz", world.folder / "ids.npy", field="title", made_by=into)
    (world.folder / "m.npz").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(BadInput, match="is not a sparse matrix"):
        import_vectors(world.conn, world.folder / "m.npz", world.folder / "ids.npy", field="title", made_by=into)


def test_vectors_are_exported_without_loss(world: World) -> None:
    stored = "SELECT id, content_v::text FROM dblp_v_splade ORDER BY id"
    before, out, ids = world.conn.execute(stored).fetchall(), world.folder / "v.npz", world.folder / "ids.npy"
    lines = world.folder / "out.jsonl"
    assert export(world.conn, out=lines, field="content", model="splade").vectors == 80
    third = json.loads(lines.read_text().splitlines()[2])
    assert (third["id"], third["contents"], third["vector"]) == ("3", "", pytest.approx(world.documents["3"]))
    export(world.conn, out=out, ids=ids, field="content", model="splade")
    dense = sparse.load_npz(out).toarray()
    assert (dense.shape, np.load(ids).tolist()) == ((80, 2**20), list(range(1, 81)))
    world.conn.execute("UPDATE dblp_v_splade SET content_v = NULL")
    import_vectors(world.conn, lines, field="content", made_by=ForeignModel(model="splade"))
    assert world.conn.execute(stored).fetchall() == before
    import_vectors(world.conn, out, ids, field="title", made_by=ForeignModel(model="splade"))
    assert world.conn.execute(stored.replace("content", "title")).fetchall() == before
    import_vectors(world.conn, out, ids, field="content", made_by=ForeignModel(model="numbers"))
    with pytest.raises(StateError, match="the vocabulary of numbers is not stored"):
        export(world.conn, out=lines, field="content", model="numbers")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"1": {"w1": -0.5}}, "row 0 .document 1. has a weight below 0: -0.5"),
        ({"1": {"w1": 1e39}}, "not finite"),
        ({"1": {}}, "row 0 .document 1. has no term"),
        ({"1": {"w1": 0.0}}, "has no term"),
        ({"1": {f"t{number}": 1.0 for number in range(30_000)}}, "30,000 terms; at most 16,000 fit"),
        ([{"id": "1", "vector": {"w1": 1}}, {"id": "1", "vector": {"w2": 1}}], "document 1 occurs twice"),
        ([{"id": "1", "vector": {"w1": "heavy"}}], "the weight 'heavy' is not a number"),
        ([{"id": "1", "vector": [1, 2]}], "no id, or no vector of words and weights"),
        ([{"docid": "1"}], "no id"),
    ],
)
def test_bad_vectors_are_refused_and_nothing_is_stored(world: World, rows: object, message: str) -> None:
    before = world.conn.execute("SELECT md5(string_agg(t::text, '' ORDER BY t.id)) FROM dblp_v_splade t").fetchone()
    with pytest.raises(BadInput, match=message):
        world.load(rows)  # type: ignore[arg-type]
    assert world.conn.execute("SELECT md5(string_agg(t::text, '' ORDER BY t.id)) FROM dblp_v_splade t").fetchone() == before
    assert world.conn.execute("SELECT count(*) FROM stc.vector_terms WHERE word LIKE 't%'").fetchone() == (0,)


def test_unknown_documents_and_another_vocabulary(world: World) -> None:
    with pytest.raises(UnknownObject, match="document 999 of row 0 is not in the corpus"):
        world.load({"999": {"w1": 1.0}})
    done = world.load({"999": {"w1": 1.0}, "2": {}, "3": {"w1": 2.0}}, skip=True)
    assert (done.stored, done.unknown, done.empty) == (1, 1, 1)
    with pytest.raises(BadInput, match="2 of 3 words are not in the vocabulary of splade, such as 'fluss'"):
        world.load({"q1": {"w1": 1.0, "fluss": 1.0, "haus": 2.0}}, "query")
    with pytest.raises(UnknownObject, match="there are no vectors of a model other"):
        world.load(world.queries, "query", "other")
    with pytest.raises(StcError, match="minilm"):
        world.load(world.documents, model="minilm")


def test_dense_searches_refuse_a_sparse_model_and_sparse_ones_a_dense_model(world: World) -> None:
    with pytest.raises(psycopg.Error, match="splade is a sparse model"):
        world.conn.execute("SELECT * FROM dense_search(embed_query('first query', 'splade'), 3, 'content', 'splade')")
    with pytest.raises(psycopg.Error, match="minilm is a dense model"):
        world.conn.execute("SELECT * FROM stc.sparse_search('[1,1]', 3, 'minilm')")
    for wrong in ("[1,2,3]", "[1,-2]", "[1.5,1]", "[1,1,1,1]", "[2000000,1]"):
        with pytest.raises(psycopg.Error, match="not the vector of a query by a sparse model"):
            world.conn.execute("SELECT * FROM stc.sparse_search(%s::vector, 3)", [wrong])
    assert world.conn.execute("SELECT * FROM stc.sparse_search('[0,0]', 3)").fetchall() == []
    with pytest.raises(StcError, match="splade is a sparse model"):
        base_of(world.conn, model="splade")
    with pytest.raises(BadArgument, match=r"cannot write sparse vectors to .*v[.]npy and .*i[.]npy"):
        export(world.conn, out=world.folder / "v.npy", ids=world.folder / "i.npy", field="content", model="splade")
    drop(world.conn, "splade")
    with pytest.raises(psycopg.Error, match="there are no sparse vectors"):
        world.conn.execute("SELECT * FROM stc.sparse_search('[1,1]', 3)")


def test_a_vocabulary_grows_by_files_of_documents(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.load({"7": {"new": 2.0, "w1": 1.0}})
    [(term,)] = world.conn.execute("SELECT term FROM stc.vector_terms WHERE word = 'new'").fetchall()
    pairs = f"SELECT doc, score FROM stc.sparse_search('[{term},1.5]', 5)"
    assert world.conn.execute(pairs.encode()).fetchall() == [(7, 3.0)]
    monkeypatch.setattr(sparse_files, "_ROOM", 2**20)
    assert registered(world.conn, "splade").dim == 2**20


def test_a_dump_keeps_them(world: World, settings: Settings, tmp_path: Path) -> None:
    index(world.conn, "splade")
    before = world.searched("second query")
    made = dump(settings, tmp_path / "dump")
    there = replace(settings, db=f"{settings.db}_restored")
    restore(there, made.folder)
    with psycopg.connect(conninfo(there), autocommit=True) as conn:
        copy = World(conn, tmp_path)
        assert copy.searched("second query", more=", effort => 0") == before
        assert conn.execute("SELECT kind FROM stc.vector_indexes WHERE model = 'splade'").fetchall() == [("impact",)]
    world.conn.execute(f"DROP DATABASE {there.db} WITH (FORCE)".encode())


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a masked language model with random weights and a vocabulary of a few words."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    folder = tmp_path_factory.mktemp("models") / "tiny-splade"
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "voice", "river", "home", "computer", "##s"]
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(4)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=len(words), max_position_embeddings=32, initializer_range=1.0, **sizes)
    BertForMaskedLM(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=32).save_pretrained(folder)
    return folder


def dense_rows(rows: SparseRows) -> npt.NDArray[np.float32]:
    dense: npt.NDArray[np.float32] = sparse.csr_matrix((rows.weights, rows.terms, rows.starts), (len(rows), rows.dim)).toarray()
    return dense


def test_a_model_embeds_documents_and_queries(
    conn: psycopg.Connection, masked: Path, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(conn, {1: ("voice river", "home"), 2: ("computers", None), 3: (None, "river river")})
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('1', 'voice home')")
    monkeypatch.setenv("STC_DSN", dsn)
    done = CliRunner().invoke(stc, ["vectors", "embed", "--model", str(masked), "--as", "tiny", "--precision", "fp32"])
    assert done.exit_code == 0, done.output
    assert "embedded 3 documents (3 titles with abstracts) with tiny" in done.output
    assert "embedded 1 query" in done.output
    space = registered(conn, "tiny")
    assert (space.storage, space.dim, space.max_tokens, space.pooling) == ("sparsevec", 10, 32, "max")
    words = [word for (word,) in conn.execute("SELECT word FROM stc.vector_terms WHERE model = 'tiny' ORDER BY term")]
    assert words[5:] == ["voice", "river", "home", "computer", "##s"]
    encoder: Any = load(str(masked), short="tiny", options=EncoderOptions(precision="fp32"))
    assert isinstance(encoder, SparseEmbedder)
    rows = encoder.encode(["voice river. home", "computers", "river river"])
    weights = dense_rows(rows)
    [pairs] = encoder.encode(["voice home"], query=True)
    query = np.zeros(10)
    query[pairs[::2].astype(int)] = pairs[1::2]
    expected = {doc: score for doc, score in enumerate(weights @ query, 1) if score > 0}
    found: dict[int, float] = dict(
        conn.execute("SELECT doc, score FROM stc.sparse_search(embed_query('voice home', 'tiny'), 9)").fetchall()
    )
    assert found == pytest.approx(expected, rel=1e-4)
    assert embed(conn, "tiny").documents == 0


@pytest.mark.parametrize("activation", ["relu", "log1p_relu"])
def test_documents_have_the_weights_of_sentence_transformers(masked: Path, activation: str) -> None:
    from sentence_transformers import SparseEncoder

    peer = SparseEncoder(str(masked), device="cpu")
    peer[1].activation_function = activation
    texts = ["voice river. home", "computers", "", "river voice home computer home"]
    expected = peer.encode_document(texts, convert_to_sparse_tensor=False, show_progress_bar=False).numpy()
    whole = SparseEmbedder(peer, name="tiny", short="tiny", revision=None, options=EncoderOptions(precision="fp32"))
    assert whole.made_by == "torch fp32"
    assert np.array_equal(dense_rows(whole.encode(texts)), expected)
    half = SparseEmbedder(peer, name="tiny", short="tiny", revision=None, options=EncoderOptions(precision="bf16"))
    assert half.made_by == "torch bf16"
    assert dense_rows(half.encode(texts)) == pytest.approx(expected, abs=0.1)
    for one, other in zip(whole.encode(texts, query=True), half.encode(texts, query=True), strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(peer.encode_document(texts, convert_to_sparse_tensor=False, show_progress_bar=False).numpy(), expected)


def test_an_interrupted_embedding_resumes(conn: psycopg.Connection, masked: Path) -> None:
    put(conn, {doc: ("voice", f"river {doc}") for doc in range(1, 41)})
    encoder = load(str(masked), short="tiny")

    class Interrupted:
        def __getattr__(self, name: str) -> object:
            return getattr(encoder, name)

        calls = 0

        def encode(self, texts: Sequence[str], *, query: bool = False) -> object:
            self.calls += 1
            if self.calls == 3:
                raise KeyboardInterrupt
            return encoder.encode(texts, query=query)

    with pytest.raises(KeyboardInterrupt):
        embed(conn, Interrupted(), rows=10)  # type: ignore[arg-type]
    assert conn.execute("SELECT count(*) FROM dblp_v_tiny").fetchone() == (20,)
    assert embed(conn, encoder, rows=10).documents == 20


def test_a_model_without_a_mask_head_is_refused(masked: Path, tmp_path: Path) -> None:
    from sentence_transformers import SparseEncoder

    SparseEncoder(str(masked), device="cpu").save(str(tmp_path / "saved"))
    assert isinstance(load(str(tmp_path / "saved")), SparseEmbedder)
    headless = (tmp_path / "saved").rename(tmp_path / "headless")
    config = json.loads((headless / "config.json").read_text())
    (headless / "config.json").write_text(json.dumps(config | {"architectures": ["BertModel"]}))
    with pytest.raises(StcError, match="has no masked-language-model head"):
        load(str(headless))


def test_rows_can_be_sliced_and_chosen() -> None:
    rows = SparseRows(
        dim=5,
        starts=np.array([0, 2, 2, 5]),
        terms=np.array([1, 3, 0, 2, 4], dtype=np.int32),
        weights=np.array([1, 2, 3, np.nan, 5], dtype=np.float32),
    )
    assert rows[2:].terms.tolist() == [0, 2, 4]
    assert rows[np.array([2, 0])].terms.tolist() == [0, 2, 4, 1, 3]
    assert rows.finite().tolist() == [True, True, False]
    assert [pair.tolist() for pair in rows[:2].pairs()] == [[1, 1, 3, 2], [0, 0]]
