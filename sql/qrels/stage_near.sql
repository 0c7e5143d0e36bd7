-- stage_near: create the temporary table near for expanding judgments: the nearest neighbours (near_documents) of each
-- document that a person or a language model judged from_rel or better, for each query it is judged for.
--
-- Returns the edition's key and the numbers of such documents with and without a vector (expansion_sources). place
-- counts the neighbours of a source before judged ones are excluded. field, model, effort, near: as in near_among.
--
-- query_set: only the queries of a set (query_set).
--
-- Raises the errors of expansion_sources, and IR201, IR202 an argument out of range.
CREATE OR REPLACE FUNCTION stage_near(
    edition text, neighbours integer, threshold double precision, from_rel integer, field text, model text, test text[],
    effort integer, query_set text DEFAULT 'all', near bigint[] DEFAULT NULL,
    OUT edition_id integer, OUT sources bigint, OUT without_vector bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET client_min_messages = warning AS $$
#variable_conflict use_column
DECLARE
    judged bigint[];
    members CONSTANT integer[] := edition_queries(stage_near.edition, stage_near.query_set);
BEGIN
    SELECT s.edition_id, s.judged, s.sources, s.without_vector INTO edition_id, judged, sources, without_vector
      FROM expansion_sources(stage_near.edition, stage_near.from_rel, stage_near.field, stage_near.model,
                             stage_near.test, stage_near.query_set) s;
    DROP TABLE IF EXISTS pg_temp.near;
    CREATE TEMP TABLE near AS
    SELECT j.query, j.rel, n.source, n.doc, n.similarity, n.place
      FROM near_among(judged, stage_near.neighbours, stage_near.threshold, stage_near.field, stage_near.model,
                          stage_near.effort, stage_near.near) n
      JOIN qrels j ON j.edition = stage_near.edition_id AND j.doc = n.source AND j.rel >= stage_near.from_rel
      AND j.origin <> 'knn' AND j.query = ANY (members);
    ANALYZE pg_temp.near;
END
$$;
COMMENT ON FUNCTION stage_near(text, integer, double precision, integer, text, text, text[], integer, text, bigint[]) IS
    'Creates the temporary table near: the nearest neighbours of each document that an edition judges relevant, '
    'for expand_near';
