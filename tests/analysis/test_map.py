"""The map of the documents: sample, layout, names of clusters, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import psycopg
import pytest

from stcollection.analysis.map.export import export_map
from stcollection.analysis.map.layout import group_documents, place_documents, reduce_vectors
from stcollection.analysis.map.naming import name_clusters
from stcollection.analysis.map.records import MapOptions
from stcollection.analysis.map.sample import document_texts, sample
from stcollection.analysis.map.store import STEPS, document_map
from stcollection.errors import BadArgument, StateError, UnknownObject
from stcollection.vectors.queries import notation
from tests.text.documents import put

pytestmark = pytest.mark.slow

THEMES = ("voice assistants at home", "autonomous vehicles on roads", "robots that teach pupils")
N = 60


@pytest.fixture
def themes(conn: psycopg.Connection) -> None:
    """Sixty documents of three themes; their vectors are near to their theme's. Every fifth has no abstract."""
    put(conn, {n: (f"{THEMES[n % 3]} {n}", None if n % 5 == 0 else f"On {THEMES[n % 3]}.") for n in range(1, N + 1)})
    conn.execute("SELECT stc.add_vector_model('minilm', 'sentence-transformers/all-MiniLM-L6-v2', 384, 256)")
    noise = np.random.default_rng(1)
    for n in range(1, N + 1):
        vector = noise.normal(scale=0.01, size=384).astype(np.float32)
        vector[n % 3] += 1
        field = "title_v" if n % 5 == 0 else "abstract_v"
        conn.execute(f"INSERT INTO dblp_v (id, {field}) VALUES (%s, l2_normalize(%s::vector))", [n, notation(vector)])


@pytest.mark.usefixtures("themes")
def test_a_map_groups_similar_documents_under_their_words(conn: psycopg.Connection) -> None:
    steps: list[str] = []
    found = document_map(conn, options=MapOptions(clusters=3), tell=steps.append)
    assert tuple(steps) == STEPS
    assert (found.total, found.docs.tolist()) == (N, list(range(1, N + 1)))
    for one in range(3):
        themes = {THEMES[doc % 3] for doc in found.docs[found.clusters == one]}
        [theme] = themes
        assert set(found.names[one].split(", ")) <= set(theme.split())
    centres = np.array([found.places[found.clusters == one].mean(axis=0) for one in range(3)])
    own = np.linalg.norm(found.places - centres[found.clusters], axis=1)
    other = np.linalg.norm(found.places[:, None] - centres[None], axis=2)
    assert (other.argmin(axis=1) == found.clusters).all()
    assert own.max() < other.max()


@pytest.mark.usefixtures("themes")
def test_the_same_seed_gives_the_same_map(conn: psycopg.Connection) -> None:
    first, again = (document_map(conn) for _ in range(2))
    assert np.array_equal(first.places, again.places)
    assert (first.clusters.tolist(), first.names) == (again.clusters.tolist(), again.names)
    sizes = np.bincount(first.clusters).tolist()
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.usefixtures("themes")
def test_a_larger_collection_is_sampled(conn: psycopg.Connection) -> None:
    some = {seed: sample(conn, MapOptions(documents=10, seed=seed)) for seed in (1, 2)}
    assert [(len(one.docs), one.total, one.vectors.shape) for one in some.values()] == [(10, N, (10, 384))] * 2
    assert some[1].docs.tolist() == sorted(some[1].docs.tolist()) != some[2].docs.tolist()
    assert sample(conn, MapOptions(documents=10)).docs.tolist() == some[1].docs.tolist()
    stored: dict[int, str] = dict(conn.execute("SELECT id, coalesce(abstract_v, title_v)::text FROM dblp_v").fetchall())
    for doc, vector in zip(some[1].docs.tolist(), some[1].vectors, strict=True):
        assert np.array_equal(np.array(stored[doc].strip("[]").split(","), dtype=np.float32), vector)


@pytest.mark.usefixtures("themes")
def test_a_stored_map_is_used_until_a_vector_changes(conn: psycopg.Connection, tmp_path: Path) -> None:
    def steps() -> int:
        told: list[str] = []
        document_map(conn, folder=tmp_path, tell=told.append)
        return len(told)

    assert [steps(), steps()] == [len(STEPS), 0]
    [file] = tmp_path.iterdir()
    file.write_bytes(b"not a map")
    assert [steps(), steps()] == [len(STEPS), 0]
    conn.execute("UPDATE dblp_v SET abstract_v = (SELECT abstract_v FROM dblp_v WHERE id = 2) WHERE id = 1")
    assert [steps(), steps()] == [len(STEPS), 0]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.usefixtures("themes")
def test_a_folder_that_cannot_be_written_is_ignored(conn: psycopg.Connection, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert len(document_map(conn, folder=tmp_path / "file" / "maps").docs) == N


@pytest.mark.usefixtures("themes")
def test_places_are_written_as_csv(conn: psycopg.Connection, tmp_path: Path) -> None:
    found = document_map(conn)
    export_map(conn, found, out=tmp_path / "map.csv")
    head, *rows = (tmp_path / "map.csv").read_text().splitlines()
    assert head == "docno,x,y,cluster"
    assert len(rows) == N
    docno, x, y, cluster = rows[4].split(",")
    assert (docno, int(cluster)) == ("5", found.clusters[4] + 1)
    assert (float(x), float(y)) == pytest.approx(found.places[4].tolist(), abs=1e-4)


def test_texts_keep_the_order(conn: psycopg.Connection) -> None:
    put(conn, {1: ("One", "first"), 2: (None, None)})
    assert document_texts(conn, [2, 9, 1]) == ["", "", "One\nfirst"]


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_few_documents(n: int) -> None:
    reduced = reduce_vectors(np.eye(n, 8, dtype=np.float32), seed=1)
    assert place_documents(reduced, seed=1).shape == (n, 2)
    assert sorted(np.bincount(group_documents(reduced, clusters=8, seed=1)).tolist()) == [1] * n


def test_equal_vectors() -> None:
    reduced = reduce_vectors(np.ones((20, 4), dtype=np.float32), seed=1)
    assert np.allclose(place_documents(reduced, seed=1), 0)
    assert group_documents(reduced, clusters=8, seed=1).tolist() == [0] * 20


def test_names_are_distinct_words() -> None:
    some = ["The robot and the robots teach", "Robots teach a method", "Roads for cars", "Cars on <b>roads</b> 2020"]
    assert name_clusters(some, np.array([0, 0, 1, 1]), words=2) == ("robots, teach", "cars, roads")
    assert name_clusters(["", "the of"], np.array([0, 1])) == ("cluster 1", "cluster 2")
    assert name_clusters(["zebra", ""], np.array([0, 1])) == ("zebra", "cluster 2")


@pytest.mark.parametrize("wrong", [{"documents": 1}, {"documents": 20_001}, {"clusters": 0}, {"clusters": 9}, {"seed": -1}])
def test_options_out_of_range(wrong: dict[str, int]) -> None:
    with pytest.raises(BadArgument, match=f"{next(iter(wrong))} is"):
        MapOptions(**wrong)  # type: ignore[arg-type]


def test_no_vectors(conn: psycopg.Connection) -> None:
    with pytest.raises(StateError, match="no document has a vector"):
        document_map(conn)
    with pytest.raises(UnknownObject, match="nowhere"):
        document_map(conn, options=MapOptions(model="nowhere"))
