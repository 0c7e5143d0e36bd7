-- run_fingerprint: SHA-256 of the ranking of a run, in hexadecimal. Scores are not part of it, because an export
-- changes those of ties; measures depend on ranks only.
--
-- The hash is over lines "query docno rank" in UTF-8, each ended by a line feed, ordered by query as bytes and by rank.
-- A run without ranked documents gives the hash of an empty file (e3b0c442…).
-- Raises IR101 no such run.
CREATE OR REPLACE FUNCTION run_fingerprint(run text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT encode(sha256(convert_to(coalesce(string_agg(concat(q.query, ' ', d.docno, ' ', r.rank, E'\n'), ''
                                                        ORDER BY q.query COLLATE "C", r.rank, d.docno COLLATE "C"), ''),
                                    'UTF8')), 'hex')
      FROM st1_rankings r JOIN st1_queries q ON q.id = r.query JOIN dblp d ON d.id = r.doc
     WHERE r.run = (run_keys(ARRAY[run_fingerprint.run]))[1]
$$;
COMMENT ON FUNCTION run_fingerprint(text) IS
    'SHA-256 of the ranking of a run (lines "query docno rank"), in hexadecimal';
