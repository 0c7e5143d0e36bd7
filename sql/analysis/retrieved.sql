-- retrieved: what runs retrieved for one query, side by side: the documents of rank depth or better of each run, with
-- what an edition says of them. By run and rank.
--
-- rel and origin: of the judgment; NULL where the document is not judged. elsewhere: its best rank in another of these
-- runs, at any depth; NULL where none of them retrieved it. runs: their names, all if none is named.
-- Raises IR101 no such run, IR102 no such edition, IR103 no such query, IR201 a depth below 1.
CREATE OR REPLACE FUNCTION public.retrieved(runs text[], query text, edition text, depth integer DEFAULT 10)
RETURNS TABLE (run text, rank integer, doc bigint, docno text, title text, rel smallint, origin text, elsewhere integer)
LANGUAGE plpgsql STABLE SET search_path = stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    keys CONSTANT integer[] := run_keys(retrieved.runs);
    edition_id CONSTANT integer := edition_key(retrieved.edition);
    query_id integer;
BEGIN
    IF retrieved.depth IS NULL OR retrieved.depth < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('a depth of %s', coalesce(retrieved.depth::text, 'NULL')),
            HINT = 'It is how many ranks are shown, 1 or more.';
    END IF;
    SELECT q.id INTO query_id FROM st1_queries q WHERE q.query = retrieved.query COLLATE "C";
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('there is no query %s', coalesce(quote_literal(retrieved.query), 'NULL')),
            HINT = concat('Did you mean ' || quote_literal(
                                                           nearest_name(retrieved.query,
                                                                        ARRAY(SELECT q.query
                                                                                FROM st1_queries q))) || '? ',
                          'The table st1_queries lists those there are.');
    END IF;
    RETURN QUERY
    SELECT n.run, k.rank, d.id, d.docno, x.title, j.rel, j.origin,
           (SELECT min(o.rank) FROM st1_rankings o
             WHERE o.query = query_id AND o.doc = k.doc AND o.run = ANY (keys) AND o.run <> k.run)
      FROM st1_rankings k
      JOIN st1_runs n ON n.id = k.run
      JOIN dblp d ON d.id = k.doc
      LEFT JOIN dblp_text x ON x.id = k.doc
      LEFT JOIN (SELECT q.doc, q.rel, q.origin FROM qrels q WHERE q.edition = edition_id AND q.query = query_id) j
           ON j.doc = k.doc
     WHERE k.run = ANY (keys) AND k.query = query_id AND k.rank <= retrieved.depth
     ORDER BY n.run COLLATE "C", k.rank;
END
$$;
COMMENT ON FUNCTION public.retrieved(text[], text, text, integer) IS
    'What runs retrieved for one query, with grades, and the rank of each document in the other runs';
