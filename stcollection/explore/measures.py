"""Titles of the measures of documents."""

from __future__ import annotations

from stcollection.texts import later
from stcollection.web.words import t

TITLES = {
    "textstat_fkgl": later("reading grade (Flesch-Kincaid)"), "textstat_fre": later("reading ease (Flesch)"),
    "nltk_sent": later("sentences (NLTK)"), "nltk_tok": later("words (NLTK)"), "cmu_tok": later("words (CMUdict)"),
    "cmu_syl": later("syllables (CMUdict)"), "cmu_wrd_per_sent": later("words per sentence (CMUdict)"),
    "cmu_syl_per_wrd": later("syllables per word (CMUdict)"), "cmu_fkgl": later("reading grade (CMUdict)"),
    "read_sent": later("sentences"), "read_tok": later("words"), "read_syl": later("syllables"),
    "read_char": later("characters"), "read_wordtypes": later("different words"), "read_long_words": later("long words"),
    "read_complex_words": later("complex words"), "read_char_per_wrd": later("characters per word"),
    "read_wrd_per_sent": later("words per sentence"), "read_syl_per_wrd": later("syllables per word"),
    "read_type_token_ratio": later("different words per word"),
    "long_word_share": later("share of long words"), "complex_word_share": later("share of complex words"),
    "citations": later("citations"), "references": later("references"), "citations_per_year": later("citations per year"),
    "citation_percentile": later("citation percentile"), "age": later("age in years"), "year": later("year"),
}  # fmt: skip


def title_of(name: str) -> str:
    """Return the title of a measure, in the reader's language."""
    return t(TITLES.get(name, name))
