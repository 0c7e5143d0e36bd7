"""The tables of complexity: readability, credibility, and what people say of both."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from stcollection.db.tables.columns import (
    BigInteger,
    Boolean,
    Double,
    Integer,
    Moment,
    Name,
    Text,
    identity,
    metadata,
    named,
    needed,
    now,
    zero,
)

_TOKENS = "each is a word, number or mark of NLTK 3.10's word_tokenize"
_WORDS = "words are NLTK's tokens without those that are all punctuation"

# The 20 measures of an abstract: definition, unit, library. Rates are NULL where there is nothing to divide by; the measures of
# readability are NULL where it finds no word at all and so refuses the text.
MEASURES = {
    "nltk_sent": "sentences, a count: NLTK 3.10's Punkt",
    "nltk_tok": f"tokens, punctuation included, a count: {_TOKENS}",
    "cmu_tok": "tokens that CMUdict has, a count: NLTK 3.10's tokens in lower case, looked up in CMUdict",
    "cmu_syl": "syllables of the tokens that CMUdict has, a count: vowels of the first pronunciation of each",
    "cmu_wrd_per_sent": "cmu_tok / nltk_sent, words a sentence: NLTK 3.10 and CMUdict",
    "cmu_syl_per_wrd": "cmu_syl / cmu_tok, syllables a word: NLTK 3.10 and CMUdict",
    "cmu_fkgl": "Flesch-Kincaid grade level, years of US school: .39 cmu_wrd_per_sent + 11.8 cmu_syl_per_wrd - 15.59",
    "read_sent": "sentences, a count: readability 0.3, given NLTK's sentences one a line",
    "read_tok": f"words, a count: readability 0.3; {_WORDS}",
    "read_syl": "syllables of the words, a count: readability 0.3's rules, without a dictionary",
    "read_char": "characters of the words, a count: readability 0.3",
    "read_wordtypes": "different words, upper and lower case told apart, a count: readability 0.3",
    "read_long_words": "words of 7 characters or more, a count: readability 0.3",
    "read_complex_words": "words of 3 syllables or more, no capital first, not all digits, a count: readability 0.3",
    "read_char_per_wrd": "read_char / read_tok, characters a word: readability 0.3",
    "read_wrd_per_sent": "read_tok / read_sent, words a sentence: readability 0.3",
    "read_syl_per_wrd": "read_syl / read_tok, syllables a word: readability 0.3",
    "read_type_token_ratio": "read_wordtypes / read_tok, from 0 to 1: readability 0.3",
    "textstat_fkgl": "Flesch-Kincaid grade level, years of US school: textstat 0.7.13, its own sentences; 0 without words",
    "textstat_fre": "Flesch reading ease, about 0 (hard) to 100 (easy): textstat 0.7.13; 0 without words",
}  # fmt: skip

complexity_resources = sa.Table(
    "complexity_resources", metadata,
    identity(),
    needed("versions", pg.JSONB, comment="of Python, its Unicode tables and each library"),
    needed("files", pg.JSONB, comment="SHA-256 of what they look up: CMUdict, Punkt's parameters, hyphenation"),
    needed("fingerprint", Text, unique=True, comment="SHA-256 of versions and files: equal ones give equal numbers"),
    now("first_used"),
    comment="What readability was computed with: libraries and their data",
)  # fmt: skip

st1_complexity_metrics = sa.Table(
    "st1_complexity_metrics", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    *(sa.Column(name, Double, index=name == "textstat_fkgl", comment=says) for name, says in MEASURES.items()),
    sa.Column("resources", Integer, sa.ForeignKey("complexity_resources.id"), comment="what computed the row"),
    comment="Readability of the abstracts by NLTK with CMUdict, readability and textstat",
)  # fmt: skip

citation_ranks = sa.Table(
    "citation_ranks", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    needed("by_year", Double, comment="percentile of n_citation among the documents of its year, 0 to 100"),
    sa.Column("by_field", Double, comment="the same among those of its year and field, its mean over the fields; NULL: too few"),
    needed("percentile", Double, index=True, comment="by_field, else by_year: what filters read"),
    zero("fields", Integer, comment="fields of study that by_field is the mean of"),
    comment="Derived: where each document stands by its citations; rank_citations makes it anew",
)  # fmt: skip

credibility_basis = sa.Table(
    "credibility_basis", metadata,
    sa.Column("single", Boolean, primary_key=True, server_default=sa.true()),
    needed("as_of", Integer, comment="the year that ages are counted to"),
    needed("least", Integer, comment="documents that a field needs in a year to be compared within"),
    needed("documents", BigInteger, comment="how many were ranked"),
    now("ranked"),
    sa.CheckConstraint("single", name="single"),
    comment="What citation_ranks was made from: at most one row",
)  # fmt: skip

annotators = sa.Table(
    "annotators", metadata,
    sa.Column("annotator", Name, primary_key=True),
    needed("annotator_group", Name, index=True, comment="as Humanities bachelor, CS bachelor, CS master"),
    needed("simulated", Boolean, server_default=sa.false(), comment="an invented person"),
    *named("annotator", "annotator_group"),
    comment="Who graded documents, and the group each belongs to",
)  # fmt: skip

grades = sa.Table(
    "annotations", metadata,
    sa.Column("doc", BigInteger, sa.ForeignKey("dblp.id"), primary_key=True, autoincrement=False),
    sa.Column("aspect", Text, primary_key=True),
    sa.Column("annotator", Name, sa.ForeignKey("annotators.annotator"), primary_key=True, index=True),
    needed("grade", sa.SmallInteger(), comment="0, 1 or 2: how complex the text, how credible the document"),
    sa.Column("source", Text, comment="the file it came in"),
    sa.Column("annotated", Moment, server_default=sa.text("now()"), nullable=False),
    sa.CheckConstraint("aspect IN ('complexity', 'credibility')", name="aspect"),
    sa.CheckConstraint("grade BETWEEN 0 AND 2", name="grade"),
    comment="What people said of documents: complexity and credibility, one row a grade",
)  # fmt: skip
