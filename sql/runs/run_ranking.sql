-- run_ranking: ranking of one run by query and rank, as exported.
--
--   score     rel uses the stored ranks; comb ranks by comb_score, or rel_score where that is NULL, by the same rule
--             (single precision, ties by docno descending as bytes)
--   depth     number of ranks; NULL for all
--   topic     topic of the query, or the query's name up to its last dot if it has no topic
--   passage   the stored passage. If there is no stored passage and passages is true, the sentence of the abstract (or
--             title) that contains the most query words; words with a minus sign do not count
--   query_set  only the queries of a set (function query_set)
--
-- Raises IR101 no such run, IR103 no such query or set, IR201 depth below 1, IR202 another score.
CREATE OR REPLACE FUNCTION run_ranking(
    run text, score text DEFAULT 'rel', depth integer DEFAULT NULL, passages boolean DEFAULT false,
    query_set text DEFAULT 'all')
RETURNS TABLE (topic text, query text, docno text, rank integer, rel_score double precision,
               comb_score double precision, passage text)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    members CONSTANT integer[] := query_set_ids(run_ranking.query_set);
    run_id integer := (run_keys(ARRAY[run_ranking.run]))[1];
BEGIN
    IF run_ranking.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201', MESSAGE = format('the depth is %s', run_ranking.depth),
            HINT = 'The depth is the number of ranks per query; it must be 1 or more.';
    ELSIF run_ranking.score IS NULL OR run_ranking.score NOT IN ('rel', 'comb') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('%L is not a score of a run', run_ranking.score),
            HINT = 'Use rel or comb.';
    END IF;
    RETURN QUERY
    WITH listed AS MATERIALIZED (
        SELECT s.query, s.doc, s.rank, s.rel_score, s.comb_score, s.passage
          FROM st1_rankings s
         WHERE s.run = run_id AND (run_ranking.query_set = 'all' OR s.query = ANY (members))
           AND (run_ranking.depth IS NULL OR run_ranking.score = 'comb'
                OR s.first <= run_ranking.depth AND s.rank <= run_ranking.depth)),
    -- MATERIALIZED: Citus cannot join documents with the places below.
    named AS MATERIALIZED (
        SELECT d.id, d.docno,
               CASE WHEN run_ranking.passages THEN coalesce(nullif(btrim(x.abstract), ''), x.title) END AS content
          FROM dblp d LEFT JOIN dblp_text x ON x.id = d.id WHERE d.id IN (SELECT l.doc FROM listed l))
    SELECT coalesce(t.topic, regexp_replace(q.query, '(.)\.[^.]+$', '\1')), q.query, r.docno, r.place::integer,
           r.rel_score, r.comb_score,
           CASE WHEN r.passage IS NULL AND run_ranking.passages
                THEN best_sentence(r.content, q.lexemes) ELSE r.passage END
      FROM (SELECT s.*, e.docno, e.content,
                   CASE WHEN run_ranking.score = 'rel' THEN s.rank
                             ELSE row_number() OVER (PARTITION BY s.query
                                                     ORDER BY trec_score(coalesce(s.comb_score, s.rel_score)) DESC,
                                                                                   e.docno DESC) END AS place
              FROM listed s JOIN named e ON e.id = s.doc) r
      JOIN (SELECT id, topic, query, tsvector_to_array(to_tsvector((SELECT text_config()), indexed_words(
                       regexp_replace(coalesce(text, ''), '(^|\s)-\S+', ' ', 'g'), (SELECT text_words())))) AS lexemes
              FROM st1_queries) q ON q.id = r.query
      LEFT JOIN st1_topics t ON t.id = q.topic
     WHERE run_ranking.depth IS NULL OR r.place <= run_ranking.depth
     ORDER BY q.query, r.place;
END
$$;
COMMENT ON FUNCTION run_ranking(text, text, integer, boolean, text) IS
    'Ranking of one run by query and rank, with passages, as exported';
