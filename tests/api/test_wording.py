"""Hints in the words of Python: no command and no option of the command line is left in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import stcollection
from stcollection.api.analyses import Analyses
from stcollection.api.collection import Collection
from stcollection.api.complexity import Complexity
from stcollection.api.stages import CorpusStage, QrelsStage, RunsStage, TextStage, TopicsStage, VectorsStage
from stcollection.api.wording import CALLS, in_python
from stcollection.cli import stc
from tests.acceptance.test_commands import commands
from tests.sql_paths import sql_paths

ROOT = Path(__file__).resolve().parents[2]
_HINTS = re.compile(r"HINT = (?:format\()?((?:\s*'(?:[^']|'')*')+)")
_COMMAND_OR_OPTION = re.compile(r"\bstc (?!…)[a-z-]|(?<![\w-])--[a-z]")


@pytest.mark.parametrize(
    ("hint", "method", "written"),
    [
        ("'stc vectors embed' makes them.", None, "c.vectors.embed() makes them."),
        (
            "Build it again: stc index --rebuild. Or not.",
            None,
            "Build it again: c.text.index(rebuild=True). Or not.",
        ),
        ("'stc vectors embed --field title' makes them.", None, 'c.vectors.embed(fields=["title"]) makes them.'),
        ("Load documents first: stc load --as corpus PATH.", None, "Load documents first: c.corpus.load(path)."),
        ("Name the file: stc load --as corpus FILE.zip", None, "Name the file: c.corpus.load(file)"),
        ("stc load --as runs, or stc run.", None, "c.runs.load(path), or c.run(system)."),
        ("Run 'stc --db mine db upgrade'.", None, "Run 'stc db upgrade' (in a shell)."),
        ("--on-duplicate first or last takes one.", TopicsStage.add, 'on_duplicate="first" or "last" takes one.'),
        ("Take another --name, or --replace to do so.", RunsStage.add, "Take another name=…, or replace=True to do so."),
        ("Take --unknown-docs stub.", QrelsStage.add, 'Take options=stcollection.JudgmentOptions(unknown_documents="stub").'),
        ("Say 1: --map 5=….", QrelsStage.add, "Say 1: options=stcollection.JudgmentOptions(grades={5: …})."),
        ("Is it right? --format names another.", TopicsStage.add, "Is it right? layout=… names another."),
        ("Take --format jsonl, or leave it out.", CorpusStage.load, 'Take format="jsonl", or leave it out.'),
        (
            "As in Cranfield's: --best-grade 1.",
            Collection.load,
            "As in Cranfield's: options=stcollection.DataOptions(best_grade=1).",
        ),
        ("Say it: --corpus my/f.txt, or --qrels.", None, "Say it: c.corpus.load(path), or c.qrels.add(path, edition=…)."),
        ("Type PGOPTIONS='-c lock_timeout=5min' stc ….", None, "Type c.sql(\"SET lock_timeout = '5min'\")."),
        ("STC_MAX_UNPACKED=8GB stc …", None, 'os.environ["STC_MAX_UNPACKED"] = "8GB"'),
        ("one edition with two (-m AP -m RR).", None, "one edition with two (measures=['AP', 'RR'])."),
        ("To average, use 'stc qrels impact --all'.", None, "To average, use c.analysis.impact(a, b, every=True)."),
        ("pip install --upgrade stcollection.", None, "pip install --upgrade stcollection."),
        ("there is no run 'a --replace b'", None, "there is no run 'a --replace b'"),
        ("Run the same command again.", None, "Run the same call again."),
    ],
)
def test_a_hint(hint: str, method: object, written: str) -> None:
    assert in_python(hint, method) == written  # type: ignore[arg-type]
    assert in_python(written, method) == written  # type: ignore[arg-type]


def texts(node: ast.AST) -> Iterator[str]:
    """The texts that an argument of an error can be, with X for each value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    else:
        for child in ast.iter_child_nodes(node):
            yield from texts(child)


def hints() -> Iterator[str]:
    """The hints and messages of errors, in Python and in SQL; those of the other faces left out."""
    for path in (ROOT / "stcollection").rglob("*.py"):
        if path.relative_to(ROOT).parts[1] in ("cli", "explore", "serve"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and re.search(r"Error|Bad|Unknown|bad_line", ast.unparse(node.func)):
                for value in [*node.args, *(one.value for one in node.keywords)]:
                    yield from texts(value)
            elif isinstance(node, ast.Assign) and re.search(r"hint", ast.unparse(node.targets[0]), re.IGNORECASE):
                yield from texts(node.value)
    for path in sql_paths():
        for found in _HINTS.findall(path.read_text()):
            yield "".join(re.findall(r"'((?:[^']|'')*)'", found.replace("''", "\0"))).replace("\0", "'").replace("%s", "X")


def test_no_command_is_left_in_a_hint() -> None:
    found = [one for one in dict.fromkeys(hints()) if _COMMAND_OR_OPTION.search(one)]
    assert len(found) > 150
    kept = r"'(?:stc|pg_config) [^']*'(?: \(in a shell\)|, then)|pip install .*|the schema stc\b"
    written = [re.sub(kept, "", in_python(one)) for one in found]
    assert [one for one in written if _COMMAND_OR_OPTION.search(one)] == []


def test_the_tables_name_commands_and_calls_that_exist() -> None:
    there = {" ".join(words) for words, _ in commands(stc)}
    assert {words.partition(" --")[0] for words in CALLS} <= there
    stages = {
        "corpus": CorpusStage, "text": TextStage, "vectors": VectorsStage, "topics": TopicsStage, "qrels": QrelsStage,
        "runs": RunsStage, "complexity": Complexity, "analysis": Analyses,
    }  # fmt: skip
    for call, _ in CALLS.values():
        place, *names = call.split(".")
        found: object = stcollection if place == "stcollection" else Collection
        for name in names:
            found = stages[name] if name in stages else getattr(found, name)
        assert callable(found), call
