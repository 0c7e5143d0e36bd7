"""The tables of complexity."""

from __future__ import annotations

import sqlalchemy as sa

from stcollection.db.tables.columns import BigInteger, Double, metadata

_NLTK = ("sent", "tok", "cmu_tok", "cmu_syl", "cmu_wrd_per_sent", "cmu_syl_per_wrd", "cmu_fkgl")
_READ = ("sent", "tok", "syl", "read_char", "wordtypes", "long_words", "complex_words", "char_per_wrd", "wrd_per_sent",
         "syl_per_wrd", "type_token_ratio")  # fmt: skip
MEASURES = (
    *(name if name.startswith("cmu") else f"nltk_{name}" for name in _NLTK),
    *(name if name.startswith("read_") else f"read_{name}" for name in _READ),
    "textstat_fkgl",
    "textstat_fre",
)

st1_complexity_metrics = sa.Table(
    "st1_complexity_metrics", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    *(sa.Column(name, Double) for name in MEASURES),
    comment="Readability of the abstracts by NLTK with CMUdict, readability and textstat",
)  # fmt: skip
