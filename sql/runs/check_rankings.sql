-- check_rankings: trigger that refuses ranked lists that trec_eval would rank differently, or that name unknown
-- documents. After each statement, the ranks of a run and query are 1, 2, 3 … without gaps, no score exceeds that of
-- the previous rank in single precision (trec_score; equal scores may come in any order), and each document is stored
-- and occurs once.
--
-- The lists of the statement are read as sets. So a ranking can be stored in several statements, starting at rank 1,
-- and a statement may remove its last ranks, but not others. count_rankings runs first and locks the runs, so that
-- sessions that write the same run check it one after the other.
--
-- Sessions that store lists and sessions that delete documents (keep_ranked) wait for each other. A statement whose
-- snapshot is older than this wait would miss rows, so both need READ COMMITTED.
--
-- SECURITY DEFINER, like PostgreSQL's checks of keys: a caller whose statement changes its role (set_config) to one
-- that may not see the run would hide the stored lists from the checks.
--
-- Safe because: it only reads lists of the runs and queries that the caller writes, and names only what the caller
-- wrote; no role may call it or attach it to a table.
-- Raises IR202 another isolation level; IR301 a rank without the previous one, or a score above the previous one; and
-- PostgreSQL's errors for a document that does not exist (23503), and for a rank or document that occurs twice (23505).
CREATE OR REPLACE FUNCTION check_rankings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    left_only CONSTANT boolean := tg_op = 'DELETE' OR tg_nargs > 0;  -- changed has rows that are gone
    bad record;
    named bigint[];
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('runs are not stored in a transaction that is %s',
                             current_setting('transaction_isolation')),
            HINT = 'Begin it with BEGIN ISOLATION LEVEL READ COMMITTED.';
    END IF;
    IF NOT left_only THEN
        SELECT l.run, l.query, l.doc INTO bad
          FROM (SELECT l.run, l.query, unnest(l.docs) AS doc
                  FROM (SELECT DISTINCT c.run, c.query FROM changed c) w
                  JOIN ranked_lists l ON l.run = w.run AND l.query = w.query) l
         GROUP BY l.run, l.query, l.doc HAVING count(*) > 1 LIMIT 1;
        IF FOUND THEN
            PERFORM refuse_duplicate(bad.run, bad.query, bad.doc, NULL);
        END IF;
    END IF;
    SELECT s.run, s.query, s.rank, s.last, s.score, s.before INTO bad
      FROM (SELECT l.run, l.query, l.first AS rank, l.rel_scores[1] AS score,
                   lag(l.first - 1 + cardinality(l.docs), 1, 0) OVER ranked AS last,
                   lag(l.rel_scores[cardinality(l.docs)]) OVER ranked AS before
              FROM (SELECT DISTINCT c.run, c.query FROM changed c) w
              JOIN ranked_lists l ON l.run = w.run AND l.query = w.query
            WINDOW ranked AS (PARTITION BY l.run, l.query ORDER BY l.first)) s
     WHERE s.rank <> s.last + 1 OR s.before IS NOT NULL AND trec_score(s.before) < trec_score(s.score)
     ORDER BY s.run, s.query, s.rank LIMIT 1;
    IF bad.rank <= bad.last THEN
        PERFORM refuse_duplicate(bad.run, bad.query, NULL, bad.rank);
    ELSIF bad.rank > bad.last + 1 THEN
        PERFORM refuse_ranking(bad.run, bad.query,
                               format('there is rank %s, but no rank %s', bad.rank, bad.rank - 1));
    END IF;
    IF left_only THEN
        RETURN NULL;
    END IF;
    IF bad.rank IS NULL THEN
        SELECT c.run, c.query, c.first + u.place - 1 AS rank, c.rel_scores[u.place] AS score,
               c.rel_scores[u.place - 1] AS before INTO bad
          FROM changed c CROSS JOIN LATERAL generate_series(2, cardinality(c.docs)) AS u (place)
         WHERE trec_score(c.rel_scores[u.place - 1]) < trec_score(c.rel_scores[u.place])
         ORDER BY c.run, c.query, c.first LIMIT 1;
    END IF;
    IF bad.rank IS NOT NULL THEN
        PERFORM refuse_ranking(bad.run, bad.query, format('rank %s has the score %s, above %s of rank %s', bad.rank,
                                                          bad.score, bad.before, bad.rank - 1));
    END IF;
    IF NOT distributed() THEN
        named := ARRAY(SELECT DISTINCT unnest(c.docs) FROM changed c);
        IF cardinality(named) > (SELECT count(*) FROM public.dblp d WHERE d.id = ANY (named)) THEN
            SELECT n.doc INTO bad FROM unnest(named) AS n (doc)
             WHERE NOT EXISTS (SELECT FROM public.dblp d WHERE d.id = n.doc) LIMIT 1;
            RAISE EXCEPTION USING ERRCODE = '23503', TABLE = 'st1_rankings', CONSTRAINT = 'st1_rankings_doc_fkey',
                MESSAGE = 'insert or update on table "st1_rankings" violates foreign key constraint '
                          '"st1_rankings_doc_fkey"',
                DETAIL = format('Key (doc)=(%s) is not present in table "dblp".', bad.doc),
                HINT = 'Load the document first; doc is dblp.id.';
        END IF;
    END IF;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION check_rankings() IS
    'Trigger: refuses ranked lists with gaps, scores that contradict the ranks, or unknown or repeated documents';
CREATE OR REPLACE TRIGGER ranked_lists_verify_insert AFTER INSERT ON ranked_lists
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_rankings();
CREATE OR REPLACE TRIGGER ranked_lists_verify_update AFTER UPDATE ON ranked_lists
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_rankings();
CREATE OR REPLACE TRIGGER ranked_lists_verify_left AFTER UPDATE ON ranked_lists
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_rankings('left');
CREATE OR REPLACE TRIGGER ranked_lists_verify_delete AFTER DELETE ON ranked_lists
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_rankings();
