-- cut_queries: the assessors' cut: marks the queries of an edition that are to be left out, and why (query_cuts). The
-- judgments stay.
--
--   unreasonable   the assessors said so: unreasonable has their names, notes beside them; marked ones stay marked,
--                  whoever did it
--   few            fewer than fewest documents of rel >= level
--   many           more than most of them; or, of most_share, more than that share of the judged documents (rel >= 0)
--
-- A query has the first of these reasons that holds. few and many are found anew each time. A query that is marked need
-- not be judged: assessors may have refused it outright. Returns how many are cut, by reason.
-- Raises IR102 no such edition, IR103 no such query, IR202 a number outside its range.
CREATE OR REPLACE FUNCTION cut_queries(
    edition text, unreasonable text[] DEFAULT '{}', notes text[] DEFAULT '{}', fewest integer DEFAULT 5,
    most integer DEFAULT NULL,
    most_share double precision DEFAULT NULL, level integer DEFAULT 1)
RETURNS TABLE (reason text, queries bigint)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(cut_queries.edition);
    is_hidden boolean;
    unknown text;
BEGIN
    IF cut_queries.fewest IS NULL OR cut_queries.fewest < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s relevant documents at least', coalesce(cut_queries.fewest::text, 'NULL')),
            HINT = '0 cuts no query for having few, 5 those with 4 or fewer.';
    ELSIF cut_queries.most < cut_queries.fewest OR cut_queries.most_share NOT BETWEEN 0 AND 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s relevant documents at most',
                             coalesce(cut_queries.most::text, 'a share of ' || cut_queries.most_share)),
            HINT = 'A number no smaller than the fewest; or a share of the judged documents, from 0 to 1.';
    END IF;
    SELECT n.name INTO unknown FROM unnest(cut_queries.unreasonable) AS n (name)
     WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = n.name COLLATE "C") LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103', MESSAGE = format('there is no query %L', unknown), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(unknown, ARRAY(
                SELECT q.query FROM st1_queries q WHERE q.id = ANY (query_set(cut_queries.edition))))) || '? ',
            'Queries are named as in runs and judgments.');
    END IF;
    -- two cuts wait for each other
    SELECT e.hidden INTO is_hidden FROM qrels_editions e WHERE e.id = edition_id FOR NO KEY UPDATE;
    INSERT INTO query_cuts (edition, query, reason, note, hidden)
    SELECT DISTINCT ON (q.id) edition_id, q.id, 'unreasonable', nullif(trim(n.note), ''), is_hidden
      FROM unnest(cut_queries.unreasonable, cut_queries.notes) WITH ORDINALITY AS n (name, note, place)
      JOIN st1_queries q ON q.query = n.name COLLATE "C" WHERE n.name IS NOT NULL ORDER BY q.id, n.place
    ON CONFLICT (edition, query, hidden) DO UPDATE
       SET reason = 'unreasonable', note = coalesce(excluded.note,
                                                    CASE query_cuts.reason
                                                         WHEN 'unreasonable' THEN query_cuts.note END),
           cut = now()
     WHERE query_cuts.reason <> 'unreasonable' OR excluded.note <> coalesce(query_cuts.note, '');
    DELETE FROM query_cuts c WHERE c.edition = edition_id AND c.reason <> 'unreasonable';
    INSERT INTO query_cuts (edition, query, reason, note, hidden)
    SELECT edition_id, s.query, s.reason, format('%s of %s judged', s.relevant, s.judged), is_hidden
      FROM (SELECT j.query, count(*) FILTER (WHERE j.rel >= cut_queries.level) AS relevant,
                   count(*) FILTER (WHERE j.rel >= 0) AS judged,
                   CASE WHEN count(*) FILTER (WHERE j.rel >= cut_queries.level) < cut_queries.fewest THEN 'few'
                        WHEN count(*) FILTER (WHERE j.rel >= cut_queries.level) > cut_queries.most
                          OR count(*) FILTER (WHERE j.rel >= cut_queries.level)
                             > cut_queries.most_share * count(*) FILTER (WHERE j.rel >= 0) THEN 'many' END AS reason
              FROM qrels j WHERE j.edition = edition_id GROUP BY j.query) s
     WHERE s.reason IS NOT NULL
    ON CONFLICT (edition, query, hidden) DO NOTHING;
    RETURN QUERY SELECT c.reason, count(*) FROM query_cuts c WHERE c.edition = edition_id GROUP BY c.reason
        ORDER BY c.reason;
END
$$;
COMMENT ON FUNCTION cut_queries(text, text[], text[], integer, integer, double precision, integer) IS
'The assessors'' cut: marks the queries of an edition that are unreasonable or have too few or too many relevant '
'documents';
