"""The tables of answer verification."""

from __future__ import annotations

from alembic import op

from stcollection.db.rules import is_finite, is_name

revision = "0001"
down_revision = None

TABLES = f"""
CREATE TABLE stc.answer_models (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model text COLLATE "C" NOT NULL UNIQUE
        CONSTRAINT answer_models_model_name_check CHECK ({is_name("answer_models", "model")}),
    kind text NOT NULL CHECK (kind IN ('classifier', 'crossencoder')),
    params jsonb NOT NULL DEFAULT '{{}}',
    fingerprint text,
    content bytea,
    made timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE stc.answer_sets (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    set text COLLATE "C" NOT NULL
        CONSTRAINT answer_sets_set_name_check CHECK ({is_name("answer_sets", "set")}),
    split text NOT NULL CHECK (split IN ('train', 'dev', 'test')),
    made timestamptz NOT NULL DEFAULT now(),
    hidden boolean NOT NULL DEFAULT false,
    UNIQUE (id, hidden),
    UNIQUE (set, split)
);

CREATE TABLE stc.answer_files (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    set integer NOT NULL REFERENCES stc.answer_sets ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('documents', 'pairs', 'gold', 'relations', 'templates')),
    path text NOT NULL,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    lines bigint NOT NULL DEFAULT 0,
    stored bigint NOT NULL DEFAULT 0,
    duplicates bigint NOT NULL DEFAULT 0,
    contradictory bigint NOT NULL DEFAULT 0,
    unknown bigint NOT NULL DEFAULT 0,
    rejects bigint NOT NULL DEFAULT 0,
    seconds double precision NOT NULL DEFAULT 0,
    loaded timestamptz NOT NULL DEFAULT now(),
    UNIQUE (set, kind)
);

CREATE TABLE stc.answer_queries (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    set integer NOT NULL,
    place integer NOT NULL,
    text text COLLATE "C" NOT NULL,
    template text,
    hidden boolean NOT NULL DEFAULT false,
    UNIQUE (id, hidden),
    UNIQUE (set, text),
    CONSTRAINT answer_queries_set_fkey FOREIGN KEY (set, hidden)
        REFERENCES stc.answer_sets (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE stc.answer_documents (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    query integer NOT NULL REFERENCES stc.answer_queries ON DELETE CASCADE,
    place integer NOT NULL,
    doc_id text COLLATE "C" NOT NULL,
    url text COLLATE "C" NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    UNIQUE (query, doc_id)
);

CREATE TABLE stc_all.answer_gold (
    document bigint REFERENCES stc.answer_documents ON DELETE CASCADE,
    query integer NOT NULL,
    hidden boolean DEFAULT false,
    PRIMARY KEY (document, hidden),
    CONSTRAINT answer_gold_query_fkey FOREIGN KEY (query, hidden)
        REFERENCES stc.answer_queries (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);
CREATE TABLE stc.answer_gold PARTITION OF stc_all.answer_gold FOR VALUES IN (false);
CREATE TABLE stc_all.answer_gold_hidden PARTITION OF stc_all.answer_gold FOR VALUES IN (true);
CREATE INDEX answer_gold_query_idx ON stc_all.answer_gold (query);

CREATE TABLE stc_all.answer_rejects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file integer NOT NULL REFERENCES stc.answer_files ON DELETE CASCADE,
    line bigint NOT NULL,
    problem text NOT NULL,
    reason text NOT NULL
);
CREATE INDEX answer_rejects_file_idx ON stc_all.answer_rejects (file);

CREATE TABLE stc.answer_runs (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text COLLATE "C" NOT NULL UNIQUE
        CONSTRAINT answer_runs_run_name_check CHECK ({is_name("answer_runs", "run")}),
    set integer NOT NULL REFERENCES stc.answer_sets ON DELETE CASCADE,
    method text NOT NULL,
    params jsonb NOT NULL DEFAULT '{{}}',
    made timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX answer_runs_set_idx ON stc.answer_runs (set);

CREATE TABLE stc.answer_predictions (
    run integer REFERENCES stc.answer_runs ON DELETE CASCADE,
    document bigint REFERENCES stc.answer_documents ON DELETE CASCADE,
    query integer NOT NULL REFERENCES stc.answer_queries ON DELETE CASCADE,
    probability real
        CONSTRAINT answer_predictions_probability_finite_check CHECK ({is_finite("probability")}),
    PRIMARY KEY (run, document)
);
CREATE INDEX answer_predictions_document_idx ON stc.answer_predictions (document);
CREATE INDEX answer_predictions_query_idx ON stc.answer_predictions (query);

CREATE TABLE stc.answer_sentences (
    document bigint REFERENCES stc.answer_documents ON DELETE CASCADE,
    place integer,
    text text NOT NULL,
    terms tsvector NOT NULL,
    PRIMARY KEY (document, place)
);
CREATE INDEX answer_sentences_terms_idx ON stc.answer_sentences USING gin (terms);

CREATE TABLE stc.answers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    query integer NOT NULL REFERENCES stc.answer_queries ON DELETE CASCADE,
    document bigint REFERENCES stc.answer_documents ON DELETE CASCADE,
    source text COLLATE "C" NOT NULL DEFAULT 'given'
        CONSTRAINT answers_source_name_check CHECK ({is_name("answers", "source")}),
    url text COLLATE "C" NOT NULL,
    text text NOT NULL,
    digest uuid GENERATED ALWAYS AS (md5(text)::uuid) STORED NOT NULL,
    score double precision
        CONSTRAINT answers_score_finite_check CHECK ({is_finite("score")}),
    first integer,
    last integer,
    UNIQUE (query, source, url, digest)
);
CREATE INDEX answers_document_idx ON stc.answers (document);

CREATE TABLE stc.answer_clusters (
    run integer REFERENCES stc.answer_runs ON DELETE CASCADE,
    answer bigint REFERENCES stc.answers ON DELETE CASCADE,
    query integer NOT NULL REFERENCES stc.answer_queries ON DELETE CASCADE,
    cluster integer NOT NULL,
    PRIMARY KEY (run, answer)
);
CREATE INDEX answer_clusters_answer_idx ON stc.answer_clusters (answer);
CREATE INDEX answer_clusters_query_idx ON stc.answer_clusters (query);

CREATE TABLE stc_all.answer_pairs (
    a bigint REFERENCES stc.answers ON DELETE CASCADE,
    b bigint REFERENCES stc.answers ON DELETE CASCADE,
    query integer NOT NULL,
    label smallint CHECK (label IN (0, 1)),
    relation text CHECK (relation IN ('support', 'neutral', 'oppose')),
    hidden boolean DEFAULT false,
    PRIMARY KEY (a, b, hidden),
    CONSTRAINT answer_pairs_order_check CHECK (a < b),
    CONSTRAINT answer_pairs_query_fkey FOREIGN KEY (query, hidden)
        REFERENCES stc.answer_queries (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);
CREATE TABLE stc.answer_pairs PARTITION OF stc_all.answer_pairs FOR VALUES IN (false);
CREATE TABLE stc_all.answer_pairs_hidden PARTITION OF stc_all.answer_pairs FOR VALUES IN (true);
CREATE INDEX answer_pairs_b_idx ON stc_all.answer_pairs (b);
CREATE INDEX answer_pairs_query_idx ON stc_all.answer_pairs (query);

CREATE TABLE stc.answer_relations (
    model integer REFERENCES stc.answer_models ON DELETE CASCADE,
    a bigint REFERENCES stc.answers ON DELETE CASCADE,
    b bigint REFERENCES stc.answers ON DELETE CASCADE,
    support real NOT NULL
        CONSTRAINT answer_relations_support_finite_check CHECK ({is_finite("support")}),
    oppose real NOT NULL
        CONSTRAINT answer_relations_oppose_finite_check CHECK ({is_finite("oppose")}),
    PRIMARY KEY (model, a, b),
    CONSTRAINT answer_relations_order_check CHECK (a < b)
);
CREATE INDEX answer_relations_a_idx ON stc.answer_relations (a);
CREATE INDEX answer_relations_b_idx ON stc.answer_relations (b);
"""  # noqa: S608

# EXPLAIN shows every role what the planner derives from statistics of all rows; those of the partitions are enough.
_COLUMNS = {
    "answer_gold": ("document", "query", "hidden"),
    "answer_pairs": ("a", "b", "query", "label", "relation", "hidden"),
}


def upgrade() -> None:
    op.execute(TABLES)
    for table, columns in _COLUMNS.items():
        set_ = ", ".join(f"ALTER COLUMN {column} SET STATISTICS 0" for column in columns)
        op.execute(f"ALTER TABLE ONLY stc_all.{table} {set_}")
