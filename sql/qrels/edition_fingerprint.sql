-- edition_fingerprint: SHA-256 of what an edition says, in hexadecimal: of the lines "query 0 docno grade", each ended
-- by a line feed, in UTF-8, one a query and document, by query and docno as bytes. These are the bytes that 'stc qrels
-- export' writes, so that sha256sum checks them. Of an edition that is not stored it is that of nothing (e3b0c442…).
CREATE OR REPLACE FUNCTION public.edition_fingerprint(edition text) RETURNS text
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT encode(sha256(convert_to(coalesce(string_agg(concat(j.query, ' 0 ', j.docno, ' ', j.rel, E'\n'), ''
                                                        ORDER BY j.query COLLATE "C", j.docno COLLATE "C"), ''),
                                                            'UTF8')), 'hex')
      FROM edition_judgments(edition_fingerprint.edition) j
$$;
COMMENT ON FUNCTION public.edition_fingerprint(text) IS
    'SHA-256 of what an edition says, which is that of the file stc qrels export writes';
