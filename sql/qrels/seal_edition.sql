-- seal_edition: closes an edition for good: from then on nothing is added to it, and its fingerprint
-- (edition_fingerprint) is kept.
--
-- It waits for transactions that are adding judgments to the edition, and they for it. An edition that is sealed stays
-- as it is: already is then true. Raises IR102 no such edition, IR405 an edition without judgments, IR202 a name with
-- white space, which the canonical form cannot carry.
CREATE OR REPLACE FUNCTION public.seal_edition(edition text)
RETURNS TABLE (judgments bigint, fingerprint text, sealed timestamp with time zone, already boolean)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer := edition_key(seal_edition.edition);
    spaced text;
BEGIN
    SELECT e.sealed, e.fingerprint INTO sealed, fingerprint FROM qrels_editions e
     WHERE e.id = edition_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN  -- it was dropped while this waited
        PERFORM edition_key(seal_edition.edition);
    END IF;
    already := sealed IS NOT NULL;
    SELECT count(*), min(n.name) INTO judgments, spaced
      FROM edition_judgments(seal_edition.edition) j
      LEFT JOIN LATERAL (SELECT u.name FROM unnest(ARRAY[j.query, j.docno]) AS u (name) WHERE u.name ~ '[ \t\n\r\v\f]'
                          LIMIT 1) n ON true;
    IF already THEN
        RETURN NEXT;
        RETURN;
    ELSIF judgments = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('the edition %L has no judgment', seal_edition.edition),
            HINT = 'A sealed edition can take none later: import its judgments first.';
    ELSIF spaced IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the name %L holds white space, which the sealed form cannot carry', spaced),
            HINT = 'What is sealed is what ''stc qrels export'' writes, in TREC''s format.';
    END IF;
    UPDATE qrels_editions e SET sealed = clock_timestamp(), fingerprint = edition_fingerprint(e.edition)
     WHERE e.id = edition_id RETURNING e.sealed, e.fingerprint INTO sealed, fingerprint;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.seal_edition(text) IS 'Closes an edition for good and keeps the SHA-256 of what it says';
