"""Names of the document measures (view document_measures), and which values of them are easier to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from stcollection.errors import BadArgument

Grouping = Literal["year", "venue", "doc_type", "field"]
Aspect = Literal["complexity", "credibility"]
GROUPINGS: tuple[str, ...] = get_args(Grouping)
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
READABILITY = (
    "nltk_sent", "nltk_tok", "cmu_tok", "cmu_syl", "cmu_wrd_per_sent", "cmu_syl_per_wrd", "cmu_fkgl", "read_sent", "read_tok",
    "read_syl", "read_char", "read_wordtypes", "read_long_words", "read_complex_words", "read_char_per_wrd", "read_wrd_per_sent",
    "read_syl_per_wrd", "read_type_token_ratio", "textstat_fkgl", "textstat_fre",
)  # fmt: skip
SHARES = ("long_word_share", "complex_word_share")
CREDIBILITY = ("citations", "references", "citations_per_year", "citation_percentile", "age")
MEASURES = (*READABILITY, *SHARES, *CREDIBILITY)
COUNTED = ("citations", "references")  # span several powers of ten; drawn on a logarithmic axis
WHOLE = (
    *COUNTED, "nltk_sent", "nltk_tok", "cmu_tok", "cmu_syl", "read_sent", "read_tok", "read_syl", "read_char", "read_wordtypes",
    "read_long_words", "read_complex_words",
)  # fmt: skip
_LOWER_IS_EASIER = {
    "cmu_fkgl", "textstat_fkgl", "cmu_wrd_per_sent", "read_wrd_per_sent", "cmu_syl_per_wrd", "read_syl_per_wrd",
    "read_char_per_wrd", "read_long_words", "read_complex_words", *SHARES,
}  # fmt: skip


def several_measures(names: Sequence[str]) -> Sequence[str]:
    """Return the measures to correlate: those of readability without names, every measure for the name ``all``."""
    if len(names) == 1 and names[0] != "all":
        raise BadArgument(f"{names[0]} alone", hint="Name at least two measures, or none for those of readability, or all.")
    return MEASURES if list(names) == ["all"] else list(names) or READABILITY


def better(measure: str) -> str | None:
    """Return which values of a measure are better for non-expert readers: ``low``, ``high``, or None if neither is."""
    if measure in _LOWER_IS_EASIER:
        return "low"
    return "high" if measure == "textstat_fre" or measure in CREDIBILITY[:-1] else None
