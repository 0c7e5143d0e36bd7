-- The tables of version 0.2 (revision 0035). Functions and views are in sql/, comments in sql/STAGE/STAGE_comments.sql.
-- Most checks of names and numbers, and the indexes of foreign keys, are in stcollection/db/online.py.
-- The revision replaces <unprintable> by the pattern of stcollection/names.py.
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA stc;
GRANT USAGE ON SCHEMA stc TO PUBLIC;

CREATE TYPE ranked AS (ranking text, doc bigint, score double precision, rank integer);
COMMENT ON TYPE ranked IS 'A row of a named ranking, for fuse';
-- Ids of documents whose docno is not a number.
CREATE SEQUENCE dblp_id_seq START 1099511627776;

-- corpus

CREATE TABLE dblp (
    id bigint PRIMARY KEY,
    docno text COLLATE "C" NOT NULL DEFAULT ('without docno: ' || gen_random_uuid()) UNIQUE,
    doc jsonb NOT NULL,
    stub boolean NOT NULL DEFAULT false
);

CREATE TABLE dblp_facts (
    id bigint PRIMARY KEY REFERENCES dblp ON DELETE CASCADE,
    year integer,
    n_citation integer,
    doc_type text,
    venue text COLLATE "C",
    n_reference integer,
    licence text COLLATE "C",
    data_source text COLLATE "C",
    first_date date,
    last_date date,
    absent date[]
);
CREATE INDEX dblp_facts_lower_idx ON dblp_facts (lower(venue));
CREATE INDEX dblp_facts_n_citation_idx ON dblp_facts (n_citation);
CREATE INDEX dblp_facts_n_reference_idx ON dblp_facts (n_reference);
CREATE INDEX dblp_facts_year_idx ON dblp_facts (year);

CREATE TABLE stc.corpus_files (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    path text NOT NULL,
    sha256 text,
    bytes bigint,
    format text NOT NULL,
    state text NOT NULL DEFAULT 'loading' CHECK (state IN ('loading', 'loaded', 'incomplete')),
    documents bigint NOT NULL DEFAULT 0,
    duplicates bigint NOT NULL DEFAULT 0,
    rejects bigint NOT NULL DEFAULT 0,
    seconds double precision NOT NULL DEFAULT 0,
    started timestamptz NOT NULL DEFAULT now(),
    finished timestamptz
);

CREATE TABLE stc.corpus_chunks (
    file integer REFERENCES stc.corpus_files ON DELETE CASCADE,
    chunk integer,
    documents integer NOT NULL,
    duplicates integer NOT NULL,
    rejects integer NOT NULL,
    docs bigint[],
    incomplete boolean NOT NULL DEFAULT false,
    PRIMARY KEY (file, chunk)
);

CREATE TABLE stc.corpus_rejects (
    file integer NOT NULL REFERENCES stc.corpus_files ON DELETE CASCADE,
    line bigint NOT NULL,
    docno text,
    reason text NOT NULL,
    record text
);
CREATE INDEX corpus_rejects_file_idx ON stc.corpus_rejects (file);

CREATE TABLE stc.corpus_snapshots (
    day date,
    file integer REFERENCES stc.corpus_files ON DELETE CASCADE,
    PRIMARY KEY (day, file)
);
CREATE INDEX corpus_snapshots_file_idx ON stc.corpus_snapshots (file);

-- text

CREATE TABLE dblp_text (
    id bigint PRIMARY KEY REFERENCES dblp ON DELETE CASCADE,
    title text,
    abstract text,
    content text GENERATED ALWAYS AS (coalesce(title, '') || E'\n' || coalesce(abstract, '')) STORED,
    tsv tsvector STORAGE MAIN GENERATED ALWAYS AS (
        setweight(to_tsvector('english', coalesce(title, '')), 'A')
        || setweight(to_tsvector('english', coalesce(abstract, '')), 'B')) STORED
);

CREATE TABLE stc.text_index (
    single boolean DEFAULT true PRIMARY KEY CHECK (single),
    config regconfig NOT NULL,
    k1 double precision NOT NULL,
    b double precision NOT NULL,
    documents bigint NOT NULL,
    tokens bigint NOT NULL,
    engine text NOT NULL CHECK (engine IN ('pg_textsearch', 'portable')),
    stale boolean NOT NULL DEFAULT false,
    built timestamptz NOT NULL DEFAULT now(),
    server_major integer,
    dictionaries text[],
    anchors bigint[],
    sealed bigint[],
    lengths text[]
);

CREATE TABLE stc.text_lengths (
    id bigint PRIMARY KEY REFERENCES dblp_text ON DELETE CASCADE,
    tokens integer NOT NULL
);

CREATE TABLE stc.text_lexemes (
    lexeme text COLLATE "C" PRIMARY KEY,
    documents integer NOT NULL,
    occurrences bigint NOT NULL,
    least_idf double precision
);

-- vectors

