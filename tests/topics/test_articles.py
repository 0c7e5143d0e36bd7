"""Loading and showing the press articles of topics: text, HTML, JSON lines, the track's files, and invalid ones."""

from __future__ import annotations

import datetime
import gzip
import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StcError, UnknownObject
from stcollection.io.topics.articles import read_articles
from stcollection.io.topics.webpage import read_page
from stcollection.topics.articles import load_articles, topic_article
from stcollection.topics.load import load
from tests.groups import topics

PAGE = """<!DOCTYPE html>
<html><head><title>Smart speakers | The Gazette</title>
<meta property="og:title" content="Smart speakers &amp; families">
<meta property="og:site_name" content="The Gazette"><meta property="og:url" content="https://example.org/a">
<meta property="article:published_time" content="2020-10-18T08:00:00+02:00">
<style>p { color: red }</style><script>var text = "<p>no</p>";</script></head>
<body><nav><a href="/">Home</a></nav>
<header>The Gazette</header>
<article><h1>Smart speakers &amp; families</h1><p>Children talk to <b>speak</b>ers&nbsp;at home.
<p>Parents&#8217; worries<br>grow.<aside>Sign up!</aside>
<ul><li>privacy<li>cost</ul><figure><img src="a.png"><figcaption>A speaker</figcaption></figure></article>
<footer>© The Gazette</footer></body></html>
"""
TEXT = "Children talk to speakers at home.\n\nParents’ worries\n\ngrow.\n\nprivacy\n\ncost"


