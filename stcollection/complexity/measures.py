"""The 20 measures of a text, as NLTK with CMUdict, readability and textstat have them, in one pass.

What the libraries do with a text is nearly all of it done with one stretch between blanks at a time: NLTK's rules for tokens look
no further than the blank beside it, readability counts tokens, textstat words. Texts are made of few such stretches over and
over, so each is handed to the libraries once and what they said of it is remembered; a text is then a sum over its stretches.
Where the rules do look further (quotation marks, the end of a sentence) NLTK gets the whole sentence.

The numbers are those of the libraries called text by text: benchmarks/plain.py is that loop.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from nltk.tokenize import NLTKWordTokenizer
from readability import PUNCTRE
from readability.langdata import countsyllables_en, fallback_cache
from textstat.backend.selections import list_words

from stcollection.complexity.resources import Resources

Values = tuple[float | None, ...]
# Ten counts in one integer, so that adding it adds them all (_COUNTS): tokens, those in CMUdict, their syllables; of readability's
# words the number, syllables, characters, long ones, complex ones; textstat's words, their syllables. And readability's words.
_Part = tuple[int, tuple[str, ...]]

_COUNTS = struct.Struct("<10I")
_REMEMBERED = 800_000  # stretches, words and tokens, some 300 MB; then it is begun anew
_AT_ONCE = 2_000  # stretches that NLTK gets in one call
_EXCEPTIONS = dict(fallback_cache)  # words whose syllables readability lists; it remembers others beside them
_CONTEXTS = 100_000  # of full stops
_BETWEEN = "\ue000"  # stands between stretches that NLTK gets in one call; a token of its own that no rule knows
# Marks by which NLTK's rules look past a blank or take it with them: quotation marks, but not the apostrophe within a word.
_QUOTING = re.compile(rf"[\"`{_BETWEEN}]|(?<!\w)'|'(?!\w)")
_WORD = re.compile(r"\w")
# textstat's pieces of a text, from one end of a sentence to the next; it counts those of three words or more.
_PIECE = re.compile(r"\b[^.!?]+[.!?]*")
_WORDS_OF_A_SENTENCE = 3


class Meter:
    """Measures texts. What it remembers makes it faster from text to text; not for several threads at once."""

    def __init__(self, resources: Resources) -> None:
        self._syllables = resources.syllables
        self._hyphenation = resources.hyphenation()
        self._tokens: Callable[[str], list[str]] = NLTKWordTokenizer().tokenize
        splitter = resources.splitter()
        splitter.text_contains_sentbreak = lru_cache(_CONTEXTS)(splitter.text_contains_sentbreak)
        self._split: Callable[[str], list[str]] = splitter.tokenize
        self._token: dict[str, _Part] = {}
        self._word: dict[str, tuple[int, int]] = {}
        # Beside others, and at the end of a sentence, where NLTK parts the full stop from its word.
        self._within: dict[str, _Part] = {}
        self._last: dict[str, _Part] = {}
        self._memories: list[dict[str, Any]] = [self._token, self._word, self._within, self._last]

    def measure(self, texts: Sequence[str]) -> list[Values]:
        """The measures of each text, in the order of the columns of ``st1_complexity_metrics``.

        Rates are None where there is nothing to divide by. Where readability finds no word it refuses the text: its 11 are None.
        textstat's two are 0 for a text without words.
        """
        if sum(map(len, self._memories)) > _REMEMBERED:
            self._forget()
        split = [[(sentence, sentence.split()) for sentence in self._split(text)] for text in texts]
        self._learn(chain.from_iterable(split))
        return [self._measure(text, sentences) for text, sentences in zip(texts, split, strict=True)]

    def _forget(self) -> None:
        """Begin anew: also what the libraries remember of each word, which would grow with the corpus."""
        for memory in self._memories:
            memory.clear()
        fallback_cache.clear()
        fallback_cache.update(_EXCEPTIONS)
        self._hyphenation.hd.cache.clear()

    def _measure(self, text: str, sentences: Sequence[tuple[str, list[str]]]) -> Values:
        n = len(sentences)
        counted, types = _added(chain.from_iterable(self._parts(*sentence) for sentence in sentences))
        stretches = text.split()
        tokens, cmu_tokens, cmu_syllables, *read, words, syllables = _COUNTS.unpack(counted.to_bytes(_COUNTS.size, "little"))
        if sum(len(some) for _, some in sentences) != len(stretches):  # a sentence ends within one: textstat has the whole of it
            words, syllables = map(sum, zip(*map(self._textstat, stretches), strict=True))
        return (
            *_nltk(n, tokens, cmu_tokens, cmu_syllables),
            *_readability(n, *read, types=len(set(types))),
            *_flesch(words, syllables, sum(map(self._is_sentence, _PIECE.findall(text)))),
        )

    def _parts(self, sentence: str, stretches: Sequence[str]) -> Iterable[_Part]:
        """Its stretches as the libraries see them; all in one where NLTK's rules reach from one into another."""
        if _reaching(sentence, stretches):
            return [self._sum(self._tokens(sentence), stretches)]
        last = self._last.get(stretches[-1])
        if last is None:
            last = self._last[stretches[-1]] = self._sum(self._tokens(f"x {stretches[-1]}")[1:], stretches[-1:])
        return chain(map(self._within.__getitem__, stretches[:-1]), [last])

    def _learn(self, sentences: Iterable[tuple[str, list[str]]]) -> None:
        """Hand the stretches that are new to NLTK, many in one call."""
        new = {
            stretch
            for sentence, stretches in sentences
            if not _reaching(sentence, stretches)
            for stretch in stretches[:-1]
            if stretch not in self._within
        }
        waiting = list(new)
        for start in range(0, len(waiting), _AT_ONCE):
            some = waiting[start : start + _AT_ONCE]
            tokens = iter(self._tokens(f"{_BETWEEN} {f' {_BETWEEN} '.join(some)} {_BETWEEN}")[1:])
            for stretch in some:
                self._within[stretch] = self._sum(list(iter(tokens.__next__, _BETWEEN)), [stretch])

    def _sum(self, tokens: Sequence[str], stretches: Sequence[str]) -> _Part:
        """The counts of tokens by NLTK and readability, and of the stretches they are from by textstat."""
        counted, types = _added(self._token.get(token) or self._count(token) for token in tokens)
        for stretch in stretches:
            counted += _packed(0, 0, 0, 0, 0, 0, 0, 0, *self._textstat(stretch))
        return counted, types

    def _count(self, token: str) -> _Part:
        """A token looked up in CMUdict, and counted as readability's ``getmeasures`` counts it."""
        syllables = self._syllables.get(token.lower())
        cmu = (1, 0, 0) if syllables is None else (1, 1, syllables)
        if PUNCTRE.match(token):
            part: _Part = (_packed(*cmu, 0, 0, 0, 0, 0, 0, 0), ())
        else:
            heard = countsyllables_en(token)
            hard = heard >= 3 and not token[0].isupper() and not token.isdigit()
            part = (_packed(*cmu, 1, heard, len(token), len(token) >= 7, hard, 0, 0), (token,))
        self._token[token] = part
        return part

    def _textstat(self, stretch: str) -> tuple[int, int]:
        """textstat's words in a stretch, one or none, and their syllables: by CMUdict, else by hyphenation."""
        found = self._word.get(stretch)
        if found is None:
            words = list_words(stretch, lowercase=True)
            found = self._word[stretch] = (len(words), sum(map(self._heard, words)))
        return found

    def _heard(self, word: str) -> int:
        syllables = self._syllables.get(word)
        return len(self._hyphenation.positions(word)) + 1 if syllables is None else syllables

    def _is_sentence(self, piece: str) -> bool:
        words = 0
        for stretch in piece.split():
            words += self._textstat(stretch)[0]
            if words == _WORDS_OF_A_SENTENCE:
                return True
        return False


