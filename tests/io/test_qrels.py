"""Reading files of judgments."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

from stcollection.errors import BadArgument, BadInput
from stcollection.io import registry
from stcollection.io.qrels.judgments import Ungraded, best_first, doubtful_judgments, read_grades, reversed_scale, stream_qrels
from stcollection.io.qrels.table import Table


def read(tmp_path: Path, text: str, **options: Any) -> list[tuple[str, str, int]]:
    path = tmp_path / "a.qrels"
    path.write_bytes(text.encode())
    return [(one.query, one.doc, one.rel) for one in stream_qrels(path, **options)]


@pytest.mark.parametrize(
    ("text", "judgments"),
    [
        ("q 0 d 1\nq Q0 e -1\r\n\n r\t0  d +2 ", [("q", "d", 1), ("q", "e", -1), ("r", "d", 2)]),
        ("query_id Q0 doc_id relevance\nG01.1 Q0 5 2\n", [("G01.1", "5", 2)]),
        ("\ufeff# a comment\nq 0 d#1 1\n# another\n", [("q", "d#1", 1)]),
        (" # q 0 e 1\n#q 0 f 1\nq 0 d 1\n# q 0 g 1\n", [("q", "d", 1)]),  # with the columns of a judgment
        ("1 184 2 \n1 29 -1\n", [("1", "184", 2), ("1", "29", -1)]),
        ("1 0 2\n1 7 2\n", [("1", "0", 2), ("1", "7", 2)]),  # the second line shows that the second column is a document
        ("01 1410  0 0\n11 0 0 0\n", [("1", "1410", 1), ("11", "0", 1)]),
        ("1 13 0 0.000000\n1 14 0 0.000000\n", [("1", "13", 1), ("1", "14", 1)]),  # CACM's file from Glasgow
        ("q 0 d 1.0\nq 0 e 2.000\nq 0 f -1.\n", [("q", "d", 1), ("q", "e", 2), ("q", "f", -1)]),
        ("301 2 0 0\n301 2 5 1\n", [("301", "0", 0), ("301", "5", 1)]),
        ("topic,query,doc,rel,origin\nG01,G01.1,d,2,human\n", [("G01.1", "d", 2)]),
        ('rel;docno;qid\n0;"a;b";q\n', [("q", "a;b", 0)]),
        ("grade\tdoc_id\tquery_id\n1\td\tq\n", [("q", "d", 1)]),
        ("q\t0\td\t1\r\nq 0\v e \f 2", [("q", "d", 1), ("q", "e", 2)]),
        ("q 0 a\u00a0b\u3000c 1\n", [("q", "a\u00a0b\u3000c", 1)]),  # only ASCII white space separates columns, as in trec_eval
        ("query,doc,rel,origin\nq,d,1,\n", [("q", "d", 1)]),
        (f"q 0 d {'0' * 7}12\n", [("q", "d", 12)]),
    ],
)
def test_what_the_columns_are(tmp_path: Path, text: str, judgments: list[tuple[str, str, int]]) -> None:
    assert read(tmp_path, text) == judgments


def test_comments_that_could_be_judgments(tmp_path: Path) -> None:
    (path := tmp_path / "a.qrels").write_text("# version 2 1\nq 0 d 1\n#q 0 e 1\n#r 0 e 1\n#r 0 e x\n")
    assert doubtful_judgments(path).startswith(f"{path}: 2 comments (lines 3 to 4) could be read as rows")
    path.write_text("# q 0 e 1\nq 0 d 1\n#made by hand\n")
    assert doubtful_judgments(path) == ""


def test_columns_by_name(tmp_path: Path) -> None:
    assert read(tmp_path, "2 d x q\n", columns="rel,doc,_,query") == [("q", "d", 2)]
    assert read(tmp_path, "q d\n", columns="query,doc") == [("q", "d", 1)]
    for columns in ("query", "query,doc,grade", "query,doc,doc"):
        with pytest.raises(BadArgument, match="not columns of judgments"):
            read(tmp_path, "q d 1\n", columns=columns)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("q49 0 p3659\nq49 Q0 p11027\n", "its lines are query, 0 and document"),
        ("doc_id\tquery_id\np3659\tq49\np11027\tq49\n", "the columns are doc_id, query_id"),
        ("qid,docno,rank\nq49,p3659,1\nq49,p11027,2\n", None),
        (
            "query_id\tdoc_id\tsnt_id\tsource_snt\nq49\tp3659\ts1\tBees die.\nq49\tp11027\ts2\tBees fly.\n",
            "the columns are query_id, doc_id, snt_id, source_snt, about sentences (source_snt)",
        ),
        (
            '[{"query_id": "q49", "doc_id": "p3659", "term": "bee"}, {"query_id": "q49", "doc_id": "p11027", "term": "wax"}]',
            "the columns are query_id, doc_id, term, about terms (term)",
        ),
    ],
)
def test_a_file_without_grades_needs_one(tmp_path: Path, text: str, what: str | None) -> None:
    """A list of documents says nothing about their relevance: an unlabelled test file has the same lines."""
    if what is None:
        with pytest.raises(BadInput, match="its columns are those of a run, not of judgments: qid, docno, rank"):
            read(tmp_path, text, relevance=1)
        return
    with pytest.raises(Ungraded) as error:
        read(tmp_path, text)
    assert error.value.message.endswith(f"a.qrels: contains no grades: {what}")
    assert "--relevance 1" in (error.value.hint or "")
    assert read(tmp_path, text, relevance=2) == [("q49", "p3659", 2), ("q49", "p11027", 2)]


def test_the_grade_of_all_documents_is_for_files_without_grades(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="has grades, so that --relevance 1 does not apply"):
        read(tmp_path, "q 0 d 1\n", relevance=1)
    assert read(tmp_path, "q d\n", columns="query,doc", relevance=2) == [("q", "d", 2)]


def test_columns_of_terms_are_named(tmp_path: Path) -> None:
    text = "snt_id\tterm\tdifficulty\tdefinition\ns1\tforagers\t1.0\tbees that collect food\n"
    with pytest.raises(BadInput, match=r"a\.qrels:1: no judgments: the columns are .*, about terms \(term, definition\)"):
        read(tmp_path, text)


def test_columns_of_a_run_are_no_judgments(tmp_path: Path) -> None:
    text = "qid,docno,rank,score\nq,d,1,3\n"
    with pytest.raises(BadInput, match="its columns are those of a run"):
        read(tmp_path, text)
    assert read(tmp_path, "q d 1 3\n", columns="query,doc,_,rel") == [("q", "d", 3)]
    assert read(tmp_path, "qid,docno,rank,label\nq,d,1,3\n") == [("q", "d", 3)]


def test_grades_by_mapping(tmp_path: Path) -> None:
    grades = read_grades("1=4,2=3,3=2,4=1,-1=0")
    assert [rel for _, _, rel in read(tmp_path, "q a 1\nq b 4\nq c -1\n", grades=grades)] == [4, 1, 0]
    with pytest.raises(BadInput, match=r"a\.qrels:2: the grade 5 is not in the mapping"):
        read(tmp_path, "q a 1\nq b 5\n", grades=grades)
    assert read_grades("simpletext-2022") == {0: 0, 1: 0, 2: 1, 3: 1, 4: 2, 5: 2}
    for mapping in ("1", "1=x", "1=2=3", "", "1=2,1=3", "1=40000", "99999999999=1", "1=1_0", "simpletext"):
        with pytest.raises(BadArgument, match="not a mapping of grades"):
            read_grades(mapping)


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("q 0 d 1\nq 0 d x\n", 2, "the grade 'x'"),
        ("q 0 d x\n", 1, "the grade 'x'"),  # not a header: the last name is not a known column
        ("q 0 d 1\n\nq 0 d 1.5\n", 3, "'1.5'"),
        ("q 0 d 40000\n", 1, "'40000'"),
        ("q 0 d 1\nq 0 d\n", 2, "3 columns, not the 4"),
        ("q 0 d 1 extra\n", 1, "5 columns"),
        ("q\n", 1, "1 column"),
        ("query,doc,rel\nq,,1\n", 2, "without query or document"),
        ("q 0 d 99999999999999999999\n", 1, "'99999999999999999999'"),
        ("q 0 d ١\n", 1, "the grade"),
        (f"q 0 {'d' * 1001} 1\n", 1, "more than 1,000 bytes"),
        # The csv module's limit applies to the whole process, and another reader may have raised it.
        (f"query,doc,rel\nq,{'d' * 200_000},1\n", 2, "not a row of a CSV file|more than 1,000 bytes"),
    ],
)
def test_a_bad_line(tmp_path: Path, text: str, line: int, word: str) -> None:
    with pytest.raises(BadInput) as error:
        read(tmp_path, text)
    assert f"a.qrels:{line}: " in error.value.message
    assert any(one in error.value.message for one in word.split("|"))
    assert error.value.hint


def test_a_null_byte(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"a\.qrels:2: contains U\+0000"):
        read(tmp_path, "q 0 d 1\nq 0 d\0e 1\n")


@pytest.mark.parametrize("text", ["", "\n# nothing\n", "query_id Q0 doc_id relevance\n"])
def test_a_file_without_a_judgment(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match="contains no judgment"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("file", "queries", "grades"),
    [
        ("simpletext/train_G01-G15.qrels", 30, {0: 1457, 1: 401, 2: 439}),
        ("cacm/qrels.text", 52, {1: 796}),
        ("cranfield/cranqrel", 225, {1: 128, 2: 387, 3: 734, 4: 363, -1: 225}),
        ("npl/qrels", 93, {1: 2083}),
        ("acm-cr/contexts.qrels", 266, {1: 885}),
        ("trec-dl/dl19/nist.qrels", 43, {0: 5158, 1: 1601, 2: 1804, 3: 697}),
        ("trec-dl/dl23/nist.qrels", 82, {0: 13866, 1: 4372, 2: 2259, 3: 1830}),
        ("trec_eval/qrels.rel_level", 3, {-1: 304, 0: 2818, 1: 462, 2: 14, 3: 77, 4: 6}),
        ("trec_eval/qrels.test.with-comments", 3, {0: 3120, 1: 561}),
        ("ir_measures/cwl.qrels", 3, {0: 8, 1: 15}),
    ],
)
def test_a_real_file(data: Path, file: str, queries: int, grades: dict[int, int]) -> None:
    judgments = list(stream_qrels(data / file))
    assert len({one.query for one in judgments}) == queries
    assert Counter(one.rel for one in judgments) == grades


@pytest.mark.parametrize("file", ["trec-dl/dl21/nist.qrels", "trec_eval/qrels.test", "ir_measures/compat.qrels"])
def test_read_as_trec_eval_reads_it(data: Path, file: str) -> None:
    with (data / file).open() as lines:
        theirs = pytrec_eval.parse_qrel(lines)
    ours: dict[str, dict[str, int]] = {}
    for one in stream_qrels(data / file):
        ours.setdefault(one.query, {})[one.doc] = one.rel
    assert ours == theirs


def test_the_queries_of_cacm_and_cranfield_are_those_of_their_topics(data: Path) -> None:
    from stcollection.io.topics.queries import read_queries

    for topics, qrels in (("cacm/query.text", "cacm/qrels.text"), ("cranfield/cran.qry", "cranfield/cranqrel")):
        known = {query.query for query in read_queries(data / topics)[1]}
        assert {one.query for one in stream_qrels(data / qrels)} <= known


def test_cacm_names_queries_and_documents_as_its_other_files_do(data: Path) -> None:
    judgments = list(stream_qrels(data / "cacm" / "qrels.text"))
    assert {"1", "64"} >= {one.query for one in judgments if one.query in {"01", "1", "64"}}
    assert not any(one.doc.startswith("0") or one.query.startswith("0") for one in judgments)


def test_weights_in_the_place_of_grades_have_a_hint_that_helps(tmp_path: Path) -> None:
    text = "1 13 0 0.250000\n1 14 0 1.000000\n"
    with pytest.raises(BadInput, match=r"a\.qrels:1: the grade '0\.250000'") as error:
        read(tmp_path, text)
    assert "--columns query,doc,_,_" in (error.value.hint or "")
    assert read(tmp_path, text, columns="query,doc,_,_") == [("1", "13", 1), ("1", "14", 1)]


@pytest.mark.parametrize(
    ("grades", "reversed_"),
    [
        ({-1, 1, 2, 3, 4}, True),
        ({-1, 1, 5}, True),
        ({-1, 0, 1, 4}, False),
        ({-1, 1, 2}, False),
        ({1, 2, 3, 4}, False),
        ({-2, -1, 1, 4}, False),
    ],
)
def test_a_scale_whose_best_grade_is_1_is_recognised(grades: set[int], reversed_: bool) -> None:
    assert reversed_scale(grades) is reversed_


def test_a_scale_can_be_turned_round(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("1 184 2\n1 29 -1\n1 31 1\n1 12 4\n")
    assert best_first(path) == {-1: 0, 1: 4, 2: 3, 3: 2, 4: 1}


@pytest.mark.parametrize(
    ("text", "name", "judgments"),
    [
        ("query-id\tcorpus-id\tscore\n1\td 1\t2\n", "beir", [("1", "d 1", 2)]),
        ("q,0,d,1\nq,0,e,0\n", "csv", [("q", "d", 1), ("q", "e", 0)]),
        ("q;d;2\nq;e;-1\n", "csv", [("q", "d", 2), ("q", "e", -1)]),
        ('"qid","docno","label"\r\n"q","a,b","1"\r\n', "csv", [("q", "a,b", 1)]),
        ("qid,query,docno,label\nq,some words,d,1\n", "csv", [("q", "d", 1)]),  # the text of a query next to its id
        ('{"query_id": 1, "doc_id": "d", "relevance": 2}\n{"query_id": 1, "doc_id": "e", "relevance": 0.0}\n', "jsonl",
         [("1", "d", 2), ("1", "e", 0)]),
        ('[{"qid": "q", "docno": "d", "label": 1}]', "jsonl", [("q", "d", 1)]),
        ('{"q": {"d": 2, "e": 0}, "r": {"d": 1}}', "jsonl", [("q", "d", 2), ("q", "e", 0), ("r", "d", 1)]),
        ("     1     28\t0\t0.000000\n     2     35\t0\t0.000000\n", "cacm", [("1", "28", 1), ("2", "35", 1)]),  # CISI.REL
        ("1 0 28 0.000000\n1 0 29 1.000000\n", "trec", [("1", "28", 0), ("1", "29", 1)]),
    ],
)  # fmt: skip
def test_formats_of_other_collections(tmp_path: Path, text: str, name: str, judgments: list[tuple[str, str, int]]) -> None:
    assert read(tmp_path, text) == judgments
    table = Table(tmp_path / "a.qrels")
    assert next(one.name for one in registry.QRELS if one.sniff(table) is not None) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"_id": "1", "text": "x"}]', "1: no field for the query or the document of judgments; the fields are _id, text"),
        ('{"query_id": 1, "doc_id": "d", "rel": 1}\n{"query_id": 1, "doc', "2: not JSON"),
        ('{"q": {"d": 1}, "r": 3}', "1: query r has no object of documents"),
        ('{"q": {"d": 0.5}}', "1: the grade '0.5' is not an integer"),
        ("[]", " contains no judgment"),
    ],
)
def test_json_that_is_no_judgments(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=rf"a\.qrels:{message}"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "question,paper,useful\nq1,d1,2\nq1,d2,0\n",
        "question;paper;useful\nq1;d1;2\nq1;d2;0\n",
        "question\tpaper\tuseful\nq1\td1\t2\nq1\td2\t0\n",
        '{"question": "q1", "paper": "d1", "useful": 2}\n{"question": "q1", "paper": "d2", "useful": 0}\n',
    ],
    ids=["commas", "semicolons", "tabs", "json lines"],
)
def test_columns_of_other_names(tmp_path: Path, text: str) -> None:
    path = tmp_path / "judged"
    path.write_text(text)
    with pytest.raises(BadInput, match="are question, paper, useful") as error:
        list(stream_qrels(path))
    assert "--columns query=question,doc=paper,rel=useful'" in (error.value.hint or "")
    judged = list(stream_qrels(path, columns="query=question,doc=Paper,rel=useful"))
    assert [(one.query, one.doc, one.rel) for one in judged] == [("q1", "d1", 2), ("q1", "d2", 0)]
    with pytest.raises(BadInput, match="are question, paper, useful"):
        list(stream_qrels(path, columns="query=question,doc=document"))
    with pytest.raises(BadArgument, match="does not name columns"):
        list(stream_qrels(path, columns="query=question,document=paper"))
