-- synth_pool: the usable candidates of one origin that a choice is made from, drawn by seed: of each passage one for
-- each pair of length and found.
--
-- Of candidates with one text (case aside), whatever passage they are of, the one whose lot is first stays; and of
-- those of one passage with the same two numbers the first one by lot. A lot is a hash of seed, docno and number, so it
-- does not depend on where rows lie, nor on keys. place: of the passage by a lot of its own, from 1.
CREATE OR REPLACE FUNCTION synth_pool(study integer, origin text, seed bigint)
RETURNS TABLE (candidate bigint, place integer, length integer, found integer, lot bigint)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp SET work_mem = '128MB' SET jit = off AS $$
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
'Usable candidates of a study to choose from, by seed: one for each passage, length and number of words found, no '
'text twice';
