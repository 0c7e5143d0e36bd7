-- add_passages: as vectors/add_passages.sql, where passages have neither an identity column nor a unique position. One
-- transaction at a time splits abstracts; ids follow the largest one.
CREATE OR REPLACE FUNCTION add_passages(
    after bigint, n integer, cut text[], OUT documents bigint, OUT passages bigint, OUT last bigint
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    highest bigint;
BEGIN
    PERFORM lock_documents();
    DROP TABLE IF EXISTS pg_temp.lacking_passages;
    CREATE TEMP TABLE lacking_passages ON COMMIT DROP AS
    SELECT t.id, t.abstract
      FROM dblp_text t
      LEFT JOIN (SELECT DISTINCT p.doc FROM dblp_passages p
                  WHERE p.doc > coalesce(add_passages.after, -9223372036854775808)) c ON c.doc = t.id
     WHERE t.id > coalesce(add_passages.after, -9223372036854775808) AND t.abstract ~ '[[:alnum:]]'
       AND c.doc IS NULL
     ORDER BY t.id LIMIT add_passages.n;
    SELECT coalesce(max(p.id), 0) INTO highest FROM dblp_passages p;
    INSERT INTO dblp_passages (id, doc, position, text)
    SELECT highest + row_number() OVER (ORDER BY l.id, p.place), l.id, p.place, p.passage
      FROM pg_temp.lacking_passages l
     CROSS JOIN LATERAL unnest(cut_passages(l.abstract, add_passages.cut))
           WITH ORDINALITY p (passage, place);
    GET DIAGNOSTICS passages = ROW_COUNT;
    SELECT count(*), max(l.id) INTO documents, last FROM pg_temp.lacking_passages l;
    DROP TABLE pg_temp.lacking_passages;
END
$$;
COMMENT ON FUNCTION add_passages(bigint, integer, text[]) IS
'Part of fill_passages: split the next n abstracts without passages';
