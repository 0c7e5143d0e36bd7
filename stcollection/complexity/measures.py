"""The 20 measures of a text, as computed by NLTK with CMUdict, readability and textstat, in one pass.

The libraries mostly look at one stretch of text between blanks at a time: NLTK's tokenizer rules rarely look past the next blank,
readability counts tokens, textstat counts words. Texts repeat the same stretches, so each stretch is passed to the libraries once
and the result is cached; the values of a text are sums over its stretches. Where the rules look further (quotation marks, ends of
sentences), NLTK gets the whole sentence.

The values equal those of the libraries called text by text, as the loop in benchmarks/plain.py does.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from nltk.tokenize import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
from readability import PUNCTRE
from readability.langdata import countsyllables_en, fallback_cache
from textstat import backend

from stcollection.complexity.resources import Resources

Values = tuple[float | None, ...]
# Ten counts packed into one integer, so that one addition adds them all (_COUNTS): tokens, those in CMUdict, their syllables; the
# number of readability's words, their syllables, characters, long and complex ones; textstat's words and their syllables. The
# second element lists readability's words.
_Part = tuple[int, tuple[str, ...]]

_COUNTS = struct.Struct("<10I")
_REMEMBERED = 800_000  # cached stretches, words and tokens (about 300 MB); then the cache is cleared
_AT_ONCE = 2_000  # stretches passed to NLTK per call
# readability's list of exceptions. It also caches each word there, without a limit and without a function that clears it.
_EXCEPTIONS = dict(fallback_cache)
# readability's limits of long words (characters) and complex words (syllables).
_LONG, _COMPLEX = 7, 3
_CONTEXTS = 100_000  # cached contexts of full stops
_BETWEEN = "\ue000"  # separates stretches within one NLTK call; a token that no rule matches
# Marks for which NLTK's rules look past a blank or consume it: quotation marks, but not an apostrophe within a word, or after it
# before the next word (users' needs).
_QUOTING = re.compile(rf"[\"`{_BETWEEN}]|(?<!\w)'|'(?!\w| \w)")
_WORD = re.compile(r"\w")
# textstat's pieces of a text between ends of sentences; it counts those of three words or more.
_PIECE = re.compile(r"\b[^.!?]+[.!?]*")
_WORDS_OF_A_SENTENCE = 3


class _Splitter(PunktSentenceTokenizer):  # type: ignore[misc]  # NLTK has no types
    """NLTK's Punkt, which decides on each context of a full stop once."""

    def __init__(self, parameters: PunktParameters) -> None:
        super().__init__(parameters)
        self._breaks = lru_cache(_CONTEXTS)(super().text_contains_sentbreak)

    def text_contains_sentbreak(self, text: str) -> bool:
        return bool(self._breaks(text))


