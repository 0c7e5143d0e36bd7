-- fill_passages: split the next n abstracts without passages as recorded by begin_passages, by id, after a given
-- document.
--
-- Returns the number of documents and of their passages, and the last document, which the next call takes as after;
-- NULL at the end. One statement splits all of them.
-- Raises IR405 if begin_passages has not been called.
CREATE OR REPLACE FUNCTION fill_passages(
    after bigint DEFAULT NULL, n integer DEFAULT 5000, OUT documents bigint, OUT passages bigint, OUT last bigint
)
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    cut text[];
BEGIN
    SELECT string_to_array(s.value, ' ') INTO cut FROM stc_settings s WHERE s.name = 'passages' FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'no way of splitting abstracts into passages is recorded',
            HINT = 'Record one first, as with SELECT stc.begin_passages(''sentence'').';
    END IF;
    SELECT p.documents, p.passages, p.last INTO documents, passages, last
      FROM add_passages(fill_passages.after, fill_passages.n, cut) p;
END
$$;
COMMENT ON FUNCTION fill_passages(bigint, integer) IS
'Split the next n abstracts without passages as recorded by begin_passages';