def _reaching(sentence: str, stretches: Sequence[str]) -> bool:
    """Whether NLTK's rules may reach from one stretch into another; a last full stop may have closing brackets after it."""
    return not stretches or _QUOTING.search(sentence) is not None or _WORD.search(stretches[-1]) is None


def _packed(*counts: int) -> int:
    return int.from_bytes(_COUNTS.pack(*counts), "little")


def _added(parts: Iterable[_Part]) -> _Part:
    listed = list(parts)
    return sum([counted for counted, _ in listed]), tuple(chain.from_iterable([types for _, types in listed]))


def _nltk(sentences: int, tokens: int, cmu_tokens: int, cmu_syllables: int) -> Values:
    words = cmu_tokens / sentences if sentences else None
    if words is None or not cmu_tokens:
        return (sentences, tokens, cmu_tokens, cmu_syllables, words, None, None)
    syllables = cmu_syllables / cmu_tokens
    return (sentences, tokens, cmu_tokens, cmu_syllables, words, syllables, 0.39 * words + 11.8 * syllables - 15.59)


def _readability(
    sentences: int, words: int, syllables: int, characters: int, long_words: int, complex_words: int, *, types: int
) -> Values:
    if not words:
        return (None,) * 11
    return (
        sentences,
        words,
        syllables,
        characters,
        types,
        long_words,
        complex_words,
        characters / words,
        words / sentences,
        syllables / words,
        types / words,
    )


def _flesch(words: int, syllables: int, sentences: int) -> Values:
    """textstat's Flesch-Kincaid grade level and Flesch reading ease."""
    if not words or not syllables:
        return (0.0, 0.0)
    length, sound = words / max(1, sentences), syllables / words
    return ((0.39 * length) + (11.8 * sound) - 15.59, 206.835 - 1.015 * length - 84.6 * sound)