class Meter:
    """Measures texts. Caching makes it faster from text to text. Not thread-safe."""

    def __init__(self, resources: Resources) -> None:
        self._syllables = resources.syllables
        self._resources = resources
        self._hyphenation = resources.hyphenation()
        self._tokens: Callable[[str], list[str]] = NLTKWordTokenizer().tokenize
        self._split: Callable[[str], list[str]] = _Splitter(resources.sentences).tokenize
        self._token: dict[str, _Part] = {}
        self._word: dict[str, tuple[int, int]] = {}
        # Tokens within a sentence, and at its end, where NLTK separates the full stop from the word.
        self._within: dict[str, _Part] = {}
        self._last: dict[str, _Part] = {}
        self._memories: list[dict[str, Any]] = [self._token, self._word, self._within, self._last]

    def measure(self, texts: Sequence[str]) -> list[Values]:
        """Return the measures of each text, in the order of the columns of ``st1_complexity_metrics``.

        Rates are None if the divisor is 0. readability rejects texts in which it finds no word; its 11 measures are then None.
        textstat's two measures are 0 for a text without words.
        """
        if sum(map(len, self._memories)) > _REMEMBERED:
            self._forget()
        split = [[(sentence, sentence.split()) for sentence in self._split(text)] for text in texts]
        self._learn(chain.from_iterable(split))
        return [self._measure(text, sentences) for text, sentences in zip(texts, split, strict=True)]

    def _forget(self) -> None:
        """Clear the caches, including the libraries' per-word caches, which would grow with the corpus."""
        for memory in self._memories:
            memory.clear()
        fallback_cache.clear()
        fallback_cache.update(_EXCEPTIONS)
        self._hyphenation = self._resources.hyphenation()

    def _measure(self, text: str, sentences: Sequence[tuple[str, list[str]]]) -> Values:
        n = len(sentences)
        counted, types = _added(chain.from_iterable(self._parts(*sentence) for sentence in sentences))
        stretches = text.split()
        tokens, cmu_tokens, cmu_syllables, *read, words, syllables = _COUNTS.unpack(counted.to_bytes(_COUNTS.size, "little"))
        if sum(len(pieces) for _, pieces in sentences) != len(stretches):  # a sentence ends within a stretch
            words, syllables = map(sum, zip(*map(self._textstat, stretches), strict=True))
        return (
            *_nltk(n, tokens, cmu_tokens, cmu_syllables),
            *_readability(n, *read, types=len(set(types))),
            *_flesch(words, syllables, sum(map(self._is_sentence, _PIECE.findall(text)))),
        )

    def _parts(self, sentence: str, stretches: Sequence[str]) -> Iterable[_Part]:
        """Yield the counts of a sentence's stretches; as one part if NLTK's rules reach from one stretch into another."""
        if _reaching(sentence, stretches):
            return [self._sum(self._tokens(sentence), stretches)]
        last = self._last.get(stretches[-1])
        if last is None:
            last = self._last[stretches[-1]] = self._sum(self._tokens(f"x {stretches[-1]}")[1:], stretches[-1:])
        return chain(map(self._within.__getitem__, stretches[:-1]), [last])

    def _learn(self, sentences: Iterable[tuple[str, list[str]]]) -> None:
        """Pass new stretches to NLTK, many per call."""
        new = {
            stretch
            for sentence, stretches in sentences
            if not _reaching(sentence, stretches)
            for stretch in stretches[:-1]
            if stretch not in self._within
        }
        waiting = list(new)
        for start in range(0, len(waiting), _AT_ONCE):
            batch = waiting[start : start + _AT_ONCE]
            tokens = iter(self._tokens(f"{_BETWEEN} {f' {_BETWEEN} '.join(batch)} {_BETWEEN}")[1:])
            for stretch in batch:
                self._within[stretch] = self._sum(list(iter(tokens.__next__, _BETWEEN)), [stretch])

    def _sum(self, tokens: Sequence[str], stretches: Sequence[str]) -> _Part:
        """Sum the counts of tokens by NLTK and readability, and of their stretches by textstat."""
        counted, types = _added(self._token.get(token) or self._count(token) for token in tokens)
        for stretch in stretches:
            counted += _packed(0, 0, 0, 0, 0, 0, 0, 0, *self._textstat(stretch))
        return counted, types

    def _count(self, token: str) -> _Part:
        """Look a token up in CMUdict, and count it as readability's ``getmeasures`` does, which takes longer per word."""
        syllables = self._syllables.get(token.lower())
        cmu = (1, 0, 0) if syllables is None else (1, 1, syllables)
        if PUNCTRE.match(token):
            part: _Part = (_packed(*cmu, 0, 0, 0, 0, 0, 0, 0), ())
        else:
            heard = countsyllables_en(token)
            complex_word = heard >= _COMPLEX and not token[0].isupper() and not token.isdigit()
            part = (_packed(*cmu, 1, heard, len(token), len(token) >= _LONG, complex_word, 0, 0), (token,))
        self._token[token] = part
        return part

    def _textstat(self, stretch: str) -> tuple[int, int]:
        """Return the number of textstat's words in a stretch (0 or 1) and their syllables, by CMUdict or else by hyphenation.

        textstat's ``syllable_count`` counts them likewise, but downloads NLTK's CMUdict.
        """
        counts = self._word.get(stretch)
        if counts is None:
            words = backend.selections.list_words(stretch, lowercase=True)
            counts = self._word[stretch] = (len(words), sum(map(self._heard, words)))
        return counts

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
    """Return True if NLTK's rules may reach from one stretch into another; closing brackets may follow a final full stop."""
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
    """Return textstat's Flesch-Kincaid grade level and Flesch reading ease."""
    if not words or not syllables:
        return (0.0, 0.0)
    length, sound = words / max(1, sentences), syllables / words
    return ((0.39 * length) + (11.8 * sound) - 15.59, 206.835 - 1.015 * length - 84.6 * sound)
