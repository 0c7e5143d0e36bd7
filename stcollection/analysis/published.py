"""Published claims about synthetic queries on TREC 2023 Deep Learning, in our words, with their figures.

Each claim has the rule by which :mod:`stcollection.analysis.findings` decides whether data agree. The figures apply only to the
study's own queries, labels and systems; directions can be checked on any data with human and other queries. The source of a claim
is the paper that the study is known by, although other papers on the same data may print the figure too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

STUDY = "Rahmani, Craswell, Yilmaz, Mitra, Campos: Synthetic Test Collections for Retrieval Evaluation, SIGIR 2024"
TRACK = (
    "Craswell, Mitra, Yilmaz, Rahmani, Campos, Lin, Voorhees, Soboroff: Overview of the TREC 2023 Deep Learning Track, 2025"
    " (arXiv 2507.08890)"
)

SYSTEMS = 35  # systems of the track that the study ranks
MEASURE = "nDCG@10"
CLOSE = 0.9  # rankings with a tau of at least this count as equivalent (Voorhees, SIGIR 1998)
MARGIN = 0.05  # largest shift, in units of the measure, that counts as "almost no bias"
_QUERIES = "0e8581e44a8755b2d8e22739978f6c6eab8379ea49fb49ae69bbbd618ce3fcfa"  # SHA-256 of the 82 names joined by line feeds


class Claim(NamedTuple):
    """A published claim and the rule that it is checked by.

    :param published: the figure; None if the claim is a direction.
    :param places: decimal places it is printed with.
    :param affirmed, denied: for a direction, the result in words if the rule says "agrees", and if it says "does not".
    """

    id: str
    claim: str
    rule: str
    published: float | None = None
    places: int = 0
    source: str = STUDY
    affirmed: str = ""
    denied: str = ""

    def holds(self, ours: float) -> bool:
        """Return True if a figure equals the published one at its printed precision."""
        return self.published is not None and abs(ours - self.published) <= 0.5 * 10**-self.places + 1e-9


_AS_PRINTED = "agrees if equal to the published figure at its printed precision; undetermined on other data than the study's"
_INTERVAL = "(95 %, from resampled queries, not rounded)"
_BELOW = f"agrees if figure and interval {_INTERVAL} are below 0, does not if they are above"
_ABOVE = f"agrees if figure and interval {_INTERVAL} are above 0, does not if they are below"


def _relevant(origin: str, name: str, figure: float) -> Claim:
    return Claim(f"relevant-{origin}", f"{name} queries have {figure} relevant documents each", _AS_PRINTED, figure, 2)


def _tau(kind: str, a: str, b: str, figure: float) -> Claim:
    labels = "people's labels" if kind == "human" else "GPT-4's labels"
    words = {"all": "all", "human": "real", "t5": "T5", "gpt-4": "GPT-4"}
    text = f"{SYSTEMS} systems by {MEASURE} under {labels}: tau of {words[a]} and {words[b]} queries is {figure}"
    return Claim(f"tau-{a}-{b}-{kind}", text, _AS_PRINTED, figure, 3)


CLAIMS = {
    claim.id: claim
    for claim in (
        _relevant("human", "real", 120.12),
        _relevant("t5", "T5", 71.77),
        _relevant("gpt-4", "GPT-4", 77.89),
        _tau("human", "all", "human", 0.939),
        _tau("human", "human", "t5", 0.872),
        _tau("human", "human", "gpt-4", 0.817),
        _tau("llm", "all", "human", 0.976),
        _tau("llm", "human", "t5", 0.882),
        _tau("llm", "human", "gpt-4", 0.865),
        Claim("agreement-grades", "people and GPT-4 give 51.3 % of documents the same grade (of four)", _AS_PRINTED, 0.513, 3),
        Claim(
            "agreement-binary",
            "people and GPT-4 agree whether a document is relevant for 68.4 % of documents",
            _AS_PRINTED,
            0.684,
            3,
        ),
        Claim(
            "all-as-real",
            "all queries rank systems nearly as the real ones among them do",
            f"agrees if the interval of tau {_INTERVAL} is at {CLOSE} or above, does not if it is below",
            source=TRACK,
            affirmed="all queries rank systems nearly as the real ones among them do",
            denied="all queries do not rank systems as the real ones among them do",
        ),
        Claim(
            "other-underestimated",
            "synthetic queries slightly underestimate systems that use neither GPT nor T5",
            _BELOW,
            affirmed="synthetic queries underestimate systems that use neither GPT nor T5",
            denied="synthetic queries overestimate systems that use neither GPT nor T5",
        ),
        Claim(
            "gpt-favoured",
            "GPT-4 queries slightly favour systems that use GPT",
            _ABOVE,
            affirmed="GPT-4 queries favour systems that use GPT",
            denied="GPT-4 queries disfavour systems that use GPT",
        ),
        Claim(
            "t5-unbiased",
            "T5 queries show almost no bias for systems that use T5",
            f"agrees if the interval {_INTERVAL} is within ±{MARGIN}, does not if it exceeds it and excludes 0",
            affirmed=f"T5 queries shift systems that use T5 by {MARGIN} at most",
            denied="T5 queries favour or disfavour systems that use T5",
        ),
        Claim(
            "t5-harder",
            "T5 queries are harder than real ones: systems score lower",
            _BELOW,
            affirmed="T5 queries are harder than real ones",
            denied="T5 queries are easier than real ones",
        ),
        Claim(
            "t5-non-relevant",
            "a larger share of the documents pooled for T5 queries is not relevant than for real ones",
            _ABOVE,
            affirmed="a larger share of the documents judged for T5 queries is not relevant than for real ones",
            denied="a smaller share of the documents judged for T5 queries is not relevant than for real ones",
        ),
        Claim(
            "sparse-unreliable",
            "sparse labels rank systems unreliably: human judgments are needed",
            f"agrees if the interval of tau with people's labels {_INTERVAL} is below {CLOSE}, does not if it is above",
            affirmed="sparse labels rank systems differently from people's labels",
            denied="sparse labels rank systems nearly as people's labels do",
        ),
    )
}


def of_the_study(queries: Iterable[str]) -> bool:
    """Return True if these names are the judged queries of the study, the only data that its figures describe."""
    return hashlib.sha256("\n".join(sorted(queries)).encode()).hexdigest() == _QUERIES
