-- synth_pool: usable candidates of one origin to choose from, sampled by seed: for each passage one per pair of length
-- and found.
--
-- Of candidates with the same text (ignoring case), in any passages, the one with the lowest lot is kept; and of those
-- of one passage with the same two numbers, the one with the lowest lot. A lot is a hash of seed, docno and number, so
-- it depends neither on storage order nor on keys. place: position of the passage by a separate lot, from 1.
CREATE OR REPLACE FUNCTION synth_pool(study integer, origin text, seed bigint)
RETURNS TABLE (candidate bigint, place integer, length integer, found integer, lot bigint)
LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path = stc_all, stc, public, pg_temp SET work_mem = '128MB' SET jit = off AS $$
    WITH passage AS MATERIALIZED (
        SELECT p.doc, d.docno,
               row_number() OVER (ORDER BY hashtextextended(d.docno, synth_pool.seed), d.docno) AS place
          FROM synth_passages p JOIN dblp d ON d.id = p.doc WHERE p.study = synth_pool.study),
    usable AS (
        SELECT c.id, p.place, c.length, c.found, c.number, lower(btrim(c.text)) AS text,
               hashtextextended(concat_ws(':', c.number, p.docno), synth_pool.seed) AS lot
          FROM synth_candidates c JOIN passage p ON p.doc = c.doc
         WHERE c.study = synth_pool.study AND c.origin = synth_pool.origin AND c.dropped IS NULL
           AND c.text IS NOT NULL AND c.length IS NOT NULL AND c.found IS NOT NULL),
    own AS (SELECT DISTINCT ON (u.text COLLATE "C") u.* FROM usable u
             ORDER BY u.text COLLATE "C", u.lot, u.place, u.number)
    SELECT DISTINCT ON (o.place, o.length, o.found) o.id, o.place::integer, o.length, o.found, o.lot
      FROM own o ORDER BY o.place, o.length, o.found, o.lot, o.number
$$;
COMMENT ON FUNCTION synth_pool(integer, text, bigint) IS
    'Usable candidates of a study to choose from, by seed: one per passage, length and number of words found, '
    'without repeated texts';
