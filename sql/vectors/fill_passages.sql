-- fill_passages: cuts the next n abstracts that have no passages, after a document and in the order of ids, as
-- begin_passages has recorded. Returns how many documents that were, their passages, and the last document, to be
-- handed in for the next n; NULL at the end. One statement for all of them.
-- Raises IR405 nothing has been recorded.
CREATE OR REPLACE FUNCTION fill_passages(
    after bigint DEFAULT NULL, n integer DEFAULT 5000, OUT documents bigint, OUT passages bigint, OUT last bigint
)
LANGUAGE plpgsql
SET search_path = stc, public, pg_temp
AS $$
DECLARE
    cut text[];
BEGIN
    SELECT string_to_array(s.value, ' ') INTO cut FROM stc_settings s WHERE s.name = 'passages' FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'it is not recorded how to cut abstracts into passages',
            HINT = 'stc.begin_passages(''sentence'') does that.';
    END IF;
    WITH lacking AS MATERIALIZED (
        SELECT t.id, t.abstract FROM dblp_text t
         WHERE t.id > coalesce(fill_passages.after, -9223372036854775808) AND t.abstract ~ '[[:alnum:]]'
           AND NOT EXISTS (SELECT FROM dblp_passages p WHERE p.doc = t.id)
         ORDER BY t.id LIMIT fill_passages.n
    ), stored AS (
        INSERT INTO dblp_passages (doc, position, text)
        SELECT l.id, p.place, p.passage
          FROM lacking l, unnest(CASE cut[1] WHEN 'sentence' THEN passage_sentences(l.abstract)
                                             ELSE passage_windows(l.abstract, cut[2]::integer, cut[3]::integer) END)
               WITH ORDINALITY p (passage, place)
        ON CONFLICT (doc, position) DO NOTHING  -- another has just done so
        RETURNING doc
    )
    SELECT count(*), (SELECT count(*) FROM stored), max(l.id) INTO documents, passages, last FROM lacking l;
END
$$;
COMMENT ON FUNCTION fill_passages(bigint, integer) IS
'Cuts the next abstracts that have no passages; as begin_passages recorded';
