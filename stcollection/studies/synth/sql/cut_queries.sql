-- cut_queries: mark the queries of an edition that are to be left out, with the reason (query_cuts): the assessors'
-- cut. Judgments are kept. Returns the number of cut queries by reason.
--
--   unreasonable   refused by the assessors: unreasonable has the names of queries, notes the notes in the same order;
--                  queries marked earlier stay marked
--   few            fewer than fewest documents of rel >= level
--   many           more than most of them; or, with most_share, more than that share of the judged documents (rel >= 0)
--
-- A query gets the first reason that applies. few and many are computed again in each call. An unreasonable query need
-- not be judged, since assessors may have refused it outright.
-- Raises IR102 no such edition, IR103 no such query, IR202 a number outside its range.
CREATE OR REPLACE FUNCTION cut_queries(
    edition text, unreasonable text[] DEFAULT '{}', notes text[] DEFAULT '{}', fewest integer DEFAULT 5,
    most integer DEFAULT NULL,
    most_share double precision DEFAULT NULL, level integer DEFAULT 1)
RETURNS TABLE (reason text, queries bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id CONSTANT integer := edition_key(cut_queries.edition);
    is_hidden boolean;
    unknown text;
BEGIN
    IF cut_queries.fewest IS NULL OR cut_queries.fewest < 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the minimum of relevant documents is %s', coalesce(cut_queries.fewest::text, 'NULL')),
            HINT = 'Give 0 or more: 0 cuts no query for having too few, 5 cuts those with 4 or fewer.';
    ELSIF cut_queries.most < cut_queries.fewest OR cut_queries.most_share NOT BETWEEN 0 AND 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the maximum of relevant documents is %s',
                             coalesce(cut_queries.most::text, 'a share of ' || cut_queries.most_share)),
            HINT = 'Give a number not below the minimum, or a share of the judged documents from 0 to 1.';
    END IF;
    SELECT n.name INTO unknown FROM unnest(cut_queries.unreasonable) AS n (name)
     WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = n.name COLLATE "C") LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103', MESSAGE = format('there is no query %L', unknown), HINT = concat(
            'Did you mean ' || quote_literal(nearest_name(unknown, ARRAY(
                SELECT q.query FROM st1_queries q WHERE q.id = ANY (edition_queries(cut_queries.edition))))) || '? ',
            'Use the names of queries in runs and judgments.');
    END IF;
    -- concurrent cuts wait for each other
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
    'Marks queries of an edition that are unreasonable or have too few or too many relevant documents; returns the '
    'number cut by reason';