CREATE TABLE dblp_passages (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    doc bigint NOT NULL REFERENCES dblp ON DELETE CASCADE,
    "position" integer NOT NULL,
    text text NOT NULL,
    UNIQUE (doc, "position")
);

CREATE TABLE dblp_p (
    id bigint PRIMARY KEY REFERENCES dblp_passages ON DELETE CASCADE,
    passage_v vector(384)
) WITH (toast_tuple_target=8160);

CREATE TABLE dblp_v (
    id bigint PRIMARY KEY REFERENCES dblp ON DELETE CASCADE,
    title_v vector(384),
    abstract_v vector(384),
    content_v vector(384)
) WITH (toast_tuple_target=8160);

CREATE TABLE stc.vector_models (
    model text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    revision text,
    dim integer NOT NULL,
    max_tokens integer,
    relation text NOT NULL,
    added timestamptz NOT NULL DEFAULT now(),
    pooling text,
    normalised boolean NOT NULL DEFAULT true,
    query_prefix text NOT NULL DEFAULT '',
    passage_prefix text NOT NULL DEFAULT '',
    storage text NOT NULL DEFAULT 'vector' CHECK (storage IN ('vector', 'halfvec')),
    made_by text[] NOT NULL DEFAULT '{}',
    CONSTRAINT vector_models_relation_check
        CHECK (model ~ '^[a-z0-9][a-z0-9_]{0,39}$'
               AND relation = CASE model WHEN 'minilm' THEN 'dblp_v' ELSE 'dblp_v_' || model END)
);

CREATE TABLE query_v (
    model text COLLATE "C" REFERENCES stc.vector_models ON DELETE CASCADE,
    text text NOT NULL,
    v vector NOT NULL,
    digest text GENERATED ALWAYS AS (md5(text)) STORED,
    PRIMARY KEY (model, digest)
) WITH (toast_tuple_target=8160);

CREATE TABLE stc.vector_indexes (
    model text COLLATE "C" REFERENCES stc.vector_models ON DELETE CASCADE,
    field text CHECK (field IN ('title', 'abstract', 'content', 'passage', 'title_only')),
    kind text NOT NULL CHECK (kind IN ('ivfflat', 'hnsw', 'diskann')),
    lists integer,
    effort integer,
    rows bigint NOT NULL,
    built timestamptz NOT NULL DEFAULT now(),
    halfvec boolean NOT NULL DEFAULT false,
    m integer,
    ef_construction integer,
    recall real,
    recall_k integer,
    audited timestamptz,
    bits boolean NOT NULL DEFAULT false,
    anchors bigint[],
    PRIMARY KEY (model, field)
);

-- complexity

CREATE TABLE stc.annotators (
    annotator text COLLATE "C" PRIMARY KEY,
    annotator_group text COLLATE "C" NOT NULL,
    simulated boolean NOT NULL DEFAULT false
);
CREATE INDEX annotators_annotator_group_idx ON stc.annotators (annotator_group);

CREATE TABLE stc.annotations (
    doc bigint REFERENCES dblp,
    aspect text CHECK (aspect IN ('complexity', 'credibility')),
    annotator text COLLATE "C" REFERENCES stc.annotators,
    grade smallint NOT NULL CHECK (grade BETWEEN 0 AND 2),
    source text,
    annotated timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (doc, aspect, annotator)
);
CREATE INDEX annotations_annotator_idx ON stc.annotations (annotator);

CREATE TABLE stc.citation_ranks (
    id bigint PRIMARY KEY REFERENCES dblp ON DELETE CASCADE,
    by_year double precision NOT NULL,
    by_field double precision,
    percentile double precision NOT NULL,
    fields integer NOT NULL DEFAULT 0
);
CREATE INDEX citation_ranks_percentile_idx ON stc.citation_ranks (percentile);

