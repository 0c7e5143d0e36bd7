"""The tables, as SQLAlchemy describes them; migrations/ builds the same, and a test holds the two together.

Run-time work does not pass through here: it calls SQL functions over psycopg.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.dialects import postgresql as pg

metadata = sa.MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)

Text, Integer, BigInteger, Boolean = sa.Text(), sa.Integer(), sa.BigInteger(), sa.Boolean()
Double: sa.Double[float] = sa.Double()
Name = sa.Text(collation="C")  # a name of the outside world: compared and ordered as a string of bytes
Moment = sa.TIMESTAMP(timezone=True)


def identity(kind: Any = Integer) -> sa.Column[Any]:
    return sa.Column("id", kind, sa.Identity(always=True), primary_key=True)


def needed(name: str, kind: Any, *more: Any, **options: Any) -> sa.Column[Any]:
    return sa.Column(name, kind, *more, nullable=False, **options)


def now(name: str) -> sa.Column[Any]:
    return needed(name, Moment, server_default=sa.text("now()"))


def zero(name: str, kind: Any, **options: Any) -> sa.Column[Any]:
    return needed(name, kind, server_default=sa.text("0"), **options)


# corpus ---------------------------------------------------------------------------------------------------------------------

corpus_files = sa.Table(
    "corpus_files", metadata,
    identity(),
    needed("path", Text),
    sa.Column("sha256", Text),
    sa.Column("bytes", BigInteger),
    needed("format", Text),
    needed("state", Text, server_default="loading"),
    zero("documents", BigInteger),
    zero("duplicates", BigInteger),
    zero("rejects", BigInteger),
    zero("seconds", Double),
    now("started"),
    sa.Column("finished", Moment),
    sa.CheckConstraint("state IN ('loading', 'loaded')", name="state"),
    comment="The ledger: one row a file loaded into the corpus",
)  # fmt: skip

corpus_chunks = sa.Table(
    "corpus_chunks", metadata,
    sa.Column("file", Integer, sa.ForeignKey("corpus_files.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("chunk", Integer, primary_key=True, autoincrement=False),
    needed("documents", Integer),
    needed("duplicates", Integer),
    needed("rejects", Integer),
    comment="The chunks of a file that are committed: what a killed load resumes from",
)  # fmt: skip

corpus_rejects = sa.Table(
    "corpus_rejects", metadata,
    needed("file", Integer, sa.ForeignKey("corpus_files.id", ondelete="CASCADE"), index=True),
    needed("line", BigInteger),
    sa.Column("docno", Text),
    needed("reason", Text),
    sa.Column("record", Text, comment="its first 1,000 characters"),
    comment="Records of a file that could not be stored, by line",
)  # fmt: skip

dblp_id_seq = sa.Sequence("dblp_id_seq", start=2**40, metadata=metadata)

dblp = sa.Table(
    "dblp", metadata,
    sa.Column("id", BigInteger, primary_key=True, autoincrement=False, comment="joins; is docno where that is a number"),
    needed("docno", Name, unique=True, comment="the name the outside world uses"),
    needed("doc", pg.JSONB, comment="the record as it came"),
    needed("stub", Boolean, server_default=sa.false(), comment="ranked or judged but not in the corpus; never retrieved"),
    comment="The corpus: one JSON document a row",
)  # fmt: skip

dblp_facts = sa.Table(
    "dblp_facts", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    sa.Column("year", Integer, index=True),
    sa.Column("n_citation", Integer, index=True),
    sa.Column("doc_type", Text),
    sa.Column("venue", Name),
    sa.Index("dblp_facts_lower_idx", sa.text("lower(venue)")),
    comment="What filters read of each document, kept by a trigger on dblp; stubs have no row",
)  # fmt: skip

# text -----------------------------------------------------------------------------------------------------------------------

CONTENT = "COALESCE(title, '') || E'\\n' || COALESCE(abstract, '')"
TSV = (
    "setweight(to_tsvector('english', COALESCE(title, '')), 'A') || setweight(to_tsvector('english', COALESCE(abstract, '')), 'B')"
)

dblp_text = sa.Table(
    "dblp_text", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    sa.Column("title", Text),
    sa.Column("abstract", Text, comment="NULL: the document has none"),
    sa.Column("content", Text, sa.Computed(CONTENT, persisted=True), comment="title and abstract: what BM25 reads"),
    sa.Column("tsv", pg.TSVECTOR, sa.Computed(TSV, persisted=True), comment="title weight A, abstract weight B"),
    comment="The text of the documents and its index",
)  # fmt: skip

text_index = sa.Table(
    "text_index", metadata,
    sa.Column("single", Boolean, primary_key=True, server_default=sa.true()),
    needed("config", pg.REGCONFIG),
    needed("k1", Double),
    needed("b", Double),
    needed("documents", BigInteger),
    needed("tokens", BigInteger),
    needed("engine", Text),
    needed("stale", Boolean, server_default=sa.false(), comment="dblp_text was written to after the build"),
    now("built"),
    sa.CheckConstraint("single", name="single"),
    sa.CheckConstraint("engine IN ('pg_textsearch', 'portable')", name="engine"),
    comment="What the text indexes were built from: at most one row",
)  # fmt: skip

text_lexemes = sa.Table(
    "text_lexemes", metadata,
    sa.Column("lexeme", Name, primary_key=True),
    needed("documents", Integer),
    needed("occurrences", BigInteger),
    comment="Document frequencies, for the portable BM25",
)  # fmt: skip

text_lengths = sa.Table(
    "text_lengths", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp_text.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    needed("tokens", Integer),
    comment="Document lengths in tokens, for the portable BM25",
)  # fmt: skip

# vectors --------------------------------------------------------------------------------------------------------------------

vector_models = sa.Table(
    "vector_models", metadata,
    sa.Column("model", Name, primary_key=True, comment="short name"),
    needed("name", Text, comment="a sentence-transformers name or path"),
    sa.Column("revision", Text),
    needed("dim", Integer),
    sa.Column("max_tokens", Integer),
    needed("relation", Text, comment="the table of its vectors"),
    sa.Column("pooling", Text, comment="how token vectors become one: mean, cls, …; NULL: not known"),
    needed("normalised", Boolean, server_default=sa.true(), comment="stored vectors have length 1"),
    needed("query_prefix", Text, server_default="", comment="what is put before a query"),
    needed("passage_prefix", Text, server_default="", comment="what is put before a document's text"),
    needed("storage", Text, server_default="vector", comment="the type of its vectors: vector, halfvec above 2,000 dimensions"),
    needed(
        "made_by", pg.ARRAY(sa.Text()), server_default=sa.text("'{}'"),
        comment="what computed its vectors: torch fp32, torch bf16, openvino bf16, import …",
    ),
    now("added"),
    sa.CheckConstraint("storage IN ('vector', 'halfvec')", name="storage"),
    comment="The embedding models whose vectors are stored",
)  # fmt: skip

dblp_v = sa.Table(
    "dblp_v", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    sa.Column("title_v", VECTOR(384)),
    sa.Column("abstract_v", VECTOR(384)),
    sa.Column("content_v", VECTOR(384), comment="title and abstract as one text"),
    comment="Embeddings of title and abstract by the default model, L2-normalised: <#> is minus the cosine",
)  # fmt: skip

vector_indexes = sa.Table(
    "vector_indexes", metadata,
    sa.Column("model", Name, sa.ForeignKey("vector_models.model", ondelete="CASCADE"), primary_key=True),
    sa.Column("field", Text, primary_key=True),
    needed("kind", Text),
    sa.Column("lists", Integer, comment="of ivfflat"),
    sa.Column("effort", Integer, comment="what searches take by default: probes, ef_search or search_list_size"),
    needed("rows", BigInteger),
    now("built"),
    needed("halfvec", Boolean, server_default=sa.false(), comment="an index in half precision; distances are exact all the same"),
    sa.Column("m", Integer, comment="of hnsw"),
    sa.Column("ef_construction", Integer, comment="of hnsw"),
    sa.Column("recall", sa.REAL(), comment="of the first recall_k at that effort, by the last audit"),
    sa.Column("recall_k", Integer),
    sa.Column("audited", Moment),
    sa.CheckConstraint("field IN ('title', 'abstract', 'content', 'passage')", name="field"),
    sa.CheckConstraint("kind IN ('ivfflat', 'hnsw', 'diskann')", name="kind"),
    comment="The vector indexes as they were built, what searches take by default, and what the last audit found",
)  # fmt: skip

query_v = sa.Table(
    "query_v", metadata,
    sa.Column("model", Name, sa.ForeignKey("vector_models.model", ondelete="CASCADE"), primary_key=True),
    needed("text", Text),
    needed("v", VECTOR()),
    sa.Column("digest", Text, sa.Computed("md5(text)", persisted=True), primary_key=True, comment="texts are long for an index"),
    comment="Embeddings of query texts, remembered by model",
)  # fmt: skip

dblp_passages = sa.Table(
    "dblp_passages", metadata,
    identity(BigInteger),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id", ondelete="CASCADE")),
    needed("position", Integer, comment="from 1, in the order of the abstract"),
    needed("text", Text),
    sa.UniqueConstraint("doc", "position"),
    comment="The passages of the abstracts: sentences or windows of them",
)  # fmt: skip

dblp_p = sa.Table(
    "dblp_p", metadata,
    sa.Column("id", BigInteger, sa.ForeignKey("dblp_passages.id", ondelete="CASCADE"), primary_key=True, autoincrement=False),
    sa.Column("passage_v", VECTOR(384)),
    comment="Embeddings of the passages by the default model; dblp_p_<model> are those of others",
)  # fmt: skip

stc_settings = sa.Table(
    "stc_settings", metadata,
    sa.Column("name", Name, primary_key=True),
    needed("value", Text),
    comment="Settings of this collection that SQL functions read; only its owner writes them",
)  # fmt: skip

# complexity -----------------------------------------------------------------------------------------------------------------

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

# topics ---------------------------------------------------------------------------------------------------------------------

st1_topics = sa.Table(
    "st1_topics", metadata,
    identity(),
    needed("topic", Name, unique=True),
    sa.Column("text", Text),
    sa.Column("url", Text),
    sa.Column("abstract_url", Text),
    comment="The topics: press articles",
)  # fmt: skip

st1_queries = sa.Table(
    "st1_queries", metadata,
    identity(),
    needed("query", Name, unique=True),
    sa.Column("topic", Integer, sa.ForeignKey("st1_topics.id"), index=True),
    sa.Column("text", Text, comment="NULL: a stub, known only from a run or from judgments"),
    needed("origin", Text, server_default="human"),
    comment="The queries of the topics",
)  # fmt: skip

# runs -----------------------------------------------------------------------------------------------------------------------

st1_runs = sa.Table(
    "st1_runs", metadata,
    identity(),
    needed("run", Name, unique=True),
    sa.Column("team", Text),
    sa.Column("tag", Text),
    needed("manual", Boolean, server_default=sa.false()),
    sa.Column("family", Text),
    needed("params", pg.JSONB, server_default=sa.text("'{}'")),
    sa.Column("source", Text, comment="the file it was imported from"),
    sa.Column("sha256", Text),
    now("made"),
    sa.Column("metadata", pg.JSONB, comment="how it was made, as ir_metadata describes it"),
    zero("version", BigInteger, comment="counts the changes of what it ranks"),
    comment="The runs of systems, by name",
)  # fmt: skip

st1_rankings = sa.Table(
    "st1_rankings", metadata,
    needed("run", Integer, sa.ForeignKey("st1_runs.id", ondelete="CASCADE")),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id")),
    needed("rank", Integer, comment="1 = best, by trec_eval 9's rule (float32, docno descending)"),
    sa.Column("file_rank", Integer),
    needed("rel_score", Double),
    sa.Column("comb_score", Double),
    sa.Column("passage", Text),
    sa.CheckConstraint("rank >= 1", name="rank"),
    sa.PrimaryKeyConstraint("query", "doc", "run", postgresql_include=["rank"]),
    sa.UniqueConstraint("run", "query", "rank", name="st1_rankings_run_query_rank_key", postgresql_include=["doc"]),
    comment="The ranked documents of the runs",
)  # fmt: skip

run_receipts = sa.Table(
    "run_receipts", metadata,
    identity(),
    needed("file", Text),
    needed("sha256", Text),
    sa.Column("team", Text),
    sa.Column("run", Name, comment="the run it became, NULL if it was rejected"),
    needed("accepted", Boolean),
    needed("reasons", pg.JSONB, server_default=sa.text("'[]'"), comment="[{line, what, note}]: line 0 is the file as a whole"),
    now("received"),
    comment="The intake of a track: what was received, and why it was accepted or rejected",
)  # fmt: skip

# qrels ----------------------------------------------------------------------------------------------------------------------

qrels_editions = sa.Table(
    "qrels_editions", metadata,
    identity(),
    needed("edition", Name, unique=True),
    sa.Column("description", Text),
    now("made"),
    sa.Column("split", Text, comment="train or test; NULL is neither"),
    sa.Column("year", Integer, comment="of the track"),
    sa.Column("scale", pg.JSONB, comment="how the grades of its sources became the stored ones: {theirs: ours}; NULL as they were"),
    sa.Column("sealed", Moment, comment="from then on nothing can be added; NULL is open"),
    sa.Column("fingerprint", Text, comment="SHA-256 of what it said when it was sealed"),
    zero("version", BigInteger, comment="counts the changes of its judgments"),
    sa.CheckConstraint("split IN ('train', 'test')", name="split"),
    comment="The editions of the judgments",
)  # fmt: skip

qrels_files = sa.Table(
    "qrels_files", metadata,
    identity(),
    needed("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE"), index=True),
    needed("path", Text),
    sa.Column("sha256", Text),
    needed("judgments", BigInteger),
    needed("added", BigInteger),
    now("imported"),
    comment="The ledger: one row a file of judgments taken into an edition",
)  # fmt: skip

qrels_judgments = sa.Table(
    "qrels_judgments", metadata,
    identity(BigInteger),
    needed("edition", Integer, sa.ForeignKey("qrels_editions.id")),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id")),
    needed("rel", sa.SmallInteger(), comment="negative: pooled, not judged"),
    needed("origin", Text, server_default="human"),
    needed("annotator", Text, server_default=""),
    sa.Column("source_doc", BigInteger, sa.ForeignKey("dblp.id"), comment="of an expansion: the judged document it is near to"),
    sa.Column("similarity", sa.REAL(), comment="of an expansion: cosine of the two titles"),
    now("judged"),
    sa.Column("note", Text, comment="of the annotator"),
    sa.CheckConstraint("origin IN ('human', 'llm', 'knn')", name="origin"),
    sa.UniqueConstraint("edition", "query", "doc", "origin", "annotator", name="qrels_judgments_key"),
    comment="The judgments, append-only; the view qrels says what an edition says",
)  # fmt: skip

qrels_preferences = sa.Table(
    "qrels_preferences", metadata,
    needed("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE")),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("annotator", Name, comment="the judgment group"),
    needed("subgroup", Name, comment="documents are compared within one"),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id")),
    needed("rel", Double, comment="a document with a larger one is preferred"),
    sa.PrimaryKeyConstraint("edition", "query", "annotator", "subgroup", "doc"),
    comment="Preferences between documents, as trec_eval's prefs files hold them",
)  # fmt: skip

qrels_pools = sa.Table(
    "qrels_pools", metadata,
    identity(),
    needed("pool", Name, unique=True),
    needed("method", Text, comment="depth, teams, strata or effect"),
    needed("params", pg.JSONB, server_default=sa.text("'{}'"), comment="runs, depth, seed, …"),
    now("made"),
    comment="Pools: documents chosen to be judged",
)  # fmt: skip

qrels_pool_documents = sa.Table(
    "qrels_pool_documents", metadata,
    needed("pool", Integer, sa.ForeignKey("qrels_pools.id", ondelete="CASCADE")),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id")),
    needed("position", Integer, comment="the order in which the documents of a query are shown, by seed"),
    needed("runs", Integer, comment="of the chosen ones, how many contributed it"),
    needed("teams", Integer, comment="of how many teams they are"),
    needed("best_rank", Integer, comment="in any chosen run"),
    sa.Column("stratum", Text, comment="of ranks, as 1-10"),
    sa.Column("weight", Double, comment="inverse of the probability with which it was drawn; or its expected effect"),
    sa.PrimaryKeyConstraint("pool", "query", "doc"),
    sa.UniqueConstraint("pool", "query", "position"),
    comment="The documents of the pools",
)  # fmt: skip

qrels_assessments = sa.Table(
    "qrels_assessments", metadata,
    needed("pool", Integer),
    needed("query", Integer),
    needed("doc", BigInteger),
    needed("annotator", Name),
    sa.Column("rel", sa.SmallInteger(), comment="NULL: skipped"),
    sa.Column("note", Text),
    now("changed"),
    sa.Column("submitted", Moment, comment="when it became a judgment; NULL is a draft"),
    sa.PrimaryKeyConstraint("pool", "query", "doc", "annotator"),
    sa.ForeignKeyConstraint(
        ["pool", "query", "doc"],
        ["qrels_pool_documents.pool", "qrels_pool_documents.query", "qrels_pool_documents.doc"],
        name="qrels_assessments_pool_fkey", ondelete="CASCADE",
    ),
    comment="The assessors' sheets: grades that can be taken back until they are submitted to an edition",
)  # fmt: skip

llm_prompts = sa.Table(
    "llm_prompts", metadata,
    identity(),
    needed("name", Name),
    needed("sha256", Text, unique=True, comment="of the template"),
    needed("template", Text),
    now("added"),
    comment="Prompt templates that language models were asked with",
)  # fmt: skip

llm_judges = sa.Table(
    "llm_judges", metadata,
    identity(),
    needed("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE")),
    needed("model", Name),
    needed("prompt", Integer, sa.ForeignKey("llm_prompts.id")),
    needed("annotator", Name, comment="of its judgments: the model; of its second prompt in the edition and on, the prompt too"),
    now("begun"),
    sa.UniqueConstraint("edition", "model", "prompt"),
    sa.UniqueConstraint("edition", "annotator"),
    comment="Language models that judge editions, each with a prompt",
)  # fmt: skip

llm_answers = sa.Table(
    "llm_answers", metadata,
    identity(BigInteger),
    needed("judge", Integer, sa.ForeignKey("llm_judges.id", ondelete="CASCADE")),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("doc", BigInteger, sa.ForeignKey("dblp.id")),
    sa.Column("answer", Text, comment="as it came; NULL: none came"),
    sa.Column("rel", sa.SmallInteger(), comment="the grade read from it; NULL: malformed"),
    sa.Column("error", Text, comment="why there is no answer"),
    sa.Column("finish", Text, comment="why the model ended, as the endpoint says: stop, length, …"),
    needed(
        "params", pg.JSONB, server_default=sa.text("'{}'"),
        comment="what was asked for: temperature, seed, …; endpoint, served model",
    ),
    sa.Column("prompt_tokens", Integer),
    sa.Column("completion_tokens", Integer),
    needed("attempts", Integer),
    needed("seconds", Double, comment="of the last attempt"),
    now("asked"),
    sa.Index(None, "judge", "query", "doc"),
    sa.Index("llm_answers_judged_key", "judge", "query", "doc", unique=True, postgresql_where=sa.text("rel IS NOT NULL")),
    comment="What language models answered when asked to judge",
)  # fmt: skip

# evaluation -----------------------------------------------------------------------------------------------------------------

st1_scores = sa.Table(
    "st1_scores", metadata,
    needed("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE")),
    needed("run", Integer, sa.ForeignKey("st1_runs.id", ondelete="CASCADE")),
    needed("query", Integer, sa.ForeignKey("st1_queries.id")),
    needed("measure", Name, comment="by trec_eval's name"),
    needed("value", Double),
    sa.Column("source", Text, comment="the file they came in"),
    sa.PrimaryKeyConstraint("edition", "measure", "run", "query"),
    comment="Scores computed by others, as trec_eval prints them: of systems whose runs are not here",
)  # fmt: skip

judged_runs = sa.Table(
    "judged_runs", metadata,
    sa.Column("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("run", Integer, sa.ForeignKey("st1_runs.id", ondelete="CASCADE"), primary_key=True),
    needed("edition_version", BigInteger, comment="of what it was made; judged_rankings hold while it is the edition's"),
    needed("run_version", BigInteger),
    comment="Derived: the runs whose judged documents are stored, and from which versions they were made",
)  # fmt: skip

judged_queries = sa.Table(
    "judged_queries", metadata,
    sa.Column("edition", Integer, sa.ForeignKey("qrels_editions.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("query", Integer, sa.ForeignKey("st1_queries.id"), primary_key=True),
    needed("edition_version", BigInteger, comment="of what it was made"),
    needed("rels", pg.ARRAY(sa.SmallInteger()), comment="the grades of its judged documents, best first"),
    comment="Derived: the grades an edition gives for each query",
)  # fmt: skip

judged_rankings = sa.Table(
    "judged_rankings", metadata,
    needed("edition", Integer),
    needed("run", Integer),
    needed("query", Integer),
    needed("retrieved", Integer, comment="documents the run has for the query, 0 for none"),
    needed("relevant", pg.ARRAY(Integer), comment="ranks of documents of a grade of 1 or more, ascending"),
    needed("grades", pg.ARRAY(sa.SmallInteger()), comment="the grade at each of these ranks"),
    needed("irrelevant", pg.ARRAY(Integer), comment="ranks of documents of grade 0, ascending"),
    needed("pooled", pg.ARRAY(Integer), comment="ranks of documents of a negative grade, ascending"),
    sa.PrimaryKeyConstraint("edition", "run", "query"),
    sa.ForeignKeyConstraint(
        ["edition", "run"], ["judged_runs.edition", "judged_runs.run"], name="judged_rankings_run_fkey", ondelete="CASCADE"
    ),
    comment="Derived: where a run ranks judged documents, what every measure is computed from",
)  # fmt: skip

judged_scores = sa.Table(
    "judged_scores", metadata,
    needed("edition", Integer),
    needed("run", Integer),
    needed("query", Integer),
    needed("scores", pg.ARRAY(Double), comment="in the order of the SQL function stored_measures"),
    sa.PrimaryKeyConstraint("edition", "run", "query"),
    sa.ForeignKeyConstraint(
        ["edition", "run"], ["judged_runs.edition", "judged_runs.run"], name="judged_scores_run_fkey", ondelete="CASCADE"
    ),
    comment="Derived: values of the measures that are asked for most",
)  # fmt: skip

# the code of sql/ -----------------------------------------------------------------------------------------------------------

stc_objects = sa.Table(
    "stc_objects", metadata,
    sa.Column("file", Text, primary_key=True, comment="path in sql/"),
    needed("creates", pg.ARRAY(sa.Text()), comment="kind and name of each object it creates"),
    needed("fingerprint", Text, comment="SHA-256 of the file"),
    needed("catalogue", Text, comment="SHA-256 of the objects as the server holds them: tells drift"),
    comment="The functions and views of sql/ as they were put into this database",
)  # fmt: skip
