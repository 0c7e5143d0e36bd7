"""The simple loop: NLTK with CMUdict, readability and textstat, called for each text as in their documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nltk
import readability
import textstat
from nltk.tokenize import word_tokenize

Values = tuple[float | None, ...]
Pronunciations = Mapping[str, list[list[str]]]
Split = Callable[[str], list[str]]
READ = (
    "sentences", "words", "syllables", "characters", "wordtypes", "long_words", "complex_words", "characters_per_word",
    "words_per_sentence", "syll_per_word", "type_token_ratio",
)  # fmt: skip


def measure(text: str, *, sent_tokenize: Split, cmudict: Pronunciations) -> Values:
    """Return the 20 measures. Call it within :func:`offered`, since textstat reads CMUdict from NLTK's search path."""
    sentences = sent_tokenize(text)
    tokens = [word_tokenize(sentence, preserve_line=True) for sentence in sentences]
    known = [word.lower() for sentence in tokens for word in sentence if word.lower() in cmudict]
    syllables = sum(phone[-1].isdigit() for word in known for phone in cmudict[word][0])
    n = len(sentences)
    by_nltk: list[float | None] = [n, sum(map(len, tokens)), len(known), syllables]
    by_nltk += [len(known) / n if n else None, syllables / len(known) if known else None]
    by_nltk += [0.39 * (len(known) / n) + 11.8 * (syllables / len(known)) - 15.59 if known else None]
    try:
        told: Any = readability.getmeasures("\n".join(" ".join(sentence) for sentence in tokens), lang="en")["sentence info"]
    except ValueError:  # the text has no words
        told = dict.fromkeys(READ)
    return (*by_nltk, *(told[name] for name in READ), textstat.flesch_kincaid_grade(text), textstat.flesch_reading_ease(text))


def pronunciations(syllables: Mapping[str, int]) -> Pronunciations:
    """Return a dictionary with made-up pronunciations that have the given numbers of syllables."""
    return {word: [["AH0"] * count or ["HH"]] for word, count in syllables.items()}


@contextmanager
def offered(folder: Path, entries: Pronunciations) -> Iterator[None]:
    """Provide CMUdict in NLTK's search path and file format; otherwise textstat would download it."""
    file = folder / "corpora" / "cmudict" / "cmudict"
    file.parent.mkdir(parents=True)
    lines = [f"{word} 1 {' '.join(phones)}\n" for word, several in entries.items() for phones in several]
    file.write_text("".join(lines), encoding="utf-8")
    before = list(nltk.data.path)
    nltk.data.path[:] = [str(folder)]
    try:
        yield
    finally:
        nltk.data.path[:] = before
