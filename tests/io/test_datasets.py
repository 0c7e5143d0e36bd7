"""Data sets: detection of the role of each file, and ambiguous cases."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from stcollection.errors import BadArgument, BadInput
from stcollection.io.corpus.fields import read_map
from stcollection.io.datasets import DataOptions, RecognisedFile, recognise

Folder = Callable[[Mapping[str, str | bytes]], str]

BEIR = {
    "corpus.jsonl": '{"_id": "d1", "title": "Voice", "text": "At home."}\n{"_id": "d2", "title": "", "text": "No title."}\n',
    "queries.jsonl": '{"_id": "q1", "text": "voice"}\n{"_id": "q2", "text": "home"}\n',
    "qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq2\td1\t1\n",
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n",
}
CISI = {
    "CISI.ALL": ".I 1\n.T\n18 Editions of Dewey\n.A\nComaromi, J.P.\n.W\nA study.\n.X\n1\t5\t1\n.I 2\n.T\nUse\n.W\nText.\n",
    "CISI.QRY": ".I 1\n.W\nWhat problems are there?\n.I 2\n.T\nTitle\n.A\nAn author\n.W\nHow can data be stored?\n",
    "CISI.REL": "     1     1\t0\t0.000000\n     2     2\t0\t0.000000\n",
    "CISI.BLN": ".I 1\n.W\n #and (#or ('problem', 'concern'), 'title');\n.I 2\n.W\n #or ('data', #not ('x'));\n",
    "README": "The CISI collection, as Glasgow has it.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    def write(files: Mapping[str, str | bytes]) -> str:
        for name, content in files.items():
            path = tmp_path / "mine" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(tmp_path / "mine")

    return write


def found(path: str, options: DataOptions | None = None) -> dict[str, tuple[str | None, str, int | None]]:
    files = recognise([path], options or DataOptions()).files
    return {one.within(path): (one.role, one.format, one.records) for one in files}


def edition(path: str, options: DataOptions | None = None) -> list[str]:
    return [one.edition for one in recognise([path], options or DataOptions()).of("qrels")]


def test_beir(folder: Folder) -> None:
    path = folder(BEIR)
    assert found(path) == {
        "corpus.jsonl": ("corpus", "jsonl", 2),
        "queries.jsonl": ("topics", "jsonl", 2),
        "qrels/dev.tsv": ("qrels", "beir", 1),
        "qrels/test.tsv": ("qrels", "beir", 2),
    }
    assert edition(path) == ["dev", "test"]


def test_cisi(folder: Folder) -> None:
    path = folder(CISI)
    assert found(path) == {
        "CISI.ALL": ("corpus", "smart", 2),
        "CISI.QRY": ("topics", "smart, numbered by id", 2),
        "CISI.REL": ("qrels", "cacm", 2),
        "CISI.BLN": (None, "smart, numbered by id", None),
        "README": (None, "", None),
    }
    assert edition(path) == ["CISI"]


def test_tables(folder: Folder) -> None:
    path = folder(
        {
            "papers.csv": "docno;title;abstract\nd1;Voice;At home\n",
            "topics.tsv": "q1\tvoice at home\n",
            "judged.csv": "qid,docno,label\nq1,d1,1\n",
            "mine.csv": "qid,docno,score,rank\nq1,d1,2.5,0\n",
            "ranx.json": '{"q1": {"d1": 0.5}}',
            "gold.json": '{"q1": {"d1": 1}}',
        }
    )
    assert found(path) == {
        "papers.csv": ("corpus", "csv", 1),
        "topics.tsv": ("topics", "tsv", 1),
        "judged.csv": ("qrels", "csv", 1),
        "gold.json": ("qrels", "jsonl", 1),
        "mine.csv": ("runs", "csv", None),
        "ranx.json": ("runs", "json", None),
    }


def test_trec_files_whatever_their_names(folder: Folder) -> None:
    path = folder(
        {
            "a": "<DOC>\n<DOCNO>d1</DOCNO>\n<TEXT>Voice.</TEXT>\n</DOC>\n",
            "b": "<top>\n<num>1</num><title>voice\n</top>\n",
            "c": gzip.compress(b"1 0 d1 1\n"),
            "d": "1 Q0 d1 1 2.5 tag\n",
            "e": "All of this is a sentence.\n",
            ".hidden": "1 0 d1 1\n",
        }
    )
    assert {name: role for name, (role, _, _) in found(path).items()} == {
        "a": "corpus",
        "b": "topics",
        "c": "qrels",
        "d": "runs",
        "e": None,
    }


def test_queries_beside_documents_that_are_clear(folder: Folder) -> None:
    """An id and a text can be either; here the other file has titles and is therefore the documents."""
    path = folder({"a.jsonl": '{"_id": "d", "title": "T", "text": "x"}\n', "b.jsonl": '{"_id": "q", "text": "x"}\n'})
    assert {name: role for name, (role, _, _) in found(path).items()} == {"a.jsonl": "corpus", "b.jsonl": "topics"}


TRACK = {
    "documents.jsonl": '{"id": 1, "title": "Bees", "abstract": "Bees die."}\n{"id": 2, "title": "Wax", "abstract": "Wax melts."}\n',
    "task1_queries.csv": "topic_id,topic_text,query_id,query_text\nA01,Bees,A01.1,bee decline\nA01,Bees,A01.2,wax\n",
    "task1_train.qrels": "A01.1 0 1 2\nA01.1 0 2 0\nA01.2 0 2 1\n",
    "task2_input.json": '[{"query_id": "A01.1", "query_text": "bees", "doc_id": 1, "snt_id": "s1", "source_snt": "Bees die."}]',
    "task2_input.tsv": "query_id\tquery_text\tdoc_id\tsnt_id\tsource_snt\nA01.1\tbee decline\t1\ts1\tBees die.\n",
    "task2_qrels.json": '[{"snt_id": "s1", "term": "bee", "difficulty": 1.0, "definition": "an insect"}]',
    "task2_qrels.tsv": "snt_id\tterm\tdifficulty\tdefinition\ns1\tbee\t1.0\tan insect\n",
    "task3_abs.json": '[{"query_id": "A01.1", "query_text": "bees", "doc_id": 1, "abs_id": "a1", "abs_source": "Bees die."}]',
    "task3_graded.csv": "query_id,doc_id,snt_id,source_snt,label\nA01.1,1,s1,Bees die.,1\n",
    "task3_qrels.tsv": "query_id\tdoc_id\tsnt_id\tsource_snt\tsimplified_snt\nA01.1\t1\ts1\tBees die.\tBees are ill.\n",
    "task3_sentences.tsv": "query_id\tquery_text\tsnt_id\tsource_snt\nA01.1\tbee decline\ts1\tBees die.\n",
    "topicA01.md": "# Bees and pesticides\n\nBeekeepers count their losses.\n",
}
BESIDE = {
    "README.md": "# Data\n\nThe <top> scores, for q1 and q2.\n",
    "config.json": '{"model": "none", "k": 10}',
    "docid_to_docidx.txt": "d1 0\nd2 1\n",
    "ratings.tsv": "0\tnot relevant at all\n1\thighly relevant text\n",
    "models.csv": "model,params,licence\nalpha,7B,mit\n",
    "pairs.csv": "qid,docno\nq1,d1\n",
    "requirements.txt": "numpy==2.1\npandas\n",
    "settings.json": '{"model": "bm25", "index": "a/b"}',
    "test_pairs.txt": "q1 0 d2\nq2 0 d1\n",
    "top10.tsv": "".join(f"q1\td{rank}\t{rank}\n" for rank in range(1, 11)),
    "triples.tsv": "1\t31\t57\n2\t44\t81\n",
    "whole.json": '{"q1": {"d1": 3.0, "d2": 2}}',
}


def skipped(path: str, options: DataOptions | None = None) -> dict[str, str]:
    return {one.within(path): one.note for one in recognise([path], options or DataOptions()).skipped}


def test_the_folder_of_a_track(folder: Folder) -> None:
    """Files of other tasks list queries and documents too, with sentences or terms and without a grade of the document."""
    path = folder(TRACK)
    assert {name: role for name, (role, *_) in found(path).items() if role} == {
        "documents.jsonl": "corpus",
        "task1_queries.csv": "topics",
        "task1_train.qrels": "qrels",
        "topicA01.md": "articles",
    }
    reasons = skipped(path)
    assert set(reasons) == {name for name in TRACK if name.startswith(("task2", "task3"))}
    for name, word in (
        ("task3_qrels.tsv", "no grades: the columns are query_id, doc_id, snt_id, source_snt, simplified_snt"),
        ("task3_qrels.tsv", "about sentences (source_snt, simplified_snt)"),
        ("task2_input.json", "about sentences (source_snt)"),
        ("task2_qrels.json", "unknown fields snt_id, term, difficulty, definition, about terms (term, definition)"),
        ("task2_qrels.tsv", "about terms (term, definition)"),
        ("task3_graded.csv", "not judgments of documents"),
    ):
        assert word in reasons[name]


def test_files_beside_a_data_set(folder: Folder) -> None:
    """Each is skipped with its reason, and none stops the others."""
    path = folder({**BEIR, **BESIDE})
    roles = {"corpus.jsonl": "corpus", "queries.jsonl": "topics", "qrels/dev.tsv": "qrels", "qrels/test.tsv": "qrels"}
    assert {name: role for name, (role, *_) in found(path).items() if role} == roles
    reasons = skipped(path)
    assert set(reasons) == set(BESIDE)
    for name, reason in (
        ("config.json", "unknown fields model, k; name them with --map"),
        ("ratings.tsv", "could be documents or queries: an id and a text in each line, without a header"),
        ("models.csv", "unknown fields model, params, licence; name them with --map"),
        ("pairs.csv", "no grades: the columns are qid, docno"),
        ("settings.json", "could be queries: one object of texts, which may be queries or settings: model, index"),
        ("test_pairs.txt", "no grades: its lines are query, 0 and document"),
        ("top10.tsv", "could be judgments: its last column counts up for each query, like ranks, not grades"),
        ("triples.tsv", "could be judgments: three columns, the last from 57 to 81: no usual grades"),
        ("whole.json", "could be judgments or a run: its whole numbers may be grades or scores"),
    ):
        assert reasons[name] == reason


def test_a_grade_for_files_without_grades(folder: Folder) -> None:
    path = folder({**BEIR, **BESIDE})
    graded = [one for one in recognise([path], DataOptions(relevance=1)).of("qrels") if one.relevance is not None]
    assert [(one.edition, one.relevance, one.note) for one in graded] == [
        ("pairs", 1, "no grades: each pair is taken as relevant, grade 1"),
        ("test_pairs", 1, "no grades: each pair is taken as relevant, grade 1"),
    ]
    with pytest.raises(BadInput, match="contains no grades") as error:
        recognise([path], DataOptions(given={f"{path}/test_pairs.txt": "qrels"}))
    assert "--relevance 1" in (error.value.hint or "")


def test_formats_that_list_relevant_documents_show_no_grades(folder: Folder) -> None:
    files = {"a.rel": "1 268 288\n2 326 334 12\n3 48\n", "b.rel": "1 1410 0 0\n1 1572 0 0\n2 2434 0 0\n"}
    found = recognise([folder(files)], DataOptions(given={})).of("qrels")
    assert [(one.format, one.note) for one in found] == [
        (form, "no grades: each pair is taken as relevant, grade 1") for form in ("time", "cacm")
    ]


@pytest.mark.parametrize(
    ("name", "content", "role"),
    [
        ("bm25.json", '{"q1": {"d1": 3.0}}', "runs"),
        ("qrels_dev.json", '{"q1": {"d1": 3}}', "qrels"),
        ("qrels/dev.json", '{"q1": {"d1": 3}}', "qrels"),
        ("runs/dev.json", '{"q1": {"d1": 3}}', "runs"),
        ("dev.json", '{"q1": {"d1": 3}}', None),
        ("dev.json", '{"q1": {"d1": 0.5}}', "runs"),
        ("dev.json", '{"q1": {"d1": 123456}}', "runs"),
        ("dev.json", '{"http://a:8.5": {"d1": 1}}', None),
        ("ranx_qrels.csv", "q_id,doc_id,score\nq1,d1,1\n", "qrels"),
        ("mine.csv", "q_id,doc_id,score\nq1,d1,1\n", None),
        ("mine.csv", "q_id,doc_id,score\nq1,d1,1\nq1,d2,0.5\n", "runs"),
        ("mine.csv", "qid,docno,score,rank\nq1,d1,1,0\n", "runs"),
        ("qrels.csv", "qid,docno,score,rank\nq1,d1,1,0\n", "runs"),
        ("mine.csv", "qid,docno,score,rank,label\nq1,d1,1,0,2\n", None),
        ("mine.txt", "qid docno score\nq1 d1 1\n", None),
        ("mine.jsonl", '{"qid": "q1", "docno": "d1", "score": 2}\n', None),
        ("mine.jsonl", '{"qid": "q1", "docno": "d1", "similarity": 2}\n', "runs"),
        ("a.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n", "qrels"),
        ("a.qrels", "".join(f"q1 d{rank} {rank}\n" for rank in range(1, 11)), "qrels"),
        ("dev.tsv", "q1\td1\t1\nq1\td2\t2\nq1\td3\t3\nq2\td3\t1\n", None),  # MS MARCO's runs: query, document, rank
        ("dev.run.tsv", "q1\td1\t1\nq1\td2\t2\n", None),
        ("dev.tsv", "q1\td1\t1\nq1\td2\t2\nq2\td3\t1\n", "qrels"),
        ("dev.txt", "q1 0 d1 1\nq1 0 d2 2\nq1 0 d3 3\n", "qrels"),
        ("a.txt", '<top lang="en">\n<num>1</num>\n<title>voice</title>\n</top>\n', "topics"),
        ("a.txt", "<TOP>\n<num>1\n<title>voice\n</top>\n", "topics"),
        ("a.html", "<html><body>Voice.</body></html>\n", None),
    ],
)
def test_what_only_a_name_decides(folder: Folder, name: str, content: str, role: str | None) -> None:
    path = folder({"corpus.jsonl": BEIR["corpus.jsonl"], name: content})
    assert found(path)[name][0] == role
    if role is None:
        with pytest.raises(BadInput, match=r"could be|neither") as error:
            recognise([f"{path}/{name}"])
        assert "--qrels" in (error.value.hint or "")


@pytest.mark.parametrize("name", ["bm25.json", "mine.csv", "run.txt"])
def test_the_users_word_counts(folder: Folder, name: str) -> None:
    contents = {"bm25.json": '{"q1": {"d1": 3.0}}', "mine.csv": "q_id,doc_id,score\nq1,d1,1\n", "run.txt": "q1 d1 57\n"}
    path = folder({"corpus.jsonl": BEIR["corpus.jsonl"], name: contents[name]})
    for given in (f"{path}/{name}", f"{path}/./{name}"):
        [file] = recognise([path], DataOptions(given={given: "qrels"})).of("qrels")
        assert file.records == 1


def test_numbers_that_are_no_judgments_of_the_topics(folder: Folder) -> None:
    path = folder({**BEIR, "params.txt": "k1 x 1\nb x 2\n", "num_rel.txt": "num_rel all 9\n", "more.txt": "q1 d1 1\n"})
    assert found(path)["more.txt"][0] == "qrels"
    assert skipped(path) == dict.fromkeys(
        ("num_rel.txt", "params.txt"), "three columns, but none of the first is a query of the topics"
    )


def test_judgments_that_cannot_be_read_are_skipped(folder: Folder) -> None:
    late = "query-id\tcorpus-id\tscore\n" + "q1\td1\t1\n" * 1500 + "q1\td2\tx\n"
    path = folder({**BEIR, "qrels/late.tsv": late, "qrels/early.qrels": "q1 0 d1 1\nq1 0 d2\n"})
    assert edition(path) == ["dev", "test"]
    assert skipped(path) == {
        "qrels/late.tsv": "line 1502: the grade 'x' is not an integer from -32768 to 32767",
        "qrels/early.qrels": "not judgments: line 2: 3 columns, not the 4 of the others",
    }
    with pytest.raises(BadInput, match=r"late\.tsv:1502"):
        recognise([path], DataOptions(given={f"{path}/qrels/late.tsv": "qrels"}))


def test_judgments_that_no_person_made_are_marked(folder: Folder) -> None:
    csv = "qid,docno,rel,origin\nq1,d1,1,{}\n"
    path = folder(
        {
            **BEIR,
            "gpt4.qrels": "q1 0 d1 1\n",
            "a.csv": csv.format("llm"),
            "b.csv": csv.format("human"),
            "llm4eval.qrels": "q1 0 d1 1\n",
        }
    )
    people = {one.edition: one.human for one in recognise([path]).of("qrels")}
    assert people == {"gpt4": False, "a": False, "b": True, "llm4eval": True, "dev": True, "test": True}


def test_documents_or_queries_is_an_error_that_says_what_to_type(folder: Folder) -> None:
    path = folder({"a.jsonl": '{"_id": "d", "text": "x y"}\n', "b.tsv": "1\tone two\n2\tthree four\n"})
    with pytest.raises(BadInput, match=r"a\.jsonl: could be documents or queries") as error:
        recognise([path])
    assert f"--corpus {path}/a.jsonl" in (error.value.hint or "")
    given = DataOptions(given={f"{path}/a.jsonl": "corpus"})
    assert {name: role for name, (role, _, _) in found(path, given).items()} == {"a.jsonl": "corpus", "b.tsv": "topics"}


def test_cranfields_grades_are_open(folder: Folder) -> None:
    path = folder({"cranqrel": "1 184 1\n1 29 4\n1 30 -1\n"})
    with pytest.raises(BadInput, match="the best grade could be 1 or 4") as error:
        recognise([path])
    assert "--best-grade 1" in (error.value.hint or "")
    for best, first in ((1, True), (4, False)):
        [file] = recognise([path], DataOptions(best_grade=best)).of("qrels")
        assert file.best_first == first


def test_a_mapped_table(folder: Folder) -> None:
    path = folder({"a.csv": "key,headline,body\n1,T,x\n"})
    options = DataOptions(fields=read_map("docno=key,title=headline,text=body"))
    assert found(path, options)["a.csv"][0] == "corpus"


@pytest.mark.parametrize(
    ("names", "options", "expected"),
    [
        (["a.qrels", "b.qrels.gz"], {}, ["a", "b"]),
        (["x/qrels.tsv", "y/qrels.tsv"], {}, ["x", "y"]),
        (["x/test.tsv", "y/test.tsv"], {}, ["x-test", "y-test"]),
        (["a.qrels"], {"edition": "official"}, ["official"]),
    ],
)
def test_editions(folder: Folder, names: list[str], options: dict[str, str], expected: list[str]) -> None:
    path = folder(dict.fromkeys(names, "1 0 d1 1\n"))
    assert edition(path, DataOptions(edition=options.get("edition"))) == expected


def test_one_edition_for_two_files(folder: Folder) -> None:
    with pytest.raises(BadArgument, match="one edition, 'x', for 2 files"):
        recognise([folder({"a.qrels": "1 0 d 1\n", "b.qrels": "1 0 d 1\n"})], DataOptions(edition="x"))


def test_judgments_of_other_queries(folder: Folder) -> None:
    path = folder({**BEIR, "qrels/test.tsv": "query-id\tcorpus-id\tscore\n17\td1\t1\n"})
    with pytest.raises(BadInput, match=r"test\.tsv: none of its queries is in the topics: '17' …; the topics have 'q1'"):
        recognise([path])


def test_two_texts_for_a_query(folder: Folder) -> None:
    path = folder({"a-queries.tsv": "1\tone two three\n", "b-queries.tsv": "1\tanother text here\n"})
    with pytest.raises(
        BadInput, match=r"b-queries\.tsv:1: query 1 is 'another text here', but 'one two three' in .*a-queries\.tsv"
    ):
        recognise([path])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("All of this is a sentence.\n", "neither documents, queries, judgments nor a run"),
        ("", "neither documents"),
        (b"\x89PNG\r\n\x1a\n\0\0", "neither documents"),
        (b"\x93NUMPY\x01\0v\0{'descr': '<f4'}", "an array of NumPy, for 'stc load --as vectors'"),
        ("qid,query\n1,a\n".encode("utf-16"), "UTF-16"),
        (gzip.compress(b"1 0 d 1\n" * 1000, mtime=0)[:40], "truncated or damaged"),
        ("{" * 100_000, "neither documents"),
        ("x" * 2**20, "neither documents"),
    ],
)
def test_a_file_that_is_named_and_none_of_these(folder: Folder, content: str | bytes, message: str) -> None:
    path = folder({"a": content, "b.qrels": "1 0 d 1\n"})
    with pytest.raises(BadInput, match=message):
        recognise([f"{path}/a"])
    assert found(path)["a"][0] is None  # in a folder it is skipped


def test_paths_that_are_not_there(folder: Folder) -> None:
    with pytest.raises(BadArgument, match="no file /no/such"):
        recognise(["/no/such"])
    with pytest.raises(BadInput, match="no documents, queries or judgments"):
        recognise([folder({"README": "Nothing here.\n"})])


def test_a_file_that_is_clear_and_cannot_be_read(folder: Folder) -> None:
    with pytest.raises(BadInput, match=r"queries\.jsonl:2: not JSON"):
        recognise([folder({**BEIR, "queries.jsonl": '{"_id": "q1", "text": "voice"}\n{"_id": "q2", "text": }\n'})])
    with pytest.raises(BadInput, match="none of the first 1 record is a document"):
        recognise([folder({"docs.jsonl": json.dumps({"docno": "1", "abstract": ""})})])


ROLES: dict[str, dict[str, str]] = {
    "cacm": {"cacm.all": "corpus", "query.text": "topics", "qrels.text": "qrels"},
    "cranfield": {"cran.all.1400": "corpus", "cran.qry": "topics", "cranqrel": "qrels"},
    "npl": {"doc-text.trec": "corpus", "query-text.trec": "topics", "qrels": "qrels"},
    "trec-dl/dl23": {"queries.tsv": "topics", "gpt4.qrels": "qrels", "nist.qrels": "qrels"},
    "simpletext": {
        "simpletext_2024_task1_queries.csv": "topics", "simpletext_2024_task1_queries.json": "topics",
        "train_G01-G15.qrels": "qrels",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", list(ROLES))
def test_real_collections(data: Path, name: str) -> None:
    files = recognise([str(data / name)], DataOptions(best_grade=1)).files

    def below(one: RecognisedFile) -> str:
        return one.within(str(data / name))

    assert {below(one): one.role for one in files if one.role not in (None, "runs")} == ROLES[name]
    assert all(below(one).startswith("runs/") for one in files if one.role == "runs")
