-- add_passages: split the next n abstracts without passages, as fill_passages describes. cut: the way of splitting
-- (cut_passages).
CREATE OR REPLACE FUNCTION add_passages(
    after bigint, n integer, cut text[], OUT documents bigint, OUT passages bigint, OUT last bigint
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
    WITH lacking AS MATERIALIZED (
        SELECT t.id, t.abstract FROM dblp_text t
         WHERE t.id > coalesce(add_passages.after, -9223372036854775808) AND t.abstract ~ '[[:alnum:]]'
           AND NOT EXISTS (SELECT FROM dblp_passages p WHERE p.doc = t.id)
         ORDER BY t.id LIMIT add_passages.n
    ), stored AS (
        INSERT INTO dblp_passages (doc, position, text)
        SELECT l.id, p.place, p.passage
          FROM lacking l, unnest(cut_passages(l.abstract, add_passages.cut)) WITH ORDINALITY p (passage, place)
        ON CONFLICT (doc, position) DO NOTHING  -- a concurrent call stored it
        RETURNING doc
    )
    SELECT count(*), (SELECT count(*) FROM stored), max(l.id) INTO documents, passages, last FROM lacking l;
END
$$;
COMMENT ON FUNCTION add_passages(bigint, integer, text[]) IS
'Part of fill_passages: split the next n abstracts without passages';
