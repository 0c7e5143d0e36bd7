"""Long queries from press articles: requests to a recorded endpoint, near-duplicates, review, publication and check."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner, Result

from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, BadInput, StateError, UnknownObject
from stcollection.llm import client as client_module
from stcollection.qrels.sheets import BadSheet
from stcollection.studies.synth.ask import AskOptions
from stcollection.studies.synth.near_duplicates import Nearness, mark
from stcollection.studies.synth.review import (
    check_reviewed,
    export_review,
    import_review,
    publish_reviewed,
    review_subtopic,
)
from stcollection.studies.synth.subtopics import Subtopic, SubtopicCounts, find_prompt, subtopic_list, subtopics
from tests.groups import Prefixed
from tests.qrels.llm_server import Answer, Asked, Endpoint, endpoint
from tests.studies.synth.synth_worlds import asker, rows
from tests.vectors.worlds import DIM, BagOfWords, unit

pytestmark = pytest.mark.slow

LISTS = {  # what the recorded endpoint answers, by title of the article
    "Speakers": "- privacy of children who talk to assistants\n- gender bias in synthetic voices\n- speech recognition at home",
    "Drones": "Subtopics:\n1. navigation of swarms of drones\n2. detection of drones near airports",
}


def recorded(asked: Asked) -> Answer:
    return Answer(LISTS[asked.slot("title")])


@pytest.fixture
def world(conn: psycopg.Connection) -> None:
    """Three topics, two with an article, with four queries."""
    conn.execute(
        "INSERT INTO st1_topics (topic, text, title, article) VALUES"
        " ('G01', 'Speakers', 'Speakers', 'Children talk to speakers.'), ('G02', 'Drones', 'Drones', 'They fly.'),"
        " ('G03', 'No article', NULL, NULL);"
        "INSERT INTO stc.st1_queries (query, topic, text) VALUES ('G01.1', 1, 'voice assistants'),"
        " ('G01.C2', 1, 'home automation'), ('G02.1', 2, 'drones near airports detection of'), ('G02.Cx', 2, NULL)"
    )


def generate(conn: psycopg.Connection, server: Endpoint, *, origin: str = "rule", **options: Any) -> SubtopicCounts:
    which = AskOptions(**{name: options.pop(name) for name in ("limit", "retry_malformed") if name in options})
    topics = options.pop("topics", None)
    who = asker(server, template=find_prompt("subtopics"), **options)
    return subtopics(conn, asker=who, origin=origin, topics=topics, options=which)


def states(conn: psycopg.Connection) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in subtopic_list(conn):
        found.setdefault(one.topic, []).append(one.state)
    return found


def texts(conn: psycopg.Connection, **where: Any) -> list[str | None]:
    return [one.text for one in subtopic_list(conn, **where)]


@pytest.mark.usefixtures("world")
def test_each_article_gives_a_list_of_queries(conn: psycopg.Connection) -> None:
    with endpoint(recorded) as server:
        done = generate(conn, server)
        assert {asked.slot("title"): asked.slot("article") for asked in server.asked} == {
            "Speakers": "Children talk to speakers.",
            "Drones": "They fly.",
        }
        again = generate(conn, server)
        assert len(server.asked) == 2
    assert (done.documents, done.sent, done.good, done.queries, done.without_article) == (2, 2, 2, 5, 1)
    assert (again.before, again.sent, again.queries) == (2, 0, 0)
    assert texts(conn) == [
        re.sub(r"^(- |\d\. )", "", line) for line in "\n".join(LISTS.values()).splitlines() if line != "Subtopics:"
    ]
    [first, *_] = subtopic_list(conn)
    assert (first.origin, first.model, first.prompt, first.number, first.state) == ("rule", "rule", "subtopics", 1, "waiting")
    assert rows(conn, "SELECT count(*) FROM st1_queries") == [(4,)]  # nothing enters without a review


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (Answer("The article is about drones. They fly over airports."), "malformed"),
        (Answer(""), "empty"),
        (Answer(None), "empty"),
        (Answer("- one\n- tw", finish="length"), "malformed"),
        (Answer(status=400, body=b'{"error": "too long"}'), "error"),
    ],
    ids=["prose", "nothing", "null", "cut", "refused"],
)
@pytest.mark.usefixtures("world")
def test_an_answer_without_queries(conn: psycopg.Connection, answer: Answer, state: str) -> None:
    def behave(asked: Asked) -> Answer:
        return answer if asked.slot("title") == "Drones" and asked.number <= 2 else recorded(asked)

    with endpoint(behave) as server:
        done = generate(conn, server)
        assert states(conn) == {"G01": ["waiting"] * 3, "G02": [state]}
        assert (done.good, done.malformed + done.empty + done.failed, done.queries) == (1, 1, 3)
        assert rows(conn, "SELECT answer FROM stc_all.synth_subtopics WHERE dropped IS NOT NULL") == [
            (None if state == "error" else answer.text or "",)
        ]
        assert export_review(conn, io.BytesIO()) == 3
        if state != "error":  # a failure is repeated without being told to
            assert generate(conn, server).sent == 0
        assert generate(conn, server, retry_malformed=True).queries == 2
    assert states(conn) == {"G01": ["waiting"] * 3, "G02": ["waiting"] * 2}


@pytest.mark.usefixtures("world")
def test_a_failure_does_not_replace_an_answer(conn: psycopg.Connection) -> None:
    with endpoint(lambda _: Answer("prose and nothing else")) as server:
        generate(conn, server, topics=["G01"])
        server.behave = lambda _: Answer(status=400, body=b"{}")
        assert generate(conn, server, topics=["G01"], retry_malformed=True).failed == 1
    assert states(conn) == {"G01": ["malformed"]}


@pytest.mark.usefixtures("world")
def test_a_rate_limit_is_waited_for(conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_FIRST_WAIT", 0.01)
    limited = itertools.chain([True, True], itertools.repeat(False))

    def behave(asked: Asked) -> Answer:
        return Answer(status=429, headers={"Retry-After": "0.1"}) if next(limited) else recorded(asked)

    with endpoint(behave) as server:
        done = generate(conn, server, retries=3)
        assert (done.queries, done.calls) == (5, 4)
        server.behave = lambda _: Answer(status=429, headers={"Retry-After": "3600"})
        with pytest.raises(StateError, match="requests a wait of 3,600 seconds"):
            generate(conn, server, origin="other")
    assert {one.origin for one in subtopic_list(conn)} == {"rule"}


@pytest.mark.usefixtures("world")
def test_a_model_that_repeats_queries(conn: psycopg.Connection) -> None:
    """A query that it repeats, or that is stored already, is set aside with the one it repeats; only one goes to the review."""
    answer = "- navigation of swarms\n- Navigation of swarms.\n- drones near airports detection of"
    with endpoint(lambda _: Answer(answer)) as server:
        generate(conn, server, topics=["G02"])
    mark(conn, Nearness(words_only=True))
    assert states(conn)["G02"].count("waiting") == 1
    assert export_review(conn, io.BytesIO()) == 1


@pytest.mark.usefixtures("world")
def test_no_more_than_five_queries_and_a_long_article_is_cut(conn: psycopg.Connection) -> None:
    conn.execute("UPDATE st1_topics SET article = repeat('word ', 4000) WHERE topic = 'G01'")
    with endpoint(lambda _: Answer("\n".join(f"- query {n} of many" for n in range(9)))) as server:
        assert generate(conn, server, limit=1).queries == 5
        assert [len(one.slot("article")) for one in server.asked] == [7999]  # and a blank at the end
    assert states(conn) == {"G01": ["waiting"] * 5}


@pytest.mark.usefixtures("world")
def test_topics_without_article_and_unknown_ones(conn: psycopg.Connection, tmp_path: Path) -> None:
    with endpoint(recorded) as server:
        with pytest.raises(StateError, match="the topic G03 has no article") as error:
            generate(conn, server, topics=["G03"])
        assert "stc load --as articles" in (error.value.hint or "")
        with pytest.raises(UnknownObject, match="no topic 'G04'"):
            generate(conn, server, topics=["G01", "G04"])
        for origin in ("human", "a b", ""):
            with pytest.raises(BadArgument, match="is not a valid origin"):
                generate(conn, server, origin=origin)
        assert not server.asked
        generate(conn, server, topics=["G01"])
        with pytest.raises(BadArgument, match="already generated by rule with the prompt subtopics"):
            generate(conn, server, model="other")
        generate(conn, server, model="other", origin="other", topics=["G01"])
    (tmp_path / "p.txt").write_text("[prompt]\n{title}\n")
    with pytest.raises(BadInput, match=r"no slot \{article\}"):
        find_prompt(str(tmp_path / "p.txt"))
    (tmp_path / "p.txt").write_text("[prompt]\nList the subtopics.")
    [asked] = find_prompt(str(tmp_path / "p.txt")).fill({"title": "T", "article": "A"})
    assert asked["content"] == "List the subtopics.\n\n<title>\nT\n</title>\n\n<article>\nA\n</article>"
    conn.execute("DELETE FROM stc_all.synth_subtopics; DELETE FROM st1_queries; DELETE FROM st1_topics")
    with endpoint(recorded) as server, pytest.raises(StateError, match="the collection has no topic"):
        generate(conn, server)


def put_subtopics(conn: psycopg.Connection, *found: str, topic: str = "G01") -> list[int]:
    """Store generated queries without a model. :returns: their ids."""
    conn.execute(
        "INSERT INTO stc_all.llm_prompts (name, sha256, template) VALUES ('p', repeat('0', 64), 't') ON CONFLICT DO NOTHING"
    )
    made = rows(
        conn,
        "INSERT INTO stc_all.synth_subtopics (topic, origin, model, prompt, number, text)"
        " SELECT stc.topic_key(%s), 'rule', 'rule', p.id, n.place, n.text"
        "   FROM unnest(%s::text[]) WITH ORDINALITY n (text, place), stc_all.llm_prompts p RETURNING id",
        topic,
        list(found),
    )
    return [one for (one,) in made]


@pytest.mark.usefixtures("world")
def test_near_duplicates_by_words(conn: psycopg.Connection) -> None:
    put_subtopics(
        conn, "Detection of drones near airports", "voice assistants in cars", "the voice assistants in cars", "swarms of bees"
    )
    assert mark(conn, Nearness(words_only=True)) == 2
    got = {one.text: (one.state, one.nearest_query, one.nearest, one.words, one.cosine) for one in subtopic_list(conn)}
    assert got == {
        "Detection of drones near airports": ("set aside", "G02.1", "drones near airports detection of", 1.0, None),
        "voice assistants in cars": ("waiting", "G01.1", "voice assistants", 0.5, None),
        "the voice assistants in cars": ("set aside", None, "voice assistants in cars", pytest.approx(4 / 5), None),
        "swarms of bees": ("waiting", "G02.1", "drones near airports detection of", pytest.approx(1 / 7), None),
    }
    assert (
        mark(conn, Nearness(words_only=True, words=0.5)) == 2
    )  # with "voice assistants in cars" aside, the third is compared with G01.1
    assert mark(conn, Nearness(words_only=True, words=1.0)) == 1
    conn.execute("UPDATE stc_all.synth_subtopics SET verdict = 'off-topic', reviewer = 'ada' WHERE text LIKE 'voice%'")
    assert mark(conn, Nearness(words_only=True)) == 1  # nothing is compared with a rejected query


@pytest.mark.usefixtures("world")
def test_near_duplicates_by_embedding_are_those_of_numpy(conn: psycopg.Connection) -> None:
    class Angles(BagOfWords):
        """Vectors in a plane: the number in a text is its angle in degrees; texts without one are orthogonal to them."""

        def encode(self, texts: Sequence[str], *, query: bool = False) -> Any:
            table = np.zeros((len(texts), DIM), dtype=np.float32)
            for at, text in enumerate(texts):
                angle = re.search(r"\d+", text)
                table[at, :3] = (
                    (0, 0, 1) if angle is None else (np.cos(np.radians(int(angle[0]))), np.sin(np.radians(int(angle[0]))), 0)
                )
            return unit(table)

    angles = [0, 30, 65, 62, 100]
    put_subtopics(conn, *(f"text{'abcde'[at]} {angle}" for at, angle in enumerate(angles)))
    assert mark(conn, Nearness(cosine=0.85, words=1.0), model=Angles()) == 2
    got = {one.text: one for one in subtopic_list(conn)}
    aside = {text for text, one in got.items() if one.state == "set aside"}
    assert aside == {"textb 30", "textd 62"}  # 65 is 65 degrees from 0, since 30 is set aside
    for text, near, between in (("textb 30", "texta 0", 30), ("textd 62", "textc 65", 3), ("texte 100", "textc 65", 35)):
        assert got[text].nearest == near
        assert got[text].cosine == pytest.approx(np.cos(np.radians(between)), abs=1e-6)
    with pytest.raises(BadArgument, match="the threshold of cosine is 0"):
        Nearness(cosine=0)


def test_similarities_of_words_are_those_of_python(conn: psycopg.Connection) -> None:
    """On long queries of SimpleText."""
    conn.execute("INSERT INTO st1_topics (topic) VALUES ('G01')")
    found = [
        "ethical considerations, governance frameworks, and policies for the responsible development and deployment of AI",
        "ethical considerations in the development and deployment of AI systems, particularly those involving personal data",
        "legal implications, regulatory standards, and compliance issues associated with AI technologies",
    ]
    put_subtopics(conn, *found)
    assert mark(conn, Nearness(words_only=True)) == 0
    words = [set(re.findall(r"\w+", one.lower())) for one in found]
    wanted = [None, *(max(len(words[at] & other) / len(words[at] | other) for other in words[:at]) for at in (1, 2))]
    assert [one.words for one in subtopic_list(conn)] == pytest.approx(wanted)


def sheet(conn: psycopg.Connection, **options: Any) -> list[dict[str, str]]:
    out = io.BytesIO()
    export_review(conn, out, **options)
    return list(csv.DictReader(io.StringIO(out.getvalue().decode("utf-8-sig"), newline="")))


def returned(folder: Path, lines: list[dict[str, str]], delimiter: str = ";") -> Path:
    path = folder / "sheet.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(lines[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(lines)
    return path


def decided(line: dict[str, str], right: str, duplicate: str, **more: str) -> dict[str, str]:
    return line | {"right_article": right, "duplicate": duplicate, **more}


@pytest.mark.usefixtures("world")
def test_one_decision_is_as_a_line_of_a_sheet(conn: psycopg.Connection) -> None:
    put_subtopics(conn, "one query", "another query")
    first, second = (one.id for one in subtopic_list(conn))
    assert review_subtopic(conn, first, "accepted", reviewer="Ada", reworded=" a\nbetter query ", note="").decided == 1
    assert review_subtopic(conn, first, "accepted", reviewer="Ben", reworded="a better query").unchanged == 1
    refused = [
        (second, "accepted", "a better query", f"same words as the accepted subtopic s{first}"),
        (second, "accepted", "voice assistants", "same words as G01.1"),
        (second, "accepted", "?!", "the query has no word"),
        (second, "perhaps", None, "'perhaps' is not a decision"),
        (10**17, "accepted", None, "there is no subtopic"),
    ]
    for key, verdict, text, fault in refused:
        with pytest.raises(BadArgument, match=fault):
            review_subtopic(conn, key, verdict, reviewer="Ada", reworded=text)
    with pytest.raises(BadArgument, match="reviewer"):
        review_subtopic(conn, second, "accepted", reviewer="")
    assert [one.query for one in publish_reviewed(conn)] == ["G01.C3"]
    with pytest.raises(BadArgument, match=r"published as G01\.C3 and cannot be changed"):
        review_subtopic(conn, first, "off-topic", reviewer="Ada")
    assert [(one.state, one.text, one.reviewer) for one in subtopic_list(conn)] == [
        ("published", "a better query", "Ada"),
        ("waiting", "another query", None),
    ]


@pytest.mark.usefixtures("world")
def test_only_reviewed_queries_enter_named_as_published(conn: psycopg.Connection, tmp_path: Path) -> None:
    put_subtopics(conn, "one query", "another query", "+a third query", "a fourth query", "a fifth query")
    put_subtopics(conn, "swarms", "detection of drones near airports", topic="G02")
    mark(conn, Nearness(words_only=True, words=0.9))
    lines = sheet(conn)
    assert [(one["topic"], one["query_text"]) for one in lines] == [
        ("G01", "one query"),
        ("G01", "another query"),
        ("G01", "'+a third query"),
        ("G01", "a fourth query"),
        ("G01", "a fifth query"),
        ("G02", "swarms"),
    ]
    assert [one["article"] for one in lines] == ["Children talk to speakers.", "", "", "", "", "They fly."]
    [*_, aside] = sheet(conn, near=True)
    assert (aside["nearest_query"], aside["words"], aside["cosine"]) == ("G02.1", "1.0", "")
    answers = [
        decided(lines[0], "yes", "no"),
        decided(lines[1], "Y", "N", reworded="  a reworded\n query ", note="clearer"),
        decided(lines[2], "no", ""),
        decided(lines[3], "", "yes", note="of G01.1"),
        lines[4],
        decided(lines[5], "yes", "no"),
    ]
    done = import_review(conn, returned(tmp_path, answers), reviewer="Ada")
    assert (done.decided, done.changed, done.unchanged, done.blank) == (5, 0, 0, 1)
    again = import_review(conn, returned(tmp_path, sheet(conn, reviewed=True), ","), reviewer="Ben")
    assert (again.decided, again.changed, again.unchanged, again.blank) == (0, 0, 5, 1)
    assert states(conn)["G01"] == ["accepted", "accepted", "off-topic", "duplicate", "waiting"]

    published = publish_reviewed(conn)
    assert [(one.query, one.text, one.reviewer) for one in published] == [
        ("G01.C3", "one query", "Ada"),
        ("G01.C4", "a reworded query", "Ada"),
        ("G02.C1", "swarms", "Ada"),
    ]
    assert rows(
        conn,
        "SELECT q.query, t.topic, q.origin, q.model, p.name, q.reviewer FROM stc.st1_queries q JOIN st1_topics t ON t.id = q.topic"
        " JOIN stc_all.llm_prompts p ON p.id = q.prompt ORDER BY q.query",
    ) == [
        ("G01.C3", "G01", "rule", "rule", "p", "Ada"),
        ("G01.C4", "G01", "rule", "rule", "p", "Ada"),
        ("G02.C1", "G02", "rule", "rule", "p", "Ada"),
    ]
    assert publish_reviewed(conn) == []
    assert [one for (one,) in rows(conn, "SELECT query FROM query_set('type:long')")] == ["G01.C2", "G01.C3", "G01.C4", "G02.C1"]
    assert len(sheet(conn, near=True, reviewed=True)) == 4
    last = decided(lines[4], "yes", "no")
    assert import_review(conn, returned(tmp_path, [*answers[:4], last]), reviewer="Ben").decided == 1
    assert [(one.query, one.reviewer) for one in publish_reviewed(conn)] == [("G01.C5", "Ben")]


@pytest.mark.parametrize(
    ("right", "duplicate", "more", "fault"),
    [
        ("perhaps", "no", {}, "right_article is 'perhaps', not yes or no"),
        ("yes", "maybe", {}, "duplicate is 'maybe', not yes or no"),
        ("yes", "", {}, "duplicate is blank"),
        ("", "no", {}, "right_article is blank"),
        ("", "", {"reworded": "other"}, "reworded without a decision: fill in right_article and duplicate"),
        ("yes", "no", {"reworded": "?!"}, "the query has no word"),
        ("yes", "no", {"reworded": "Voice: assistants"}, "same words as G01.1"),
        ("yes", "no", {"reworded": "another, query"}, "same words as line 2"),
        ("yes", "no", {"token": "s999999"}, "there is no subtopic 's999999'"),
        ("yes", "no", {"token": "77"}, "there is no subtopic '77'"),
        ("yes", "no", {"token": ""}, "no token"),
    ],
)
@pytest.mark.usefixtures("world")
def test_a_wrong_line_refuses_the_sheet(
    conn: psycopg.Connection, tmp_path: Path, right: str, duplicate: str, more: dict[str, str], fault: str
) -> None:
    put_subtopics(conn, "another query", "one query")
    first, second = sheet(conn)
    path = returned(tmp_path, [decided(first, "yes", "no"), decided(second, right, duplicate, **more)])
    with pytest.raises(BadSheet) as error:
        import_review(conn, path, reviewer="Ada")
    assert [(one.line, one.what) for one in error.value.faults] == [(3, fault)]
    assert states(conn) == {"G01": ["waiting", "waiting"]}


@pytest.mark.usefixtures("world")
def test_a_sheet_cannot_repeat_or_change_what_is_published(conn: psycopg.Connection, tmp_path: Path) -> None:
    put_subtopics(conn, "one query", "another query")
    first, second = sheet(conn)
    twice = returned(tmp_path, [decided(first, "yes", "no"), decided(first, "no", "")])
    with pytest.raises(BadSheet, match=r"the subtopic s\d+ occurs twice"):
        import_review(conn, twice, reviewer="Ada")
    with pytest.raises(BadArgument, match="cannot be the name of a reviewer"):
        import_review(conn, returned(tmp_path, [decided(first, "yes", "no")]), reviewer=" ")
    with pytest.raises(StateError, match="no subtopic is accepted"):
        publish_reviewed(conn)
    import_review(conn, returned(tmp_path, [decided(first, "yes", "no")]), reviewer="Ada")
    with pytest.raises(BadSheet, match="same words as the accepted subtopic s"):
        import_review(conn, returned(tmp_path, [decided(second, "yes", "no", reworded="one query!")]), reviewer="Ada")
    publish_reviewed(conn)
    with pytest.raises(BadSheet, match=r"published as G01\.C3 and cannot be changed"):
        import_review(conn, returned(tmp_path, [decided(first, "no", "")]), reviewer="Ada")
    import_review(conn, returned(tmp_path, [decided(second, "yes", "no")]), reviewer="Ada")
    conn.execute("INSERT INTO st1_queries (query, text) VALUES ('late', 'Another query?')")
    with pytest.raises(BadInput, match="the query late already has the words 'another query'"):
        publish_reviewed(conn)


@pytest.mark.usefixtures("world")
def test_each_published_query_is_checked_once_judged(conn: psycopg.Connection, tmp_path: Path) -> None:
    put_subtopics(conn, "one query", "another query", "a third query")
    import_review(conn, returned(tmp_path, [decided(one, "yes", "no") for one in sheet(conn)]), reviewer="Ada")
    publish_reviewed(conn)
    conn.execute(
        "INSERT INTO dblp (id, docno, doc) SELECT n, n::text, '{}' FROM generate_series(1, 8) n;"
        "INSERT INTO qrels_editions (edition) VALUES ('new'), ('decoy');"
        "INSERT INTO qrels_judgments (edition, query, doc, rel) SELECT e.id, q.id, d.id, CASE WHEN d.id <= 5 THEN 1 ELSE 0 END"
        "  FROM qrels_editions e, st1_queries q, dblp d"
        " WHERE (e.edition = 'new' AND (q.query = 'G01.C3' OR q.query = 'G01.C4' AND d.id > 1))"
        "    OR (e.edition = 'decoy' AND q.text = 'a third query')"
    )
    found = {one.query: (one.judged, one.relevant, one.state) for one in check_reviewed(conn, "new")}
    assert found == {"G01.C3": (8, 5, "enough"), "G01.C4": (7, 4, "too few"), "G01.C5": (0, 0, "not judged")}
    assert {one.state for one in check_reviewed(conn, "new", fewest=4)} == {"enough", "not judged"}
    assert {one.state for one in check_reviewed(conn, "new", level=2)} == {"too few", "not judged"}
    with pytest.raises(BadArgument, match="fewest is 0"):
        check_reviewed(conn, "new", fewest=0)
    with pytest.raises(UnknownObject, match="no edition 'old'"):
        check_reviewed(conn, "old")


@pytest.mark.usefixtures("world")
def test_a_removed_topic_takes_its_generated_queries_and_a_removed_query_leaves_its_own(
    conn: psycopg.Connection, tmp_path: Path
) -> None:
    put_subtopics(conn, "one query")
    put_subtopics(conn, "swarms", topic="G02")
    import_review(conn, returned(tmp_path, [decided(one, "yes", "no") for one in sheet(conn)]), reviewer="Ada")
    publish_reviewed(conn)
    conn.execute("SELECT stc.remove_queries(queries => '{G01.C3}')")
    assert states(conn) == {"G01": ["accepted"], "G02": ["published"]}
    conn.execute("SELECT stc.remove_queries(topics => '{G02}')")
    assert states(conn) == {"G01": ["accepted"]}


def invoke(settings: Settings, *words: str) -> Result:
    return CliRunner().invoke(Prefixed("synth"), words, obj=settings)


@pytest.mark.slow
@pytest.mark.usefixtures("world")
def test_the_commands_from_articles_to_checked_queries(settings: Settings, tmp_path: Path) -> None:
    at = str(tmp_path / "sheet.csv")
    with endpoint(recorded) as server:
        words = ["generate", "--from", "topics", "--model", "rule", "--endpoint", server.url, "--near", "cosine=none"]
        assert "generate --model needs --as" in str(invoke(settings, *words).exception)
        for wrong, problem in (
            (["study"], "takes no study; got 'study'"),
            (["--t5", "m"], "--t5 is not for --from topics"),
            (["--simulated"], "--simulated is not for --from topics"),
            (["--min-score", "1"], "--min-score is not for"),
        ):
            assert problem in str(invoke(settings, *words, "--as", "rule", *wrong).exception)
        assert "needs the name of a study" in str(invoke(settings, "generate", "--model", "m", "--as", "m").exception)
        assert "--topic is not for --from documents" in str(
            invoke(settings, "generate", "s", "--model", "m", "--topic", "G01").exception
        )
        done = invoke(settings, *words, "--as", "rule", "--near", "words=0.9")
    assert done.exit_code == 0, done.output
    assert "queries stored: 5; near-duplicates set aside: 1; waiting for a review: 4" in done.output
    assert "topics without an article: 1;" in done.output
    assert "4 queries\nnear-duplicates set aside: 1;" in invoke(settings, "review", "export", "--out", at).output
    lines = list(csv.DictReader(io.StringIO(Path(at).read_text(encoding="utf-8-sig"), newline="")))
    returned(tmp_path, [decided(one, "yes", "no") for one in lines])
    assert "4 decisions by Ada; 0 not reviewed yet" in invoke(settings, "review", "import", at, "--reviewer", "Ada").output
    returned(tmp_path, [decided(one, "what", "no") for one in lines])
    refused = invoke(settings, "review", "import", at, "--reviewer", "Ada")
    assert isinstance(refused.exception, BadSheet)
    assert ":5: right_article is 'what'" in refused.output
    published = json.loads(invoke(settings, "review", "publish", "--format", "json").stdout)
    assert [one["query"] for one in published] == ["G01.C3", "G01.C4", "G01.C5", "G02.C1"]
    assert "no new query" in invoke(settings, "review", "publish").output
    assert "G01.C3" in invoke(settings, "review", "list", "--state", "published").output
    listed = json.loads(invoke(settings, "review", "list", "--format", "json").stdout)
    assert set(listed[0]) == set(Subtopic._fields)
