-- expand_qrels: create an edition with a copy of another's judgments and their expansion to neighbouring documents.
--
-- For each document that a person or a language model judged from_rel or better, the nearest documents by the vectors
-- of a field are labelled relevant: at most neighbours of them, with a cosine of at least threshold. New judgments have
-- the origin knn, with source document and similarity. Documents that the edition already judges are not changed, no
-- document is its own neighbour, and a document near several sources of a query is attributed to the nearest. Queries
-- judged by an edition of the split test are refused unless test names that edition.
--
--   into_edition   name of the new edition; <edition>-knn by default
--   rel            grade of all neighbours; NULL for the grade of their source
--   field          title, abstract or content
--   model          NULL for the default model
--   effort         0 for exact search, NULL to use the vector index (near_documents)
--   near           as in near_among
--   query_set      expand only the queries of a set (function query_set); the judgments of all are copied
--
-- Returns the new edition, the numbers of judgments copied and added, and the numbers of sources with and without a
-- vector.
--
-- Raises IR102 no such edition, IR103 no such query or set, IR105 no such model, IR106 no such field, IR201 neighbours
-- below 1, IR202 the new edition exists, a threshold outside [-1, 1] or queries of a test edition, IR405 no vectors.
CREATE OR REPLACE FUNCTION public.expand_qrels(
    edition text, into_edition text DEFAULT NULL, neighbours integer DEFAULT 10, threshold double precision DEFAULT 0.8,
    from_rel integer DEFAULT 2, rel integer DEFAULT NULL, field text DEFAULT 'title', model text DEFAULT NULL,
    test text[] DEFAULT '{}', effort integer DEFAULT 0,
    query_set text DEFAULT 'all', near bigint[] DEFAULT NULL
)
RETURNS TABLE (expansion text, copied bigint, added bigint, sources bigint, without_vector bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    staged record;
BEGIN
    expansion := coalesce(expand_qrels.into_edition, expand_qrels.edition || '-knn');
    -- check first, before the expensive search
    IF EXISTS (SELECT FROM qrels_editions e WHERE e.edition = expansion COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('edition %s already exists', expansion),
            HINT = 'Choose another name with --into, or remove an edition with stc.drop_edition(edition).';
    END IF;
    SELECT * INTO staged
      FROM stage_near(expand_qrels.edition, expand_qrels.neighbours, expand_qrels.threshold, expand_qrels.from_rel,
                                         expand_qrels.field, expand_qrels.model, expand_qrels.test,
                                         expand_qrels.effort, expand_qrels.query_set, expand_qrels.near);
    sources := staged.sources;
    without_vector := staged.without_vector;
    SELECT e.copied, e.added INTO copied, added
      FROM expand_near(staged.edition_id, expansion, expand_qrels.neighbours, expand_qrels.threshold, expand_qrels.rel,
                       format('%s with up to %s by %s%s of cosine >= %s of each document judged %s or '
                              'better%s%s',
                              expand_qrels.edition, counted(expand_qrels.neighbours, 'neighbour'), expand_qrels.field,
                              coalesce(' of ' || expand_qrels.model, ''), expand_qrels.threshold, expand_qrels.from_rel,
                              CASE WHEN expand_qrels.effort IS DISTINCT FROM 0 THEN ', found by the index'
                                   ELSE '' END,
                              coalesce(', for the queries ' || nullif(expand_qrels.query_set, 'all'), ''))) e;
    DROP TABLE pg_temp.near;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.expand_qrels(text, text, integer, double precision, integer, integer, text, text, text[],
                                        integer, text, bigint[]) IS
    'Creates an edition with a copy of another''s judgments and their expansion to neighbouring documents (origin '
    'knn)';
