"""Sections of ir_metadata and types of their entries: the checklists of https://www.ir-metadata.org, versions 0.1 and 0.2.

Breuer, Keller, Schaer: ir_metadata: An Extensible Metadata Schema for IR Experiments, SIGIR 2022. Unknown entries are accepted
unchecked, since the schema can be extended; unknown sections are faults. Comparison of names ignores case and treats space, - and _
as equal: both ``schema-version`` and ``schema version`` are in use.
"""

from __future__ import annotations

from typing import Any, Final

SCALAR: Final = "a scalar"
BOOLEAN: Final = "true or false"
SCALARS: Final = "a sequence of scalars"
MAPPINGS: Final = "a sequence of mappings"
ANY: Final = "anything"


def plain(name: str) -> str:
    """Normalise a name for comparison."""
    return " ".join(name.lower().replace("-", " ").replace("_", " ").split())


def _scalars(names: str) -> dict[str, Any]:
    return dict.fromkeys(map(str.strip, names.split(",")), SCALAR)


_COLLECTION = _scalars("name, source, qrels, topics, ir datasets")

SECTIONS: dict[str, Any] = {
    **_scalars("schema version, run version, tag"),
    "platform": {
        "hardware": {
            "cpu": _scalars("model, architecture, operation mode, number of cores"),
            "gpu": ANY,
            "ram": SCALAR,
        },
        "operating system": _scalars("platform, kernel, distribution"),
        "software": {"libraries": ANY, "retrieval toolkit": SCALARS},
    },
    "research goal": {
        "venue": _scalars("name, year"),
        "publication": _scalars("dblp, doi, arxiv, url, abstract"),
        "evaluation": {"reported measures": SCALARS, "baseline": SCALARS, "significance test": MAPPINGS},
    },
    "implementation": {
        "executable": {"cmd": ANY},  # tirex_tracker writes a sequence
        "source": {"lang": SCALARS, **_scalars("repository, commit")},
    },
    "method": {
        "automatic": BOOLEAN,
        "score ties": SCALAR,
        "indexing": _scalars("tokenizer, stemmer, stopwords"),
        "retrieval": MAPPINGS,
    },
    "actor": {**_scalars("name, orcid, team"), "fields": SCALARS, **_scalars("mail, role, degree, github, twitter")},
    "data": {"test collection": _COLLECTION, "training data": MAPPINGS, "other": MAPPINGS},
    "resources": {},
}
