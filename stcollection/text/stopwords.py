"""Words that say nothing about a text's subject: function words, number words and the vocabulary of abstracts."""

from __future__ import annotations

from functools import cache

# Words of scikit-learn's list that can name a subject.
_SUBJECTS = frozenset(
    "bill bottom cry empty fill fire front interest mill move side sincere system thick thin top".split()  # noqa: SIM905
)
# Words of most abstracts, whatever their subject, and function words that scikit-learn's list omits.
_ABSTRACTS = """
    abstract according achieve achieved achieves aim aims allow allowed allows although analyse analysis analyze applied
    apply approach approaches article articles ask asked asks author authors available based better case cases cent certain
    change changed changes common compare compared comparing comparison conclude conclusion conclusions consider considered
    contribution current day days demonstrate demonstrated demonstrates describe described describes develop developed did
    difference differences different discuss discussed discusses does doing effect effective eighteen eighty especially
    evaluate evaluated evaluation evidence examine examined example examples existing experiment experimental experiments
    explain explained explore explored explores finding findings finds focus follow followed following follows fourteen
    furthermore gave general given gives good half help helps high higher highly hour hours identified identify immediately
    importance important improve improved improvement improves include included includes including increase increased instead
    introduce introduced introduces investigate investigated issue issues kind known large larger later likely limit limited
    low lower made main major make makes making method methodology methods minute minutes month months need needed needs new
    nineteen ninety novel number numbers obtain obtained old ones outperform outperforms paper papers particular percent
    percentage perform performed possible present presented presents problem problems propose proposed proposes provide
    provided provides providing purpose quite recent recently related remain remained remains report reported reports require
    required research researchers result resulted resulting results said second seven seventeen seventy shared short showed
    shown shows significant significantly similar simple single sixteen small smaller solution solve specific studied studies
    study suggest suggested suggests task technique techniques test tested tests thirteen thirty thousand today type
    types use used useful uses using usually various way ways week weeks went work worked working works year years
""".split()  # noqa: SIM905


@cache
def common_words() -> tuple[str, ...]:
    """Return the words, in alphabetical order.

    They are scikit-learn's English stop words, except those that can name a subject, and the vocabulary of abstracts.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return tuple(sorted((ENGLISH_STOP_WORDS - _SUBJECTS) | set(_ABSTRACTS)))
