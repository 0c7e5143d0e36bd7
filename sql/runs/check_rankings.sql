-- check_rankings: trigger that refuses ranked lists that trec_eval would rank differently, or that name unknown
-- documents. After each statement, the ranks of a run and query are 1, 2, 3 … without gaps, no score exceeds that of
-- the previous rank in single precision (trec_score; equal scores may come in any order), and each document is stored,
-- occurs once, and is not left out for the query (exclude_documents).
--
-- A stored row is compared with the previous one of its ranking, and so is the row that follows those of the statement.
-- So a ranking can be stored in several statements, starting at rank 1, and a statement may remove its last ranks, but
-- not others. count_rankings runs first and locks the runs, so that sessions that write the same run check it one after
-- the other. Subqueries read rows by their keys (LATERAL), whatever the planner knows of their number.
--
-- A run that is stored row by row has a list for each row. As soon as a part has thirty of them, they become one row
-- (pack_lists), so that the next statements need not compare their documents with many lists.
--
-- Sessions that store lists and sessions that delete documents (keep_ranked) wait for each other. A statement whose
-- snapshot is older than this wait would miss rows, so both need READ COMMITTED.
--
-- SECURITY DEFINER, like PostgreSQL's checks of keys: a caller whose statement changes its role (set_config) to one
-- that may not see the run would hide the stored lists from the checks.
--
-- Safe because: it only reads lists of the runs and queries that the caller writes, names only what the caller wrote,
-- and packs lists without changing a ranked document; no role may call it or attach it to a table.
-- Raises IR202 another isolation level; IR301 a rank without the previous one, or a score above the previous one; and
-- PostgreSQL's errors for a document that does not exist (23503), and for a rank or document that occurs twice (23505).
CREATE OR REPLACE FUNCTION check_rankings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    left_only CONSTANT boolean := tg_op = 'DELETE' OR tg_nargs > 0;  -- changed has rows that are gone
    bad record;
    unknown bigint[];
BEGIN
    PERFORM check_isolation('runs are not stored');
    -- A statement of one row need not read the documents of the whole ranking.
    IF NOT left_only AND NOT EXISTS (
        SELECT FROM changed c
         WHERE (SELECT count(*) FROM changed) = 1
           AND (SELECT count(DISTINCT u.doc) FROM unnest(c.docs) AS u (doc)) = cardinality(c.docs)
           AND NOT EXISTS (SELECT FROM ranked_lists l
                            WHERE l.run = c.run AND l.query = c.query AND l.first <> c.first AND l.docs && c.docs))
    THEN
        SELECT w.run, w.query, l.doc INTO bad
          FROM (SELECT DISTINCT c.run, c.query FROM changed c) w
         CROSS JOIN LATERAL (
               SELECT u.doc FROM (SELECT unnest(k.docs) AS doc FROM ranked_lists k
                                   WHERE k.run = w.run AND k.query = w.query OFFSET 0) u
                GROUP BY u.doc HAVING count(*) > 1 LIMIT 1) l LIMIT 1;
        IF FOUND THEN
            PERFORM refuse_duplicate(bad.run, bad.query, bad.doc, NULL);
        END IF;
    END IF;
    SELECT l.run, l.query, l.first AS rank, coalesce(p.last, 0) AS last, l.rel_scores[1] AS score, p.score AS before
      INTO bad
      FROM (SELECT c.run, c.query, c.first FROM changed c
             UNION
            SELECT c.run, c.query, n.first
              FROM changed c CROSS JOIN LATERAL (
                   SELECT k.first FROM ranked_lists k WHERE k.run = c.run AND k.query = c.query AND k.first > c.first
                    ORDER BY k.run, k.query, k.first LIMIT 1) n) s
     CROSS JOIN LATERAL (SELECT k.run, k.query, k.first, k.rel_scores FROM ranked_lists k
                          WHERE k.run = s.run AND k.query = s.query AND k.first = s.first OFFSET 0) l
      LEFT JOIN LATERAL (
            SELECT k.first - 1 + cardinality(k.docs) AS last, k.rel_scores[cardinality(k.docs)] AS score
              FROM ranked_lists k WHERE k.run = l.run AND k.query = l.query AND k.first < l.first
             ORDER BY k.run DESC, k.query DESC, k.first DESC LIMIT 1) p ON true
     WHERE l.first <> coalesce(p.last, 0) + 1
        OR p.score IS NOT NULL AND trec_score(p.score) < trec_score(l.rel_scores[1])
     ORDER BY 1, 2, 3 LIMIT 1;
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
         WHERE c.rel_scores[u.place - 1] < c.rel_scores[u.place]  -- true of few, and faster than the next line
           AND trec_score(c.rel_scores[u.place - 1]) < trec_score(c.rel_scores[u.place])
         ORDER BY c.run, c.query, c.first LIMIT 1;
    END IF;
    IF bad.rank IS NOT NULL THEN
        PERFORM refuse_ranking(bad.run, bad.query, format('rank %s has the score %s, above %s of rank %s', bad.rank,
                                                          bad.score, bad.before, bad.rank - 1));
    END IF;
    unknown := unknown_documents(ARRAY(SELECT DISTINCT unnest(c.docs) FROM changed c), hold => false);
    IF unknown <> '{}' THEN
        RAISE EXCEPTION USING ERRCODE = '23503', TABLE = 'st1_rankings', CONSTRAINT = 'st1_rankings_doc_fkey',
            MESSAGE = 'insert or update on table "st1_rankings" violates foreign key constraint '
                      '"st1_rankings_doc_fkey"',
            DETAIL = format('Key (doc)=(%s) is not present in table "dblp".', unknown[1]),
            HINT = 'Load the document first; doc is dblp.id.';
    END IF;
    SELECT c.run, c.query, c.docs, q.excluded INTO bad
      FROM changed c JOIN st1_queries q ON q.id = c.query AND q.excluded && c.docs LIMIT 1;
    IF FOUND THEN
        PERFORM refuse_ranking(bad.run, bad.query,
                               format('the document %s is left out for this query',
                                      (SELECT shown_name(d.docno) FROM dblp d
                                        WHERE d.id = ANY (bad.docs) AND d.id = ANY (bad.excluded) LIMIT 1)),
                               'The view excluded_documents lists such documents. Rank the others from 1.');
    END IF;
    IF tg_op = 'INSERT' THEN  -- rows stored one by one
        PERFORM pack_lists(p.run, p.query, p.part)
           FROM (SELECT DISTINCT c.run, c.query, list_part(c.first) AS part FROM changed c
                  WHERE (c.first - 1) % list_length() <> 0) p
          WHERE (SELECT count(*) FROM ranked_lists l
                  WHERE l.run = p.run AND l.query = p.query AND l.first > p.part * list_length()
                    AND l.first <= (p.part + 1) * list_length()) >= 30;
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