@pytest.fixture
def two(conn: psycopg.Connection) -> None:
    conn.execute(
        "INSERT INTO st1_topics (topic, text) VALUES ('G01', 'Assistants'), ('G02', 'Speakers'), ('G03', NULL);"
        "INSERT INTO stc.st1_queries (query, topic, text) VALUES ('G01.2', 1, 'voice'), ('G01.1', 1, 'home'), ('G01.3', 1, NULL)"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two articles, a picture, a hidden file and a folder."""
    at = tmp_path / "articles"
    (at / "more.txt").mkdir(parents=True)
    (at / "G01.txt").write_text("\ufeffAssistants at home.\r\n\r\nThey listen – always.\r\n", encoding="utf-8")
    (at / "G02.html").write_text(PAGE, encoding="utf-8")
    (at / "logo.png").write_bytes(b"\x89PNG\r\n")
    (at / ".G03.txt.swp").write_text("x")
    return at


@pytest.mark.usefixtures("two")
def test_queries_by_source(conn: psycopg.Connection, settings: Settings) -> None:
    conn.execute("UPDATE st1_topics SET source = 'The Guardian' WHERE topic = 'G01'")
    conn.execute(
        "INSERT INTO stc.st1_queries (query, topic, text) VALUES ('G01.C1', 1, 'how do assistants listen'), ('G02.1', 2, 'ears')"
    )
    done = CliRunner().invoke(topics, ["list", "--by-source", "--format", "csv"], obj=settings, catch_exceptions=False)
    assert done.stdout.splitlines() == [
        "source,type,topics,queries,example",
        "The Guardian,short,1,2,home",
        "The Guardian,long,1,1,how do assistants listen",
        ",short,1,1,ears",
    ]


def stored(conn: psycopg.Connection) -> dict[str, tuple[Any, ...]]:
    rows = conn.execute("SELECT topic, text, title, article, source, url, published FROM st1_topics").fetchall()
    return {topic: tuple(values) for topic, *values in rows}


def invoke(settings: Settings, *arguments: object, code: int = 0) -> Any:
    done = CliRunner().invoke(topics, [*map(str, arguments)], obj=settings)
    if isinstance(done.exception, StcError):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


@pytest.mark.usefixtures("two")
def test_a_folder_of_text_and_html(conn: psycopg.Connection, folder: Path) -> None:
    done = load_articles(conn, [folder])
    assert (done.articles, done.added, done.changed, done.unchanged, done.ignored) == (2, 2, 0, 0, ("logo.png",))
    assert stored(conn) == {
        "G01": ("Assistants", None, "Assistants at home.\n\nThey listen – always.", None, None, None),
        "G02": (
            "Speakers",
            "Smart speakers & families",
            TEXT,
            "The Gazette",
            "https://example.org/a",
            datetime.date(2020, 10, 18),
        ),
        "G03": (None,) * 6,
    }


@pytest.mark.usefixtures("two")
def test_loading_again_changes_nothing_and_another_text_needs_replace(conn: psycopg.Connection, folder: Path) -> None:
    load_articles(conn, [folder])
    before = stored(conn)
    again = load_articles(conn, [folder])
    assert (again.added, again.changed, again.unchanged) == (0, 0, 2)
    (folder / "G01.txt").write_text("Assistants at work.")
    with pytest.raises(BadInput, match=r"G01\.txt: topic G01 is stored with another article: 'Assistants at home") as error:
        load_articles(conn, [folder])
    assert "--replace" in str(error.value.hint)
    assert stored(conn) == before
    replaced = load_articles(conn, [folder], replace=True)
    assert (replaced.added, replaced.changed, replaced.unchanged) == (0, 1, 1)
    assert stored(conn)["G01"][2] == "Assistants at work."


@pytest.mark.usefixtures("two")
def test_the_commands(conn: psycopg.Connection, settings: Settings, folder: Path) -> None:
    done = invoke(settings, "articles", folder)
    assert done.stdout == "2 articles, 2 added\n"
    assert "logo.png" in done.stderr
    assert invoke(settings, "articles", folder).stdout == "2 articles, 2 unchanged\n"
    listed = json.loads(invoke(settings, "list", "--format", "json").stdout)
    assert [tuple(row.values()) for row in listed] == [
        ("G01", "Assistants", None, None, 6, 2, "home"),
        ("G02", "Smart speakers & families", "The Gazette", "2020-10-18", 11, 0, None),
        ("G03", None, None, None, 0, 0, None),
    ]
    shown = invoke(settings, "show", "G02").stdout
    assert shown.startswith(
        "G02 · Smart speakers & families\nThe Gazette, 2020-10-18, https://example.org/a\n\nChildren talk to speakers at home.\n"
    )
    shown = invoke(settings, "show", "G01").stdout
    assert shown.endswith("\n2 queries\n  G01.1  home\n  G01.2  voice\n")
    assert "(no article)" in invoke(settings, "show", "G03").stdout
    assert json.loads(invoke(settings, "show", "G01", "--json").stdout)["queries"] == [["G01.1", "home"], ["G01.2", "voice"]]
    with pytest.raises(UnknownObject, match="there is no topic 'G1'") as error:
        invoke(settings, "show", "G1")
    assert "Did you mean 'G01'?" in str(error.value.hint)


def test_show_without_topics(settings: Settings) -> None:
    with pytest.raises(UnknownObject, match="there is no topic 'G01'"):
        invoke(settings, "show", "G01")


@pytest.mark.usefixtures("two")
def test_latin_1(conn: psycopg.Connection, folder: Path) -> None:
    (folder / "G01.txt").write_bytes("Assistants\nau café".encode("latin-1"))
    with pytest.raises(BadInput, match=r"G01\.txt:2: not UTF-8: byte 0xe9") as error:
        load_articles(conn, [folder])
    assert "--encoding latin-1" in str(error.value.hint)
    assert error.value.sqlstate == "IR303"
    assert stored(conn)["G02"][2] is None
    load_articles(conn, [folder / "G01.txt"], encoding="latin-1")
    assert stored(conn)["G01"][2] == "Assistants\nau café"


def test_an_html_file_may_declare_its_encoding(folder: Path) -> None:
    page = PAGE.replace("<head>", '<head><meta charset="iso-8859-1">').replace("’", "").replace("home", "café")
    (folder / "G02.html").write_bytes(page.encode("latin-1"))
    [found], _ = read_articles([folder / "G02.html"])
    assert found.text.startswith("Children talk to speakers at café.")
    (folder / "G02.html").write_bytes(page.replace("iso-8859-1", "nonsense").encode("latin-1"))
    with pytest.raises(BadInput, match=r"G02\.html:\d+: not UTF-8: byte 0x"):
        read_articles([folder])
    # A stale declaration: UTF-8 is tried first.
    (folder / "G02.html").write_bytes(page.encode())
    [found], _ = read_articles([folder / "G02.html"])
    assert "café" in found.text


@pytest.mark.parametrize("encoding", ["nonsense", "utf-16", "rot13", "ascii"])
def test_an_unusable_encoding(folder: Path, encoding: str) -> None:
    with pytest.raises(BadArgument, match=f"'{encoding}' is not an encoding"):
        read_articles([folder], encoding=encoding)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("G01.txt", b""),
        ("G01.txt", b" \n\xef\xbb\xbf\n"),
        ("G01.txt", b"-- --\n"),
        ("G01.html", b"<html><head><title>Speakers</title></head><body><nav>Home</nav><script>x()</script></body></html>"),
        ("G01.html", b"<article><h1>Speakers</h1></article>"),
    ],
)
@pytest.mark.usefixtures("two")
def test_an_article_without_text(conn: psycopg.Connection, folder: Path, name: str, content: bytes) -> None:
    (folder / "G01.txt").unlink()
    (folder / name).write_bytes(content)
    with pytest.raises(BadInput, match=rf"{name}: an article without text"):
        load_articles(conn, [folder])
    assert all(values[2] is None for values in stored(conn).values())


@pytest.mark.usefixtures("two")
def test_an_unknown_topic_and_one_to_add(conn: psycopg.Connection, folder: Path) -> None:
    (folder / "G1.txt").write_text("Assistants.")
    with pytest.raises(UnknownObject, match=r"G1\.txt: there is no topic G1") as error:
        load_articles(conn, [folder])
    assert "Did you mean G01?" in str(error.value.hint)
    assert stored(conn)["G01"][2] is None
    done = load_articles(conn, [folder], add=True)
    assert (done.articles, done.added, done.changed) == (3, 3, 0)
    assert stored(conn)["G1"][2] == "Assistants."


def test_other_invalid_files(tmp_path: Path, folder: Path) -> None:
    def refused(what: str, *paths: Path) -> None:
        with pytest.raises(BadInput, match=what):
            read_articles(paths)

    (folder / "G02.txt").write_text("Another article.")
    refused(r"G02\.txt: topic G02 has another article in .*G02\.html", folder)
    refused("contains no article", folder / "more.txt")
    refused("not an article file", folder / "logo.png")
    with pytest.raises(BadArgument, match=r"there is no file .*G09\.txt"):
        read_articles([tmp_path / "G09.txt"])
    (folder / "G04.txt").write_bytes("Assistants".encode("utf-16"))
    refused(r"G04\.txt:1: UTF-16", folder / "G04.txt")
    (folder / "G04.txt").write_bytes(b"a\0b")
    refused(r"G04\.txt:1: contains U\+0000", folder / "G04.txt")
    packed = tmp_path / "G05.txt"
    packed.write_bytes(gzip.compress(b"Assistants."))
    assert read_articles([packed])[0][0].text == "Assistants."


@pytest.mark.usefixtures("two")
def test_json_lines(conn: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "articles.jsonl"
    rows: list[dict[str, Any]] = [
        {"topic_id": "G01", "title": "Assistants", "article": "One.\n\nTwo.", "source": "The Gazette", "date": "2019-05-22"},
        {"topic": "G02", "topic_text": "Speakers.", "topic_url": "https://example.org"},
        {"topic": "G02", "topic_text": "Speakers.", "query_id": "G02.2"},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert load_articles(conn, [path]).added == 2
    assert stored(conn)["G01"] == ("Assistants", "Assistants", "One.\n\nTwo.", "The Gazette", None, datetime.date(2019, 5, 22))
    assert stored(conn)["G02"] == ("Speakers", None, "Speakers.", None, "https://example.org", None)
    for change, problem in (
        ({"topic_id": ""}, r"articles\.jsonl:1: an article without topic"),
        ({"article": " "}, r"articles\.jsonl:1: the article of topic 'G01' has no text"),
        ({"date": "last week"}, r"articles\.jsonl:1: 'last week' is not a date"),
    ):
        path.write_text(json.dumps(rows[0] | change))
        with pytest.raises(BadInput, match=problem):
            load_articles(conn, [path])


def test_the_tracks_files(conn: psycopg.Connection, tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    path.write_text(
        "topic_id;topic_text;topic_url;topic_title;topic_source;topic_date;query_id;query_text\n"
        "G01;The whole article.;http://a;Assistants;The Gazette;2019-05-22;G01.1;voice\n"
    )
    load(conn, [path])
    assert stored(conn) == {
        "G01": ("The whole article.", "Assistants", None, "The Gazette", "http://a", datetime.date(2019, 5, 22))
    }
    found = topic_article(conn, "G01")
    assert (found.title, found.origin, found.article) == ("Assistants", "The Gazette, 2019-05-22, http://a", "The whole article.")
    path.write_text(path.read_text().replace("2019-05-22", "22 May"))
    with pytest.raises(BadInput, match=r"queries\.csv:2: '22 May' is not a date"):
        load(conn, [path])


@pytest.mark.parametrize(
    ("url", "source"),
    [
        ("https://www.theguardian.com/technology/2019/may/22/a", "The Guardian"),
        ("http://TheGuardian.com", "The Guardian"),
        ("https://techxplore.com/news/2021-06-b.html", "Tech Xplore"),
        ("https://www.example.org/www.theguardian.com", None),
        ("https://theguardian.com.example.org/", None),
        ("https://nottechxplore.com/", None),
        ("", None),
    ],
)
def test_the_web_address_gives_the_source(conn: psycopg.Connection, tmp_path: Path, url: str, source: str | None) -> None:
    path = tmp_path / "queries.csv"
    plain = f"topic_id;topic_text;topic_url;query_id;query_text\nG01;Voices;{url};G01.1;voice\n"
    named = f"topic_id;topic_text;topic_url;topic_source;query_id;query_text\nG01;Voices;{url};Gazette;G01.1;voice\n"
    for text, stored in ((plain, source), (plain, source), (named, "Gazette"), (plain, "Gazette")):
        path.write_text(text)
        load(conn, [path])
        assert conn.execute("SELECT source FROM st1_topics").fetchall() == [(stored,)]
    path.write_text(named.replace("Gazette", "Tech Xplore"))
    with pytest.raises(BadInput, match="stored with another source: 'Gazette'"):
        load(conn, [path])


def test_the_real_topics_have_their_titles(conn: psycopg.Connection, data: Path) -> None:
    load(conn, [data / "simpletext" / "simpletext_2024_task1_queries.csv"], on_duplicate="first")
    found = topic_article(conn, "G01")
    assert (found.title, found.article) == ("Digital assistants like Siri and Alexa entrench gender biases says UN", None)
    assert found.origin is not None
    assert found.origin.startswith("The Guardian, https://www.theguardian.com/technology/2019/may/22/")
    sources = conn.execute("SELECT source, count(*) FROM st1_topics GROUP BY 1 ORDER BY 1").fetchall()
    assert sources == [("Tech Xplore", 20), ("The Guardian", 20)]
    assert len(found.queries) == 5


def test_a_page_without_article_element_or_metadata() -> None:
    page = read_page("<h1>Speakers</h1><div>One <i>two</i>.<div>Three.</div></div><table><tr><td>a<td>b</table>&lt;b&gt; &copy")
    assert (page.title, page.text) == ("Speakers", "One two.\n\nThree.\n\na\n\nb\n\n<b> ©")
    assert (page.url, page.source, page.published) == (None, None, None)
    page = read_page("<main>Text.</main><link rel=canonical href=/a><time datetime='2019-05-22'>May</time><p>Comments</p>")
    assert (page.text, page.url, page.published) == ("Text.", "/a", datetime.date(2019, 5, 22))
