"""Phrases that make readers stop are in no text that people read: pages, help, messages, docstrings, comments."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.docs.pages import REPOSITORY

#: Each phrase, and how to write it instead. Only phrases without a proper use in this project are listed.
PHRASES = {
    r"\bwhence\b|\bwhereof\b|\bthereof\b": "from where, its",
    r"\bbut for\b|\bsave for\b": "except",
    r"\b(?:is|are|was|were) told (?:of|apart|by)\b|\btold apart\b": "reported, distinguished",
    r"\bleft aside\b": "ignored, omitted",
    r"\bin step with\b|\bput in step\b": "up to date with",
    r"\bof one's own\b": "your own",
    r"(?:^|[.;:] )[Ww]ho may\b(?! [^?]*\?)": "name the role",
    r"\bno \w+ of (?:that|this) name\b": "no X named Y",
    r"\bas they stand\b|\bas it stands\b|\bwhat stands\b": "unchanged, current",
    r"\btaken for\b|\btakes? it for\b": "treated as",
}
READ = (".md", ".py", ".sql", ".js", ".html", ".toml", ".yml")
#: Texts that quote the phrases, and texts of releases that are applied once.
NOT_READ = ("tests/test_prose.py", "migrations/versions/")


def written() -> list[str]:
    """The files of the repository whose words people read."""
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.split("\n")
    return [path for path in listed if path.endswith(READ) and not path.startswith(NOT_READ) and "demo/data" not in path]


@pytest.mark.parametrize("phrase", PHRASES, ids=PHRASES.get)
def test_no_text_has_the_phrase(phrase: str) -> None:
    wanted = re.compile(phrase)
    found = [
        f"{path}:{number}: {line.strip()[:100]}"
        for path in written()
        for number, line in enumerate((REPOSITORY / path).read_text(encoding="utf-8").splitlines(), 1)
        if wanted.search(line)
    ]
    assert found == [], f"write instead: {PHRASES[phrase]}"
