"""The tables of the studies of synthetic queries, which only organisers read."""

from __future__ import annotations

from alembic import op

from stcollection.db.rules import is_finite, is_name

revision = "0001"
down_revision = None

TABLES = f"""
CREATE TABLE stc_all.synth_studies (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    study text COLLATE "C" NOT NULL UNIQUE
        CONSTRAINT synth_studies_study_name_check CHECK ({is_name("synth_studies", "study")}),
    field text NOT NULL DEFAULT 'abstract' CHECK (field IN ('abstract', 'content')),
    seed bigint NOT NULL,
    params jsonb NOT NULL DEFAULT '{{}}',
    made timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE stc_all.synth_passages (
    study integer REFERENCES stc_all.synth_studies ON DELETE CASCADE,
    doc bigint REFERENCES public.dblp,
    place integer NOT NULL,
    model text COLLATE "C"
        CONSTRAINT synth_passages_model_name_check CHECK ({is_name("synth_passages", "model")}),
    prompt integer REFERENCES stc_all.llm_prompts,
    answer text,
    score double precision
        CONSTRAINT synth_passages_score_finite_check CHECK ({is_finite("score")}),
    error text,
    params jsonb NOT NULL DEFAULT '{{}}',
    asked timestamptz,
    PRIMARY KEY (study, doc),
    UNIQUE (study, place)
);
CREATE INDEX synth_passages_doc_idx ON stc_all.synth_passages (doc);

CREATE TABLE stc_all.synth_candidates (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    study integer NOT NULL,
    doc bigint NOT NULL,
    origin text NOT NULL
        CONSTRAINT synth_candidates_origin_name_check CHECK ({is_name("synth_candidates", "origin")}),
    model text COLLATE "C" NOT NULL
        CONSTRAINT synth_candidates_model_name_check CHECK ({is_name("synth_candidates", "model")}),
    prompt integer REFERENCES stc_all.llm_prompts,
    number integer NOT NULL,
    answer text,
    text text,
    dropped text,
    length integer,
    found integer,
    chosen boolean NOT NULL DEFAULT false,
    query integer REFERENCES stc.st1_queries ON DELETE SET NULL,
    params jsonb NOT NULL DEFAULT '{{}}',
    made timestamptz NOT NULL DEFAULT now(),
    UNIQUE (study, doc, origin, number),
    CONSTRAINT synth_candidates_study_fkey FOREIGN KEY (study, doc)
        REFERENCES stc_all.synth_passages (study, doc) ON DELETE CASCADE
);
CREATE INDEX synth_candidates_query_idx ON stc_all.synth_candidates (query);

CREATE TABLE stc_all.synth_subtopics (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic integer NOT NULL REFERENCES public.st1_topics ON DELETE CASCADE,
    origin text NOT NULL
        CONSTRAINT synth_subtopics_origin_name_check
        CHECK ({is_name("synth_subtopics", "origin")}),
    model text COLLATE "C" NOT NULL
        CONSTRAINT synth_subtopics_model_name_check
        CHECK ({is_name("synth_subtopics", "model")}),
    prompt integer NOT NULL REFERENCES stc_all.llm_prompts,
    number integer NOT NULL,
    answer text,
    text text,
    dropped text CHECK (dropped IN ('empty', 'malformed', 'error')),
    nearest text,
    nearest_query text,
    words double precision,
    cosine double precision,
    near boolean NOT NULL DEFAULT false,
    verdict text CHECK (verdict IN ('accepted', 'off-topic', 'duplicate')),
    reworded text,
    note text,
    reviewer text COLLATE "C"
        CONSTRAINT synth_subtopics_reviewer_name_check
        CHECK ({is_name("synth_subtopics", "reviewer")}),
    reviewed timestamptz,
    query integer REFERENCES stc.st1_queries ON DELETE SET NULL,
    params jsonb NOT NULL DEFAULT '{{}}',
    made timestamptz NOT NULL DEFAULT now(),
    UNIQUE (topic, origin, number),
    CONSTRAINT synth_subtopics_reviewer_check CHECK ((verdict IS NULL) = (reviewer IS NULL))
);
CREATE INDEX synth_subtopics_query_idx ON stc_all.synth_subtopics (query);
"""


def upgrade() -> None:
    op.execute(TABLES)
