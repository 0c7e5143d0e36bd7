"""Measures of texts equal those of the libraries, called text by text."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stcollection.analysis.measured import READABILITY
from stcollection.complexity.measures import Meter
from stcollection.complexity.resources import read_resources
from tests.complexity.conftest import Plain
from tests.examples import examples

pytestmark = pytest.mark.slow

HOSTILE = {
    "empty": "",
    "blanks": "\n\n \t",
    "one word": "word",
    "no full stop": "the text goes on and on without ever coming to any end at all",
    "capitals": "ALL OF THIS IS WRITTEN IN CAPITALS. SO IS THIS: NATO AND THE EU.",
    "formulas": r"Let E = mc^2 + \alpha_{i} (x<y), f(x)=\sum_i x_i! Then n >= 3.14; O(n log n), a,b,,c and p<.05.",
    "Chinese": "这是一个摘要。我们提出了一种方法。 本文 很 短 。",
    "50 kB": "interoperability " * 3_000,
    "50 kB in one piece": "x" * 50_000,
    "50 kB of dots": "a.b.c.d " * 6_000,
    "dots": "...",
    "marks": "?! . ; -- ()",
    "quotations": "\"quoted\" said he. 'yes' he said. \"A.\" B ``so'' it ' goes '' on.",
    "apostrophes": "users' dogs' 'tis cannot gonna 'twas rock 'n' roll's it's don't D'Amato gimme more'n wanna know",
    "brackets": "It ends (so.) And again. ) Then [this.] ] End.)",
    "abbreviations": "Dr. Smith et al. (2010) showed, e.g. X, i.e. Y, cf. Fig. 3 etc. Then we came. In the U.S. it is so.",
    "letters": "İstanbul ΣΑΣ. ΟΔΟΣ Straße naïve café co-operation",
    "numbers": "½ ² ١٢٣ 1,000 3.5. 10:30, 50% of $5 #1 5-10 2nd",
    "blanks of all kinds": "a\u2028b\x1cc word.\u00a0Next\u3000one\u200bjoined\nline",
    "our own mark": "a \ue000 b \ue000. c",
    "a sentence within a stretch": "It ends.)Next one begins here! And...so?on it goes.We see.",
    "nul and the like": "a\x01b \x7f c\ufeffd",
    "emoji": "great 👍🏽 work 👩‍🔬. Yes!",
}


@pytest.fixture(scope="module")
def meter() -> Meter:
    return Meter(read_resources())


@pytest.mark.parametrize("name", HOSTILE)
def test_unusual_texts_equal_the_libraries(name: str, meter: Meter, by_the_libraries: Plain) -> None:
    [found] = meter.measure([HOSTILE[name]])
    assert found == by_the_libraries(HOSTILE[name])
    assert len(found) == len(READABILITY)


def test_texts_measured_together_equal_single_texts(meter: Meter, by_the_libraries: Plain) -> None:
    texts = [*HOSTILE.values(), " ".join(HOSTILE.values()), *HOSTILE.values()]
    assert meter.measure(texts) == [by_the_libraries(text) for text in texts]


WORDS = "'s n't '' `` -- ... cannot gonna the The e.g. i.e. results Fig. 3.14 users « » “ ” ‘ ’ – é Σ 中 。".split()  # noqa: SIM905
PIECES = st.sampled_from([*"abzAZ09.,;:!?'\"`()[]{}<>-_/\\%$#@&*+=~^|", *WORDS, "et al.", "\n", "\u00a0", "\ue000", *" " * 24])


@examples(600)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_text_equals_the_libraries(meter: Meter, by_the_libraries: Plain, text: str) -> None:
    assert meter.measure([text]) == [by_the_libraries(text)]


def test_caching_does_not_change_the_values(by_the_libraries: Plain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcollection.complexity.measures._REMEMBERED", 50)  # a small cache, cleared often
    monkeypatch.setattr("stcollection.complexity.measures._AT_ONCE", 3)
    texts = list(HOSTILE.values()) * 2
    random.Random(5).shuffle(texts)
    meter = Meter(read_resources())
    assert [meter.measure([text])[0] for text in texts] == [by_the_libraries(text) for text in texts]


def test_a_hand_counted_text(meter: Meter) -> None:
    # 2 sentences. Tokens: The system , e.g. ours , works . Users trust it .
    [found] = meter.measure(["The system, e.g. ours, works. Users trust it."])
    told = dict(zip(READABILITY, found, strict=True))
    assert (told["nltk_sent"], told["nltk_tok"]) == (2, 12)
    # CMUdict has all tokens except punctuation and e.g.: the(1) system(2) ours(2: AW1 ER0) works(1) users(2) trust(1) it(1)
    assert (told["cmu_tok"], told["cmu_syl"]) == (7, 10)
    assert told["cmu_fkgl"] == pytest.approx(0.39 * 7 / 2 + 11.8 * 10 / 7 - 15.59)
    # readability counts as words all tokens that are not only punctuation
    assert (told["read_sent"], told["read_tok"], told["read_wordtypes"]) == (2, 8, 8)
    assert told["read_char"] == len("Thesysteme.g.oursworksUserstrustit")
    # textstat's sentences: "The system, e." "g." "ours, works." "Users trust it."; two of them have three words or more. It reads
    # "e.g." as "eg", with one syllable: 11 syllables in 8 words.
    assert told["textstat_fkgl"] == pytest.approx(0.39 * 8 / 2 + 11.8 * 11 / 8 - 15.59)
    assert told["textstat_fre"] == pytest.approx(206.835 - 1.015 * 8 / 2 - 84.6 * 11 / 8)
