"""Custom configurations with thesaurus, synonyms and stop words: files, replacement, search results."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.collections import create
from stcollection.db.connection import connect
from stcollection.db.dictionaries import restore
from stcollection.db.embedded import EmbeddedServer, binaries
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput
from stcollection.text.configure import configure
from stcollection.text.index import index
from stcollection.text.words import SHIPPED, thesaurus
from tests.groups import text as group
from tests.text.documents import ENGINES, build, found, ids, put

pytestmark = pytest.mark.slow

TEXTS = {
    1: ("Machine learning and the privacy of patients", None),
    2: ("Privacy by design", "Learning from a machine is not here."),
    3: ("ML for privacy", "What models tell."),
    4: ("E-mail and e mail", "The e mail of CNNs."),
    5: ("Washing machines", None),
}


@pytest.fixture
def local(settings: Settings) -> Settings:
    if not settings.embedded:
        pytest.skip("another server: its dictionary files are installed by hand")
    return settings


def lexemes(conn: psycopg.Connection, config: str, text: str) -> list[str]:
    return [
        lexeme for (lexeme,) in conn.execute("SELECT unnest(tsvector_to_array(to_tsvector(%s::regconfig, %s)))", [config, text])
    ]


def test_an_abbreviation_finds_what_it_stands_for(conn: psycopg.Connection, local: Settings) -> None:
    put(conn, TEXTS)
    build(conn)
    assert set(ids(found(conn, "boolean_search", "ml privacy"))) == {3}
    assert set(ids(found(conn, "bm25_search", "ml", 10))) == {3}
    configure(conn, local, name="computing", thesaurus="computing")
    for engine in ENGINES:
        index(conn, config="computing", engine=engine)
        assert set(ids(found(conn, "boolean_search", "ml privacy"))) == {1, 2, 3}
        assert set(ids(found(conn, "bm25_search", "ml", 10))) == {1, 2, 3, 5}
    assert set(ids(found(conn, "boolean_search", '"ml"'))) == {1, 3}  # both exist
    assert set(ids(found(conn, "boolean_search", "e mail"))) == {4}
    assert "email" in lexemes(conn, "computing", "e mail")
    index(conn)
    assert set(ids(found(conn, "boolean_search", "ml privacy"))) == {3}


def test_both_engines_agree_under_it(conn: psycopg.Connection, local: Settings) -> None:
    put(conn, TEXTS)
    build(conn)
    configure(conn, local, name="computing", thesaurus="computing")
    index(conn, config="computing")
    for query in ("ml privacy", "the machine learning of ml", "e mail cnns", "title:ml patients", "machines*"):
        fast, portable = (found(conn, "bm25_search", query, 10, None, engine) for engine in ENGINES)
        assert fast
        assert dict(row[:2] for row in fast) == pytest.approx(dict(row[:2] for row in portable), rel=1e-6)


def test_what_is_shipped_has_no_entry_that_cannot_be(conn: psycopg.Connection, local: Settings) -> None:
    entries = thesaurus(SHIPPED["computing"])
    assert len(entries) >= 60
    done = configure(conn, local, name="shipped", thesaurus="computing")
    assert done.entries == len(entries)
    for entry in entries:
        assert set(lexemes(conn, "shipped", " ".join(entry.words))) == set(lexemes(conn, "english", " ".join(entry.by))), entry


def test_synonyms_are_stemmed_as_the_text_is(conn: psycopg.Connection, local: Settings, tmp_path: Path) -> None:
    file = tmp_path / "mine"
    file.write_text("# mine\nautos vehicles  # the plural\n\nMOTORCARS Vehicles\n")
    assert configure(conn, local, name="cars", synonyms=str(file)).entries == 2
    assert lexemes(conn, "cars", "Autos motorcars vehicles bikes") == ["bike", "vehicl"]


def test_stop_words_take_the_place_of_those_of_the_base(conn: psycopg.Connection, local: Settings, tmp_path: Path) -> None:
    file = tmp_path / "mine.stop"
    file.write_text("Paper\nusing\n")
    assert configure(conn, local, name="stops", stop=str(file)).stop == 2
    assert lexemes(conn, "stops", "the paper using papers") == ["paper", "the"]
    both = tmp_path / "both.ths"
    both.write_text("it : information technology\n")
    configure(conn, local, name="both", stop=str(file), thesaurus=str(both))
    assert lexemes(conn, "both", "it using") == ["inform", "technolog"]


@pytest.mark.parametrize(
    ("kind", "content", "named"),
    [
        ("thesaurus", "ml : machine learning\nno colon\n", "line 2: 'no colon'"),
        ("thesaurus", "ml :\n", "line 1"),
        ("thesaurus", "a : b : c\n", "line 1"),
        ("thesaurus", "\n# x\nml : x1\nml : y1\n", "line 4: 'ml' is already in line 3"),
        ("thesaurus", "ml : learning of machines\n", "line 1: 'of' is a stop word"),
        ("thesaurus", "x1 : y1\nit : technology\n", "line 2: 'it' is a stop word"),
        ("synonyms", "one two three\n", "line 1"),
        ("stop", "two words\n", "line 1"),
        ("stop", "# nothing\n", "contains no words"),
    ],
)
def test_a_line_that_cannot_be_is_named(
    conn: psycopg.Connection, local: Settings, tmp_path: Path, kind: str, content: str, named: str
) -> None:
    file = tmp_path / "words"
    file.write_text(content)
    with pytest.raises(BadInput) as error:
        configure(conn, local, name="bad", **{kind: str(file)})  # type: ignore[arg-type]
    assert named in error.value.message
    assert error.value.hint
    assert conn.execute("SELECT count(*) FROM pg_ts_config WHERE cfgname = 'bad'").fetchone() == (0,)


def test_a_file_that_is_not_utf8(conn: psycopg.Connection, local: Settings, tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"ml : x1\ncaf\xe9 : y1\n")
    with pytest.raises(BadInput, match="line 2: not UTF-8"):
        configure(conn, local, name="bad", thesaurus=str(tmp_path / "latin"))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"name": "Bad Name", "stop": "x"}, "Bad Name"),
        ({"name": "x'; DROP TABLE dblp; --", "stop": "x"}, "not a valid configuration name"),
        ({"name": "fine"}, "needs a thesaurus"),
        ({"name": "fine", "thesaurus": "computing", "synonyms": "x"}, "needs a thesaurus"),
        ({"name": "fine", "thesaurus": "nowhere"}, "nowhere"),
        ({"name": "fine", "thesaurus": "computing", "base": "klingon"}, "klingon"),
        ({"name": "english", "thesaurus": "computing", "replace": True}, "not created by stcollection"),
    ],
)
def test_arguments_that_cannot_be(conn: psycopg.Connection, local: Settings, arguments: dict[str, str], named: str) -> None:
    with pytest.raises(BadArgument) as error:
        configure(conn, local, **arguments)  # type: ignore[arg-type]
    assert named in error.value.message
    assert error.value.hint


def test_another_configuration_can_be_the_base_unless_it_has_a_thesaurus(conn: psycopg.Connection, local: Settings) -> None:
    configure(conn, local, name="plain", base="simple", thesaurus="computing")
    assert lexemes(conn, "plain", "ML systems") == ["learning", "machine", "systems"]
    with pytest.raises(BadArgument, match="no stemmer"):
        configure(conn, local, name="other", base="plain", thesaurus="computing")


def test_replaced_it_is_not_taken_from_under_the_index(conn: psycopg.Connection, dsn: str, local: Settings, tmp_path: Path) -> None:
    file = tmp_path / "words"
    file.write_text("ml : machine learning\n")
    put(conn, TEXTS)
    build(conn)
    configure(conn, local, name="mine", thesaurus=str(file))
    index(conn, config="mine")
    before = {engine: found(conn, "bm25_search", "ml", 10, None, engine) for engine in ENGINES}
    with psycopg.connect(dsn, autocommit=True) as other:
        assert lexemes(other, "mine", "ml") == ["learn", "machin"]
        file.write_text("ml : washing\n")
        with pytest.raises(BadArgument, match="already"):
            configure(conn, local, name="mine", thesaurus=str(file))
        assert configure(conn, local, name="mine", thesaurus=str(file), replace=True).kept == "mine_before"
        assert lexemes(other, "mine", "ml") == ["wash"]  # a session that had read the old file
        for engine in ENGINES:
            assert found(other, "bm25_search", "ml", 10, None, engine) == before[engine]
            assert found(conn, "bm25_search", "ml", 10, None, engine) == before[engine]
        assert dict(other.execute("SELECT 'config', config::text FROM stc.text_index").fetchall()) == {"config": "mine_before"}
        assert index(conn, config="mine").built
        assert set(ids(found(other, "bm25_search", "ml", 10))) == {3, 5}
    assert configure(conn, local, name="mine", thesaurus=str(file), replace=True).kept == "mine_before"
    index(conn)
    assert configure(conn, local, name="mine", thesaurus=str(file), replace=True).kept is None
    assert conn.execute("SELECT count(*) FROM pg_ts_config WHERE cfgname LIKE 'mine%%'").fetchone() == (1,)


def test_the_embedded_server_puts_back_a_file_that_is_missing(tmp_path: Path) -> None:
    home = EmbeddedServer(tmp_path / "home")
    settings = Settings(db="postgres", home=home.home, dsn=None)
    try:
        home.ensure()
        (tmp_path / "words").write_text("missing : found\n")
        create(Settings(db="one", home=home.home, dsn=None))
        with connect(Settings(db="one", home=home.home, dsn=None), autocommit=True) as conn:
            configure(conn, settings, name="restored", thesaurus=str(tmp_path / "words"))
        [kept] = (home.home / "tsearch_data").iterdir()
        [installed] = (binaries().parent / "share").rglob(kept.name)
        installed.unlink()
        home.stop()
        home.ensure()
        assert installed.read_text() == kept.read_text()
        assert restore(home.home, binaries()) == []
        with connect(Settings(db="one", home=home.home, dsn=None)) as conn:
            assert lexemes(conn, "restored", "missing") == ["found"]
    finally:
        home.stop()


def test_another_server_is_told_which_file_it_needs_and_where(
    conn: psycopg.Connection, local: Settings, tmp_path: Path, dsn: str
) -> None:
    word = "".join(chr(ord("a") + int(digit, 16)) for digit in uuid4().hex)  # no installation has this file
    (tmp_path / "words").write_text(f"{word} : distant place\n")
    elsewhere = Settings(db=local.db, home=tmp_path / "home", dsn=dsn)
    with pytest.raises(BadArgument, match="cannot read the dictionary file stc_") as error:
        configure(conn, elsewhere, name="away", thesaurus=str(tmp_path / "words"))
    [kept] = (tmp_path / "home" / "tsearch_data").iterdir()
    assert str(kept) in str(error.value.hint)
    assert "pg_config --sharedir" in str(error.value.hint)
    restore(tmp_path / "home", binaries())  # follow the hint
    try:
        assert configure(conn, elsewhere, name="away", thesaurus=str(tmp_path / "words")).entries == 1
    finally:
        [installed] = (binaries().parent / "share").rglob(kept.name)
        installed.unlink()


def test_the_command(conn: psycopg.Connection, local: Settings) -> None:
    put(conn, TEXTS)
    done = CliRunner().invoke(group, ["configure", "computing", "--thesaurus", "computing"], obj=local, catch_exceptions=False)
    assert "created the configuration computing: " in done.output
    assert "stc index --config computing" in done.output
    done = CliRunner().invoke(group, ["index", "--config", "computing"], obj=local, catch_exceptions=False)
    assert "configuration computing" in done.output
    assert set(ids(found(conn, "boolean_search", "ml privacy"))) == {1, 2, 3}
