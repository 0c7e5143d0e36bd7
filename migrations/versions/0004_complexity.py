"""Complexity and credibility: what each measure is, what computed it, citation percentiles, annotations by people."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_MEASURES = {
    "nltk_sent": "sentences, a count: NLTK 3.10's Punkt",
    "nltk_tok": "tokens, punctuation included, a count: each is a word, number or mark of NLTK 3.10's word_tokenize",
    "cmu_tok": "tokens that CMUdict has, a count: NLTK 3.10's tokens in lower case, looked up in CMUdict",
    "cmu_syl": "syllables of the tokens that CMUdict has, a count: vowels of the first pronunciation of each",
    "cmu_wrd_per_sent": "cmu_tok / nltk_sent, words a sentence: NLTK 3.10 and CMUdict",
    "cmu_syl_per_wrd": "cmu_syl / cmu_tok, syllables a word: NLTK 3.10 and CMUdict",
    "cmu_fkgl": "Flesch-Kincaid grade level, years of US school: .39 cmu_wrd_per_sent + 11.8 cmu_syl_per_wrd - 15.59",
    "read_sent": "sentences, a count: readability 0.3, given NLTK's sentences one a line",
    "read_tok": "words, a count: readability 0.3; words are NLTK's tokens without those that are all punctuation",
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
}

# The references of the documents that are there already; from now on a trigger counts them (sql/corpus/keep_facts.sql).
_REFERENCES = """
UPDATE dblp_facts f SET n_reference = jsonb_array_length(d.doc -> 'references')
  FROM dblp d WHERE d.id = f.id AND jsonb_typeof(d.doc -> 'references') = 'array'
"""


def upgrade() -> None:
    op.create_table(
        "annotators",
        sa.Column("annotator", sa.Text(collation="C"), nullable=False),
        sa.Column(
            "annotator_group", sa.Text(collation="C"), nullable=False, comment="as Humanities bachelor, CS bachelor, CS master"
        ),
        sa.PrimaryKeyConstraint("annotator", name=op.f("annotators_pkey")),
        comment="Who graded documents, and the group each belongs to",
    )
    op.create_index(op.f("annotators_annotator_group_idx"), "annotators", ["annotator_group"], unique=False)
    op.create_table(
        "complexity_resources",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column(
            "versions",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="of Python, its Unicode tables and each library",
        ),
        sa.Column(
            "files",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="SHA-256 of what they look up: CMUdict, Punkt's parameters, hyphenation",
        ),
        sa.Column("fingerprint", sa.Text(), nullable=False, comment="SHA-256 of versions and files: equal ones give equal numbers"),
        sa.Column("first_used", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("complexity_resources_pkey")),
        sa.UniqueConstraint("fingerprint", name=op.f("complexity_resources_fingerprint_key")),
        comment="What readability was computed with: libraries and their data",
    )
    op.create_table(
        "credibility_basis",
        sa.Column("single", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("as_of", sa.Integer(), nullable=False, comment="the year that ages are counted to"),
        sa.Column("least", sa.Integer(), nullable=False, comment="documents that a field needs in a year to be compared within"),
        sa.Column("documents", sa.BigInteger(), nullable=False, comment="how many were ranked"),
        sa.Column("ranked", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("single", name=op.f("credibility_basis_single_check")),
        sa.PrimaryKeyConstraint("single", name=op.f("credibility_basis_pkey")),
        comment="What citation_ranks was made from: at most one row",
    )
    op.create_table(
        "annotations",
        sa.Column("doc", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("aspect", sa.Text(), nullable=False),
        sa.Column("annotator", sa.Text(collation="C"), nullable=False),
        sa.Column("grade", sa.SmallInteger(), nullable=False, comment="0, 1 or 2: how complex the text, how credible the document"),
        sa.Column("source", sa.Text(), nullable=True, comment="the file it came in"),
        sa.Column("annotated", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("aspect IN ('complexity', 'credibility')", name=op.f("annotations_aspect_check")),
        sa.CheckConstraint("grade BETWEEN 0 AND 2", name=op.f("annotations_grade_check")),
        sa.ForeignKeyConstraint(["annotator"], ["annotators.annotator"], name=op.f("annotations_annotator_fkey")),
        sa.ForeignKeyConstraint(["doc"], ["dblp.id"], name=op.f("annotations_doc_fkey")),
        sa.PrimaryKeyConstraint("doc", "aspect", "annotator", name=op.f("annotations_pkey")),
        comment="What people said of documents: complexity and credibility, one row a grade",
    )
    op.create_index(op.f("annotations_annotator_idx"), "annotations", ["annotator"], unique=False)
    op.create_table(
        "citation_ranks",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "by_year", sa.Double(), nullable=False, comment="percentile of n_citation among the documents of its year, 0 to 100"
        ),
        sa.Column(
            "by_field",
            sa.Double(),
            nullable=True,
            comment="the same among those of its year and field, its mean over the fields; NULL: too few",
        ),
        sa.Column("percentile", sa.Double(), nullable=False, comment="by_field, else by_year: what filters read"),
        sa.Column(
            "fields",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="fields of study that by_field is the mean of",
        ),
        sa.ForeignKeyConstraint(["id"], ["dblp.id"], name=op.f("citation_ranks_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("citation_ranks_pkey")),
        comment="Derived: where each document stands by its citations; rank_citations makes it anew",
    )
    op.create_index(op.f("citation_ranks_percentile_idx"), "citation_ranks", ["percentile"], unique=False)
    op.add_column("dblp_facts", sa.Column("n_reference", sa.Integer(), nullable=True, comment="references it lists"))
    op.create_index(op.f("dblp_facts_n_reference_idx"), "dblp_facts", ["n_reference"], unique=False)
    op.add_column("st1_complexity_metrics", sa.Column("resources", sa.Integer(), nullable=True, comment="what computed the row"))
    op.create_index(op.f("st1_complexity_metrics_textstat_fkgl_idx"), "st1_complexity_metrics", ["textstat_fkgl"], unique=False)
    op.create_foreign_key(
        op.f("st1_complexity_metrics_resources_fkey"), "st1_complexity_metrics", "complexity_resources", ["resources"], ["id"]
    )
    for measure, comment in _MEASURES.items():
        op.alter_column("st1_complexity_metrics", measure, comment=comment, existing_type=sa.Double(), existing_nullable=True)
    op.execute(_REFERENCES)


def downgrade() -> None:
    raise NotImplementedError("restore a dump: a downgrade would lose annotations")
