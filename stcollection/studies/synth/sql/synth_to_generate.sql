-- synth_to_generate: documents of a study for which queries of an origin should be generated, with the missing numbers,
-- by place.
--
-- many: number of queries per document. min_score: minimum score of the document by the scorer; NULL for all documents,
-- scored or not. A query whose generation failed is missing; with retry_malformed also one that was malformed or empty.
-- docs: only these documents; NULL for all.
CREATE OR REPLACE FUNCTION synth_to_generate(
    study integer, origin text, many integer DEFAULT 1, min_score double precision DEFAULT 50,
    retry_malformed boolean DEFAULT false,
    docs bigint[] DEFAULT NULL)
RETURNS TABLE (doc bigint, missing integer[])
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT p.doc, ARRAY(
               SELECT g.number FROM generate_series(1, synth_to_generate.many) AS g (number)
                WHERE NOT EXISTS (
                      SELECT FROM synth_candidates c
                       WHERE c.study = p.study AND c.doc = p.doc AND c.origin = synth_to_generate.origin
                         AND c.number = g.number
                         AND c.dropped IS DISTINCT FROM 'error'
                         AND NOT (coalesce(synth_to_generate.retry_malformed, false)
                                  AND coalesce(c.dropped, '') IN ('malformed', 'empty')))
                ORDER BY g.number)
      FROM synth_passages p
     WHERE p.study = synth_to_generate.study
       AND (synth_to_generate.min_score IS NULL OR p.score >= synth_to_generate.min_score)
       AND (synth_to_generate.docs IS NULL OR p.doc = ANY (synth_to_generate.docs))
     ORDER BY p.place
$$;
COMMENT ON FUNCTION synth_to_generate(integer, text, integer, double precision, boolean, bigint[]) IS
    'Documents of a study for which queries of an origin should be generated, with the missing numbers, by place';
