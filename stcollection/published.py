"""The settings of the published collection, SimpleText-1, for ``--published``.

This is the only place that states them, except for the numbers of lists and probes, which SQL computes from the number of rows
(sql/vectors/ivfflat_lists.sql, ivfflat_probes.sql).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PublishedStep:
    """The settings of one step. :param about: the settings in words. :param options: value by parameter of the command.

    An option with the value None is not allowed beside ``--published``.
    """

    about: str
    options: Mapping[str, object]


LOAD = PublishedStep(
    about="dblp v12; the first of several records with one id is kept", options={"name": "dblp-v12", "on_duplicate": "skip"}
)
TEXT_INDEX = PublishedStep(
    about="PostgreSQL's english stemmer and stop words, and its separation of words",
    options={"config": "english", "words": "published"},
)
EMBED = PublishedStep(
    about="all-MiniLM-L6-v2 in full precision, without prefixes",
    options={
        "model": "all-MiniLM-L6-v2",
        "short": None,
        "precision": "fp32",
        "backend": "torch",
        "query_prefix": None,
        "passage_prefix": None,
        "dimensions": None,
        "pooling": None,
        "max_tokens": None,
    },
)
VECTOR_INDEX = PublishedStep(
    about="ivfflat in full precision, rows/1000 lists, 65 probes",
    options={
        "model": None,
        "kind": "ivfflat",
        "half": False,
        "bits": None,
        "lists": None,
        "effort": None,
        "preset": "published",
    },
)
# System of the collection by the published system.
RUN_SYSTEMS = {"boolean": "conjunctive", "dense-title": "dense-title", "dense-abstract": "dense-abstract"}
RUN = PublishedStep(
    about="boolean requires every word; dense systems search an ivfflat index with 65 probes",
    options={"model": None, "query_from": "query", "exact": False},
)
EXPANSION = PublishedStep(
    about="10 neighbours by title with a cosine of at least .8, from grade 2",
    options={"neighbours": 10, "threshold": 0.8, "from_rel": 2, "rel": None, "field": "title", "model": None},
)
JUDGING = PublishedStep(
    about="the prompt in three parts, system, prefix and prompt", options={"prompt": "journalist", "context": None}
)
