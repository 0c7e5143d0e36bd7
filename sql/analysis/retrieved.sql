-- retrieved: the top documents of several runs for one query, with their judgments in an edition; by run and rank.
--
--   depth        number of ranks per run
--   rel, origin  of the judgment; NULL if the document is not judged
--   elsewhere    best rank of the document in the other runs given, at any depth; NULL if no other run retrieved it
--   runs         run names; an empty array means all
--
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query, IR201 depth below 1.
CREATE OR REPLACE FUNCTION public.retrieved(runs text[], query text, edition text, depth integer DEFAULT 10)
RETURNS TABLE (run text, rank integer, doc bigint, docno text, title text, rel smallint, origin text, elsewhere integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    keys CONSTANT integer[] := run_keys(retrieved.runs);
    edition_id CONSTANT integer := edition_key(retrieved.edition);
    query_id integer;
    docs bigint[];
BEGIN
    IF retrieved.depth IS NULL OR retrieved.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('the depth is %s', coalesce(retrieved.depth::text, 'NULL')),
            HINT = 'The depth is the number of ranks shown; it must be 1 or more.';
    END IF;
    query_id := query_key(retrieved.query);
    docs := ARRAY(SELECT DISTINCT k.doc FROM st1_rankings k
                   WHERE k.run = ANY (keys) AND k.query = query_id AND k.first <= retrieved.depth
                     AND k.rank <= retrieved.depth);
    RETURN QUERY
    WITH shown AS MATERIALIZED (
        SELECT d.id, d.docno, x.title FROM dblp d LEFT JOIN dblp_text x ON x.id = d.id WHERE d.id = ANY (docs))
    SELECT n.run, k.rank, d.id, d.docno, d.title, j.rel, j.origin, k.elsewhere
      FROM (SELECT o.run, o.doc, o.rank,
                   min(o.rank) OVER (PARTITION BY o.doc ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
                                     EXCLUDE CURRENT ROW) AS elsewhere
              FROM st1_rankings o WHERE o.query = query_id AND o.run = ANY (keys) AND o.doc = ANY (docs)) k
      JOIN st1_runs n ON n.id = k.run
      JOIN shown d ON d.id = k.doc
      LEFT JOIN (SELECT q.doc, q.rel, q.origin FROM qrels q WHERE q.edition = edition_id AND q.query = query_id) j
           ON j.doc = k.doc
     WHERE k.rank <= retrieved.depth
     ORDER BY n.run COLLATE "C", k.rank;
END
$$;
COMMENT ON FUNCTION public.retrieved(text[], text, text, integer) IS
    'Top documents of runs for one query, with grades (NULL if not judged) and the best rank in the other runs; by '
    'run and rank';
