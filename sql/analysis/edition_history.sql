-- edition_history: topics, queries and assessed documents of each edition, oldest first: by year of the campaign, then
-- by creation. Editions without a year are last. Hidden editions are omitted for roles without access.
--
--   topics, queries   with a judged document; queries without a topic count as queries only
--   judgments         pairs of query and document with a grade of at least 0; negative grades are not judgments
--   by_people         those of them that people gave; the others come from language models and nearest neighbours
--   fewest, most      judgments of the query with the fewest and with the most of them
--   names             the names of the topics
--   documents         distinct documents in these pairs
--
-- editions: names; an empty array means all. Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION edition_history(editions text[] DEFAULT '{}')
RETURNS TABLE (edition text, year integer, split text, made timestamptz, topics bigint, queries bigint,
               judgments bigint, by_people bigint, documents bigint, fewest bigint, most bigint, names text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM edition_key(n.name) FROM unnest(edition_history.editions) AS n (name);
    RETURN QUERY
    SELECT e.edition, e.year, e.split, e.made, s.topics, s.queries, s.judgments, s.by_people, s.documents,
           c.fewest, c.most, c.names
      FROM qrels_editions e
     CROSS JOIN LATERAL (
           SELECT count(DISTINCT q.topic) AS topics, count(DISTINCT j.query) AS queries, count(*) AS judgments,
                  count(*) FILTER (WHERE j.origin = 'human') AS by_people, count(DISTINCT j.doc) AS documents
             FROM qrels j JOIN st1_queries q ON q.id = j.query
            WHERE j.edition = e.id AND j.rel >= 0) s
     CROSS JOIN LATERAL (
           SELECT min(k.judgments) AS fewest, max(k.judgments) AS most,
                  array_agg(DISTINCT t.topic ORDER BY t.topic) FILTER (WHERE t.topic IS NOT NULL) AS names
             FROM (SELECT j.query, count(*) AS judgments
                     FROM qrels j WHERE j.edition = e.id AND j.rel >= 0 GROUP BY j.query) k
             JOIN st1_queries q ON q.id = k.query LEFT JOIN st1_topics t ON t.id = q.topic) c
     WHERE coalesce(cardinality(edition_history.editions), 0) = 0 OR e.edition = ANY (edition_history.editions)
     ORDER BY e.year NULLS LAST, e.made, e.edition COLLATE "C";
END
$$;
COMMENT ON FUNCTION edition_history(text[]) IS
    'Topics, queries and assessed documents of each edition, oldest first';
