"""A bundle contains the recipe of the collection, which builds it again from the files of the bundle."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from stcollection.build.build import build
from stcollection.bundle.make import BundleOptions, make_bundle
from stcollection.bundle.open import open_bundle
from stcollection.db.collections import create, drop
from stcollection.db.connection import connect
from stcollection.db.settings import Settings
from stcollection.errors import BadInput, UnknownObject
from tests.build.conftest import names

pytestmark = pytest.mark.slow
_SCORES = "SELECT run, measure, value FROM mean_scores('{}', 'train', '{AP,nDCG@10}') ORDER BY 1, 2"


def test_a_bundle_builds_the_collection(settings: Settings, conn: psycopg.Connection, recipe: Path, tmp_path: Path) -> None:
    build(settings, recipe)
    file = tmp_path / "mine.zip"
    made = make_bundle(conn, file, options=BundleOptions(texts=True, licences=("none",)))
    with zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path / "mine")
    published = tmp_path / "mine" / "collection.toml"
    assert 'path = "documents/texts.jsonl"' in published.read_text()
    assert '"both" = { "nDCG@10" = 1.0, "AP" = 1.0 }' in published.read_text()
    again = Settings(db=f"{settings.db}_again", home=settings.home, dsn=settings.dsn)
    opened = Settings(db=f"{settings.db}_opened", home=settings.home, dsn=settings.dsn)
    try:
        create(again)
        assert len(names(build(again, published), "built")) == 8
        with connect(again) as other:
            assert other.execute(_SCORES).fetchall() == conn.execute(_SCORES).fetchall()
        published.write_text(published.read_text().replace("0.6131", "0.6132"))
        with pytest.raises(BadInput, match=r"1 mean differs from the recipe: mine nDCG@10 is 0\.6131, expected 0\.6132"):
            build(again, published)
        open_bundle(opened, file)
        with connect(opened, autocommit=True) as other:
            assert make_bundle(other, tmp_path / "again.zip", options=BundleOptions(texts=True, licences=("none",))).documents == 3
            assert "[[fuse]]" in (other.execute("SELECT content FROM stc_all.build_recipes").fetchone() or ("",))[0]
    finally:
        for each in (again, opened):
            with suppress(UnknownObject):
                drop(each)
    assert made.documents == 3


def test_without_texts_it_names_the_files_that_it_lacks(
    settings: Settings, conn: psycopg.Connection, recipe: Path, tmp_path: Path
) -> None:
    recipe.write_text(recipe.read_text().replace('split = "train"', 'split = "test"'))
    build(settings, recipe)
    make_bundle(conn, tmp_path / "mine.zip")
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        published = archive.read("collection.toml").decode()
    assert "# papers.jsonl is not in the bundle: SHA-256 " in published
    assert "# [[qrels]] of the edition 'train' is hidden" in published
    assert "d1 1" not in published
    assert "score" not in published.replace("# [[score]]", "")
