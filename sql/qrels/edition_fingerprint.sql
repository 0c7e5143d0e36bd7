-- edition_fingerprint: SHA-256 of the judgments of an edition and of its strata, in hexadecimal.
--
-- The hash is over lines "query 0 docno grade" in UTF-8, each ended by a line feed. There is one line per query and
-- document, ordered by query and docno as bytes. 'stc export qrels' writes the same bytes, so sha256sum can verify
-- them. For the judgments of a sampled pool, lines "query 0 docno stratum grade" follow, in the same order; these are
-- the bytes of 'stc export qrels --format strata'. An edition that is not stored gives the hash of an empty file
-- (e3b0c442…).
CREATE OR REPLACE FUNCTION public.edition_fingerprint(edition text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT encode(sha256(convert_to(concat(
               (SELECT string_agg(concat(j.query, ' 0 ', j.docno, ' ', j.rel, E'\n'), ''
                                  ORDER BY j.query COLLATE "C", j.docno COLLATE "C")
                  FROM edition_judgments(edition_fingerprint.edition) j),
               (SELECT string_agg(concat(s.query, ' 0 ', s.docno, ' ', s.stratum, ' ', s.rel, E'\n'), ''
                                  ORDER BY s.query COLLATE "C", s.docno COLLATE "C")
                  FROM qrels_editions e CROSS JOIN LATERAL named_strata(e.id, NULL) s
                 WHERE e.edition = edition_fingerprint.edition COLLATE "C")), 'UTF8')), 'hex')
$$;
COMMENT ON FUNCTION public.edition_fingerprint(text) IS
    'SHA-256 of the judgments of an edition and its strata, in hexadecimal; equal to that of what stc export qrels '
    'writes';