CREATE TABLE stc.complexity_resources (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    versions jsonb NOT NULL,
    files jsonb NOT NULL,
    fingerprint text NOT NULL UNIQUE,
    first_used timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE st1_complexity_metrics (
    id bigint PRIMARY KEY REFERENCES dblp ON DELETE CASCADE,
    nltk_sent double precision,
    nltk_tok double precision,
    cmu_tok double precision,
    cmu_syl double precision,
    cmu_wrd_per_sent double precision,
    cmu_syl_per_wrd double precision,
    cmu_fkgl double precision,
    read_sent double precision,
    read_tok double precision,
    read_syl double precision,
    read_char double precision,
    read_wordtypes double precision,
    read_long_words double precision,
    read_complex_words double precision,
    read_char_per_wrd double precision,
    read_wrd_per_sent double precision,
    read_syl_per_wrd double precision,
    read_type_token_ratio double precision,
    textstat_fkgl double precision,
    textstat_fre double precision,
    resources integer REFERENCES stc.complexity_resources
);
CREATE INDEX st1_complexity_metrics_textstat_fkgl_idx ON st1_complexity_metrics (textstat_fkgl);

CREATE TABLE stc.credibility_basis (
    single boolean DEFAULT true PRIMARY KEY CHECK (single),
    as_of integer NOT NULL,
    "least" integer NOT NULL,
    documents bigint NOT NULL,
    ranked timestamptz NOT NULL DEFAULT now()
);

-- topics

CREATE TABLE st1_topics (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text COLLATE "C" NOT NULL UNIQUE,
    text text,
    url text,
    abstract_url text,
    title text,
    article text,
    source text,
    published date
);

CREATE TABLE stc.query_sets (
    name text COLLATE "C"
        PRIMARY KEY
        CONSTRAINT query_sets_name_name_check CHECK (length(name) BETWEEN 1 AND 200 AND name !~ '<unprintable>'),
    expression text NOT NULL,
    description text,
    added timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE stc.topic_files (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    path text NOT NULL,
    sha256 text,
    format text NOT NULL,
    queries integer[] NOT NULL,
    topics integer[] NOT NULL,
    loaded timestamptz NOT NULL DEFAULT now()
);

-- qrels

CREATE TABLE qrels_editions (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    edition text COLLATE "C" NOT NULL UNIQUE,
    description text,
    made timestamptz NOT NULL DEFAULT now(),
    split text CHECK (split IN ('train', 'test')),
    year integer,
    scale jsonb,
    sealed timestamptz,
    fingerprint text,
    version bigint NOT NULL DEFAULT 0,
    hidden boolean NOT NULL DEFAULT false,
    released timestamptz,
    released_by text,
    simulated boolean NOT NULL DEFAULT false,
    UNIQUE (id, hidden)
);

CREATE TABLE stc.llm_prompts (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    sha256 text NOT NULL UNIQUE,
    template text NOT NULL,
    added timestamptz NOT NULL DEFAULT now()
);

-- topics

CREATE TABLE st1_queries (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    query text COLLATE "C" NOT NULL UNIQUE,
    topic integer REFERENCES st1_topics,
    text text,
    origin text NOT NULL DEFAULT 'human',
    model text COLLATE "C",
    prompt integer REFERENCES stc.llm_prompts,
    source bigint REFERENCES dblp,
    reviewer text
);
CREATE INDEX st1_queries_topic_idx ON st1_queries (topic);

-- qrels

CREATE TABLE qrels_judgments (
    id bigint GENERATED ALWAYS AS IDENTITY,
    edition integer NOT NULL,
    query integer NOT NULL REFERENCES st1_queries,
    doc bigint NOT NULL REFERENCES dblp,
    rel smallint NOT NULL,
    origin text NOT NULL DEFAULT 'human' CHECK (origin IN ('human', 'llm', 'knn')),
    annotator text NOT NULL DEFAULT '',
    source_doc bigint REFERENCES dblp,
    similarity real,
    judged timestamptz NOT NULL DEFAULT now(),
    note text,
    hidden boolean DEFAULT false,
    PRIMARY KEY (id, hidden),
    CONSTRAINT qrels_judgments_key UNIQUE (edition, query, doc, origin, annotator, hidden),
    CONSTRAINT qrels_judgments_edition_fkey FOREIGN KEY (edition, hidden)
        REFERENCES qrels_editions (id, hidden) ON UPDATE CASCADE
) PARTITION BY LIST (hidden);
CREATE TABLE stc.qrels_judgments_open PARTITION OF qrels_judgments FOR VALUES IN (false);
CREATE TABLE stc.qrels_judgments_hidden PARTITION OF qrels_judgments FOR VALUES IN (true);

CREATE TABLE qrels_preferences (
    edition integer,
    query integer REFERENCES st1_queries,
    annotator text COLLATE "C",
    subgroup text COLLATE "C",
    doc bigint REFERENCES dblp,
    rel double precision NOT NULL,
    hidden boolean DEFAULT false,
    PRIMARY KEY (edition, query, annotator, subgroup, doc, hidden),
    CONSTRAINT qrels_preferences_edition_fkey FOREIGN KEY (edition, hidden)
        REFERENCES qrels_editions (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);
CREATE TABLE stc.qrels_preferences_open PARTITION OF qrels_preferences FOR VALUES IN (false);
CREATE TABLE stc.qrels_preferences_hidden PARTITION OF qrels_preferences FOR VALUES IN (true);

CREATE TABLE qrels_subtopics (
    edition integer,
    query integer REFERENCES st1_queries,
    subtopic text COLLATE "C"
        CONSTRAINT qrels_subtopics_subtopic_name_check
        CHECK (length(subtopic) BETWEEN 1 AND 200 AND subtopic !~ '<unprintable>'),
    doc bigint REFERENCES dblp,
    rel smallint NOT NULL,
    hidden boolean DEFAULT false,
    PRIMARY KEY (edition, query, subtopic, doc, hidden),
    CONSTRAINT qrels_subtopics_edition_fkey FOREIGN KEY (edition, hidden)
        REFERENCES qrels_editions (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);
CREATE TABLE stc.qrels_subtopics_open PARTITION OF qrels_subtopics FOR VALUES IN (false);
CREATE TABLE stc.qrels_subtopics_hidden PARTITION OF qrels_subtopics FOR VALUES IN (true);
CREATE INDEX qrels_subtopics_doc_idx ON qrels_subtopics (doc);
CREATE INDEX qrels_subtopics_query_idx ON qrels_subtopics (query);

CREATE TABLE stc.llm_judges (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    edition integer NOT NULL REFERENCES qrels_editions ON DELETE CASCADE,
    model text COLLATE "C" NOT NULL,
    prompt integer NOT NULL REFERENCES stc.llm_prompts,
    annotator text COLLATE "C" NOT NULL,
    begun timestamptz NOT NULL DEFAULT now(),
    simulated boolean NOT NULL DEFAULT false,
    UNIQUE (edition, annotator),
    UNIQUE (edition, model, prompt)
);

CREATE TABLE stc.llm_answers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    judge integer NOT NULL REFERENCES stc.llm_judges ON DELETE CASCADE,
    query integer NOT NULL REFERENCES st1_queries,
    doc bigint NOT NULL REFERENCES dblp,
    answer text,
    rel smallint,
    error text,
    finish text,
    params jsonb NOT NULL DEFAULT '{}',
    prompt_tokens integer,
    completion_tokens integer,
    attempts integer NOT NULL,
    seconds double precision NOT NULL,
    asked timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX llm_answers_judge_query_doc_idx ON stc.llm_answers (judge, query, doc);
CREATE UNIQUE INDEX llm_answers_judged_key ON stc.llm_answers (judge, query, doc) WHERE (rel IS NOT NULL);

CREATE TABLE stc.qrels_files (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    edition integer NOT NULL REFERENCES qrels_editions ON DELETE CASCADE,
    path text NOT NULL,
    sha256 text,
    judgments bigint NOT NULL,
    added bigint NOT NULL,
    imported timestamptz NOT NULL DEFAULT now(),
    rows bigint[]
);
CREATE INDEX qrels_files_edition_idx ON stc.qrels_files (edition);

CREATE TABLE stc.qrels_pools (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pool text COLLATE "C" NOT NULL UNIQUE,
    method text NOT NULL,
    params jsonb NOT NULL DEFAULT '{}',
    made timestamptz NOT NULL DEFAULT now(),
    guidelines text,
    simulated boolean NOT NULL DEFAULT false
);

CREATE TABLE stc.qrels_pool_documents (
    pool integer REFERENCES stc.qrels_pools ON DELETE CASCADE,
    query integer REFERENCES st1_queries,
    doc bigint REFERENCES dblp,
    "position" integer NOT NULL,
    runs integer NOT NULL,
    teams integer NOT NULL,
    best_rank integer NOT NULL,
    stratum text,
    weight double precision,
    PRIMARY KEY (pool, query, doc),
    UNIQUE (pool, query, "position")
);

CREATE TABLE stc.qrels_assessments (
    pool integer,
    query integer,
    doc bigint,
    annotator text COLLATE "C",
    rel smallint,
    note text,
    changed timestamptz NOT NULL DEFAULT now(),
    submitted timestamptz,
    undecided boolean NOT NULL DEFAULT false,
    seconds real CHECK (seconds BETWEEN 0 AND 600),
    decision text,
    final boolean NOT NULL DEFAULT false,
    label smallint,
    label_seen boolean NOT NULL DEFAULT false,
    PRIMARY KEY (pool, query, doc, annotator),
    CONSTRAINT qrels_assessments_undecided_check CHECK (rel IS NULL OR NOT undecided),
    CONSTRAINT qrels_assessments_pool_fkey FOREIGN KEY (pool, query, doc)
        REFERENCES stc.qrels_pool_documents (pool, query, doc) ON DELETE CASCADE
);

CREATE TABLE stc.qrels_comparisons (
    pool integer,
    query integer,
    annotator text COLLATE "C"
        CONSTRAINT qrels_comparisons_annotator_name_check
        CHECK (length(annotator) BETWEEN 1 AND 200 AND annotator !~ '<unprintable>'),
    number integer,
    left_doc bigint NOT NULL,
    right_doc bigint NOT NULL,
    choice text NOT NULL CHECK (choice IN ('left', 'right', 'equal', 'neither', 'undecided')),
    seconds real CHECK (seconds BETWEEN 0 AND 600),
    decision text,
    decided timestamptz NOT NULL DEFAULT now(),
    submitted timestamptz,
    PRIMARY KEY (pool, query, annotator, number),
    CONSTRAINT qrels_comparisons_docs_check CHECK (left_doc <> right_doc),
    CONSTRAINT qrels_comparisons_left_doc_fkey FOREIGN KEY (pool, query, left_doc)
        REFERENCES stc.qrels_pool_documents (pool, query, doc) ON DELETE CASCADE,
    CONSTRAINT qrels_comparisons_right_doc_fkey FOREIGN KEY (pool, query, right_doc)
        REFERENCES stc.qrels_pool_documents (pool, query, doc) ON DELETE CASCADE
);
CREATE INDEX qrels_comparisons_left_doc_idx ON stc.qrels_comparisons (pool, query, left_doc);
CREATE UNIQUE INDEX qrels_comparisons_pair_idx ON stc.qrels_comparisons
    (pool, query, annotator, least(left_doc, right_doc), greatest(left_doc, right_doc));
CREATE INDEX qrels_comparisons_right_doc_idx ON stc.qrels_comparisons (pool, query, right_doc);

CREATE TABLE stc.qrels_decisions (
    pool integer,
    query integer NOT NULL,
    doc bigint NOT NULL,
    annotator text COLLATE "C"
        CONSTRAINT qrels_decisions_annotator_name_check
        CHECK (length(annotator) BETWEEN 1 AND 200 AND annotator !~ '<unprintable>'),
    decision text COLLATE "C" CHECK (length(decision) BETWEEN 1 AND 200),
    role text COLLATE "C" NOT NULL,
    invited boolean NOT NULL,
    decided timestamptz NOT NULL,
    rel smallint,
    note text,
    undecided boolean NOT NULL DEFAULT false,
    changed timestamptz,
    undone timestamptz,
    PRIMARY KEY (pool, annotator, decision),
    CONSTRAINT qrels_decisions_doc_fkey FOREIGN KEY (pool, query, doc)
        REFERENCES stc.qrels_pool_documents (pool, query, doc) ON DELETE CASCADE
);
CREATE INDEX qrels_decisions_doc_idx ON stc.qrels_decisions (pool, query, doc);

CREATE TABLE stc.query_cuts (
    edition integer,
    query integer REFERENCES st1_queries,
    reason text NOT NULL CHECK (reason IN ('unreasonable', 'few', 'many')),
    note text,
    cut timestamptz NOT NULL DEFAULT now(),
    hidden boolean DEFAULT false,
    PRIMARY KEY (edition, query, hidden),
    CONSTRAINT query_cuts_edition_fkey FOREIGN KEY (edition, hidden)
        REFERENCES qrels_editions (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);
CREATE TABLE stc.query_cuts_open PARTITION OF stc.query_cuts FOR VALUES IN (false);
CREATE TABLE stc.query_cuts_hidden PARTITION OF stc.query_cuts FOR VALUES IN (true);

-- runs

CREATE TABLE st1_runs (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text COLLATE "C" NOT NULL UNIQUE,
    team text,
    tag text,
    manual boolean NOT NULL DEFAULT false,
    family text,
    params jsonb NOT NULL DEFAULT '{}',
    source text,
    sha256 text,
    made timestamptz NOT NULL DEFAULT now(),
    metadata jsonb,
    version bigint NOT NULL DEFAULT 0,
    shared boolean NOT NULL DEFAULT false
);

CREATE TABLE st1_rankings (
    run integer REFERENCES st1_runs ON DELETE CASCADE,
    query integer REFERENCES st1_queries,
    doc bigint REFERENCES dblp,
    rank integer NOT NULL CHECK (rank >= 1),
    file_rank integer,
    rel_score double precision NOT NULL,
    comb_score double precision,
    passage text,
    PRIMARY KEY (query, doc, run) INCLUDE (rank),
    CONSTRAINT st1_rankings_run_query_rank_key UNIQUE (run, query, rank) INCLUDE (doc)
);

CREATE TABLE stc.run_receipts (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file text NOT NULL,
    sha256 text NOT NULL,
    team text,
    run text COLLATE "C",
    accepted boolean NOT NULL,
    reasons jsonb NOT NULL DEFAULT '[]',
    received timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE stc.unfinished_runs (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text COLLATE "C" NOT NULL
        CONSTRAINT unfinished_runs_run_name_check CHECK (length(run) BETWEEN 1 AND 200 AND run !~ '<unprintable>'),
    maker text COLLATE "C" NOT NULL,
    params jsonb NOT NULL,
    state jsonb NOT NULL,
    queries integer NOT NULL,
    begun timestamptz NOT NULL DEFAULT now(),
    UNIQUE (maker, run)
);

CREATE TABLE stc.unfinished_rankings (
    unfinished integer REFERENCES stc.unfinished_runs ON DELETE CASCADE,
    query integer,
    docs bigint[] NOT NULL,
    scores double precision[] NOT NULL,
    searched timestamptz NOT NULL DEFAULT clock_timestamp(),
    spent jsonb,
    PRIMARY KEY (unfinished, query),
    CONSTRAINT unfinished_rankings_scores_check CHECK (cardinality(docs) = cardinality(scores))
);

-- evaluation

CREATE TABLE st1_scores (
    edition integer,
    run integer REFERENCES st1_runs ON DELETE CASCADE,
    query integer REFERENCES st1_queries,
    measure text COLLATE "C",
    value double precision NOT NULL,
    source text,
    hidden boolean DEFAULT false,
    PRIMARY KEY (edition, measure, run, query, hidden),
    CONSTRAINT st1_scores_edition_fkey FOREIGN KEY (edition, hidden)
        REFERENCES qrels_editions (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);
CREATE TABLE stc.st1_scores_open PARTITION OF st1_scores FOR VALUES IN (false);
CREATE TABLE stc.st1_scores_hidden PARTITION OF st1_scores FOR VALUES IN (true);
CREATE INDEX st1_scores_run_idx ON st1_scores (run);

CREATE TABLE stc.ask_allowances (
    edition integer PRIMARY KEY REFERENCES qrels_editions ON DELETE CASCADE,
    asks integer NOT NULL CHECK (asks >= 0),
    measures text[] NOT NULL,
    allowed timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE stc.ask_counts (
    edition integer REFERENCES qrels_editions ON DELETE CASCADE,
    team text COLLATE "C",
    asked integer NOT NULL,
    PRIMARY KEY (edition, team)
);

CREATE TABLE stc.ask_requests (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    edition integer NOT NULL REFERENCES qrels_editions ON DELETE CASCADE,
    team text COLLATE "C" NOT NULL,
    member text COLLATE "C" NOT NULL,
    run text COLLATE "C" NOT NULL,
    edition_version bigint NOT NULL,
    measures text[] NOT NULL,
    means double precision[],
    xact bigint NOT NULL,
    asked timestamptz NOT NULL DEFAULT now(),
    digest bytea,
    scored bigint
);
CREATE INDEX ask_requests_edition_team_idx ON stc.ask_requests (edition, team);

CREATE TABLE stc.ask_rankings (
    request bigint REFERENCES stc.ask_requests ON DELETE CASCADE,
    query integer REFERENCES st1_queries ON DELETE CASCADE,
    docs bigint[] NOT NULL,
    PRIMARY KEY (request, query)
);
CREATE INDEX ask_rankings_query_idx ON stc.ask_rankings (query);

CREATE TABLE stc.judged_queries (
    edition integer REFERENCES qrels_editions ON DELETE CASCADE,
    query integer REFERENCES st1_queries,
    edition_version bigint NOT NULL,
    rels smallint[] NOT NULL,
    code text NOT NULL,
    PRIMARY KEY (edition, query)
);

CREATE TABLE stc.judged_runs (
    edition integer REFERENCES qrels_editions ON DELETE CASCADE,
    run integer,
    edition_version bigint NOT NULL,
    run_version bigint NOT NULL,
    code text NOT NULL,
    measures text[] NOT NULL,
    PRIMARY KEY (edition, run)
);

CREATE TABLE stc.judged_rankings (
    edition integer,
    run integer,
    query integer,
    retrieved integer NOT NULL,
    relevant integer[] NOT NULL,
    grades smallint[] NOT NULL,
    irrelevant integer[] NOT NULL,
    pooled integer[] NOT NULL,
    PRIMARY KEY (edition, run, query),
    CONSTRAINT judged_rankings_run_fkey FOREIGN KEY (edition, run)
        REFERENCES stc.judged_runs (edition, run) ON DELETE CASCADE
);

CREATE TABLE stc.judged_scores (
    edition integer,
    run integer,
    query integer,
    scores double precision[] NOT NULL,
    PRIMARY KEY (edition, run, query),
    CONSTRAINT judged_scores_run_fkey FOREIGN KEY (edition, run)
        REFERENCES stc.judged_runs (edition, run) ON DELETE CASCADE
);

-- studies: of collections of version 0.2, and of their dumps

CREATE TABLE stc.synth_studies (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    study text COLLATE "C" NOT NULL UNIQUE
        CONSTRAINT synth_studies_study_name_check
        CHECK (length(study) BETWEEN 1 AND 200 AND study !~ '<unprintable>'),
    field text NOT NULL DEFAULT 'abstract' CHECK (field IN ('abstract', 'content')),
    seed bigint NOT NULL,
    params jsonb NOT NULL DEFAULT '{}',
    made timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE stc.synth_passages (
    study integer REFERENCES stc.synth_studies ON DELETE CASCADE,
    doc bigint REFERENCES dblp,
    place integer NOT NULL,
    model text COLLATE "C"
        CONSTRAINT synth_passages_model_name_check
        CHECK (length(model) BETWEEN 1 AND 200 AND model !~ '<unprintable>'),
    prompt integer REFERENCES stc.llm_prompts,
    answer text,
    score double precision
        CONSTRAINT synth_passages_score_finite_check
        CHECK (score > '-Infinity'::double precision AND score < 'Infinity'::double precision),
    error text,
    params jsonb NOT NULL DEFAULT '{}',
    asked timestamptz,
    PRIMARY KEY (study, doc),
    UNIQUE (study, place)
);
CREATE INDEX synth_passages_doc_idx ON stc.synth_passages (doc);

CREATE TABLE stc.synth_candidates (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    study integer NOT NULL,
    doc bigint NOT NULL,
    origin text NOT NULL
        CONSTRAINT synth_candidates_origin_name_check
        CHECK (length(origin) BETWEEN 1 AND 200 AND origin !~ '<unprintable>'),
    model text COLLATE "C" NOT NULL
        CONSTRAINT synth_candidates_model_name_check
        CHECK (length(model) BETWEEN 1 AND 200 AND model !~ '<unprintable>'),
    prompt integer REFERENCES stc.llm_prompts,
    number integer NOT NULL,
    answer text,
    text text,
    dropped text,
    length integer,
    found integer,
    chosen boolean NOT NULL DEFAULT false,
    query integer REFERENCES st1_queries ON DELETE SET NULL,
    params jsonb NOT NULL DEFAULT '{}',
    made timestamptz NOT NULL DEFAULT now(),
    UNIQUE (study, doc, origin, number),
    CONSTRAINT synth_candidates_study_fkey FOREIGN KEY (study, doc)
        REFERENCES stc.synth_passages (study, doc) ON DELETE CASCADE
);
CREATE INDEX synth_candidates_query_idx ON stc.synth_candidates (query);

CREATE TABLE stc.synth_subtopics (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic integer NOT NULL REFERENCES st1_topics ON DELETE CASCADE,
    origin text NOT NULL
        CONSTRAINT synth_subtopics_origin_name_check
        CHECK (length(origin) BETWEEN 1 AND 200 AND origin !~ '<unprintable>'),
    model text COLLATE "C" NOT NULL
        CONSTRAINT synth_subtopics_model_name_check
        CHECK (length(model) BETWEEN 1 AND 200 AND model !~ '<unprintable>'),
    prompt integer NOT NULL REFERENCES stc.llm_prompts,
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
        CHECK (length(reviewer) BETWEEN 1 AND 200 AND reviewer !~ '<unprintable>'),
    reviewed timestamptz,
    query integer REFERENCES st1_queries ON DELETE SET NULL,
    params jsonb NOT NULL DEFAULT '{}',
    made timestamptz NOT NULL DEFAULT now(),
    UNIQUE (topic, origin, number),
    CONSTRAINT synth_subtopics_reviewer_check CHECK ((verdict IS NULL) = (reviewer IS NULL))
);
CREATE INDEX synth_subtopics_query_idx ON stc.synth_subtopics (query);

CREATE TABLE stc.coverages (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    coverage text COLLATE "C" NOT NULL UNIQUE
        CONSTRAINT coverages_coverage_name_check
        CHECK (length(coverage) BETWEEN 1 AND 200 AND coverage !~ '<unprintable>'),
    query integer REFERENCES st1_queries ON DELETE SET NULL,
    text text NOT NULL,
    model text COLLATE "C" NOT NULL
        CONSTRAINT coverages_model_name_check
        CHECK (length(model) BETWEEN 1 AND 200 AND model !~ '<unprintable>'),
    docs bigint[] NOT NULL,
    params jsonb NOT NULL DEFAULT '{}',
    made timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX coverages_query_idx ON stc.coverages (query);

CREATE TABLE stc.coverage_topics (
    coverage integer REFERENCES stc.coverages ON DELETE CASCADE,
    kind text CHECK (kind IN ('lda', 'itemset', 'concept')),
    place integer,
    words text[] NOT NULL,
    weight double precision
        CONSTRAINT coverage_topics_weight_finite_check
        CHECK (weight > '-Infinity'::double precision AND weight < 'Infinity'::double precision),
    count bigint NOT NULL,
    PRIMARY KEY (coverage, kind, place)
);

CREATE TABLE stc.answer_models (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model text COLLATE "C" NOT NULL UNIQUE
        CONSTRAINT answer_models_model_name_check
        CHECK (length(model) BETWEEN 1 AND 200 AND model !~ '<unprintable>'),
    kind text NOT NULL CHECK (kind IN ('classifier', 'crossencoder')),
    params jsonb NOT NULL DEFAULT '{}',
    fingerprint text,
    content bytea,
    made timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE stc.answer_sets (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    set text COLLATE "C" NOT NULL
        CONSTRAINT answer_sets_set_name_check
        CHECK (length(set) BETWEEN 1 AND 200 AND set !~ '<unprintable>'),
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

CREATE TABLE stc.answer_gold (
    document bigint REFERENCES stc.answer_documents ON DELETE CASCADE,
    query integer NOT NULL,
    hidden boolean DEFAULT false,
    PRIMARY KEY (document, hidden),
    CONSTRAINT answer_gold_query_fkey FOREIGN KEY (query, hidden)
        REFERENCES stc.answer_queries (id, hidden) ON UPDATE CASCADE ON DELETE CASCADE
) PARTITION BY LIST (hidden);
CREATE TABLE stc.answer_gold_open PARTITION OF stc.answer_gold FOR VALUES IN (false);
CREATE TABLE stc.answer_gold_hidden PARTITION OF stc.answer_gold FOR VALUES IN (true);
CREATE INDEX answer_gold_query_idx ON stc.answer_gold (query);

CREATE TABLE stc.answer_rejects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file integer NOT NULL REFERENCES stc.answer_files ON DELETE CASCADE,
    line bigint NOT NULL,
    problem text NOT NULL,
    reason text NOT NULL
);
CREATE INDEX answer_rejects_file_idx ON stc.answer_rejects (file);

CREATE TABLE stc.answer_runs (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text COLLATE "C" NOT NULL UNIQUE
        CONSTRAINT answer_runs_run_name_check
        CHECK (length(run) BETWEEN 1 AND 200 AND run !~ '<unprintable>'),
    set integer NOT NULL REFERENCES stc.answer_sets ON DELETE CASCADE,
    method text NOT NULL,
    params jsonb NOT NULL DEFAULT '{}',
    made timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX answer_runs_set_idx ON stc.answer_runs (set);

CREATE TABLE stc.answer_predictions (
    run integer REFERENCES stc.answer_runs ON DELETE CASCADE,
    document bigint REFERENCES stc.answer_documents ON DELETE CASCADE,
    query integer NOT NULL REFERENCES stc.answer_queries ON DELETE CASCADE,
    probability real
        CONSTRAINT answer_predictions_probability_finite_check
        CHECK (probability > '-Infinity'::real AND probability < 'Infinity'::real),
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
        CONSTRAINT answers_source_name_check
        CHECK (length(source) BETWEEN 1 AND 200 AND source !~ '<unprintable>'),
    url text COLLATE "C" NOT NULL,
    text text NOT NULL,
    digest uuid GENERATED ALWAYS AS (md5(text)::uuid) STORED NOT NULL,
    score double precision
        CONSTRAINT answers_score_finite_check
        CHECK (score > '-Infinity'::double precision AND score < 'Infinity'::double precision),
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

CREATE TABLE stc.answer_pairs (
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
CREATE TABLE stc.answer_pairs_open PARTITION OF stc.answer_pairs FOR VALUES IN (false);
CREATE TABLE stc.answer_pairs_hidden PARTITION OF stc.answer_pairs FOR VALUES IN (true);
CREATE INDEX answer_pairs_b_idx ON stc.answer_pairs (b);
CREATE INDEX answer_pairs_query_idx ON stc.answer_pairs (query);

CREATE TABLE stc.answer_relations (
    model integer REFERENCES stc.answer_models ON DELETE CASCADE,
    a bigint REFERENCES stc.answers ON DELETE CASCADE,
    b bigint REFERENCES stc.answers ON DELETE CASCADE,
    support real NOT NULL
        CONSTRAINT answer_relations_support_finite_check
        CHECK (support > '-Infinity'::real AND support < 'Infinity'::real),
    oppose real NOT NULL
        CONSTRAINT answer_relations_oppose_finite_check
        CHECK (oppose > '-Infinity'::real AND oppose < 'Infinity'::real),
    PRIMARY KEY (model, a, b),
    CONSTRAINT answer_relations_order_check CHECK (a < b)
);
CREATE INDEX answer_relations_a_idx ON stc.answer_relations (a);
CREATE INDEX answer_relations_b_idx ON stc.answer_relations (b);

-- db

CREATE TABLE stc_catalogue (
    kind text COLLATE "C",
    name text COLLATE "C",
    definition text NOT NULL,
    PRIMARY KEY (kind, name)
);

CREATE TABLE stc_objects (
    file text PRIMARY KEY,
    creates text[] NOT NULL,
    fingerprint text NOT NULL,
    catalogue text NOT NULL,
    signatures text[] NOT NULL DEFAULT '{}'
);

CREATE TABLE stc.stc_members (
    member text COLLATE "C" PRIMARY KEY,
    team text COLLATE "C" NOT NULL CHECK (btrim(team) <> ''),
    added timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE stc.stc_settings (
    name text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
);

-- EXPLAIN shows every role what the planner derives from statistics of all rows; those of the partitions are enough.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT c.oid::regclass AS parent, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                WHERE c.relkind = 'p' AND c.relnamespace::regnamespace::text IN ('public', 'stc') AND a.attnum > 0 LOOP
        EXECUTE format('ALTER TABLE ONLY %s ALTER COLUMN %I SET STATISTICS 0', one.parent, one.attname);
    END LOOP;
END $$;
