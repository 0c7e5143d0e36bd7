-- seal_edition: seal an edition permanently: no judgments can be added any more, and its fingerprint
-- (edition_fingerprint) is stored.
--
-- Sealing waits for transactions that add judgments to the edition, and they wait for it. For a sealed edition nothing
-- changes, and already is true.
-- Raises IR102 no such edition, IR405 an edition without judgments, IR202 a name with white space, which the canonical
-- form cannot represent.
CREATE OR REPLACE FUNCTION public.seal_edition(edition text)
RETURNS TABLE (judgments bigint, fingerprint text, sealed timestamp with time zone, already boolean)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    edition_id integer := edition_key(seal_edition.edition);
    spaced text;
BEGIN
    SELECT e.sealed, e.fingerprint INTO sealed, fingerprint FROM qrels_editions e
     WHERE e.id = edition_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN  -- another session dropped it while this one waited
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
            MESSAGE = format('edition %L has no judgments', seal_edition.edition),
            HINT = 'Import its judgments first; none can be added to a sealed edition.';
    ELSIF spaced IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the name %L contains white space, so the edition cannot be sealed', spaced),
            HINT = 'A seal covers the TREC format of ''stc export qrels'', which cannot represent such names.';
    END IF;
    UPDATE qrels_editions e SET sealed = clock_timestamp(), fingerprint = edition_fingerprint(e.edition)
     WHERE e.id = edition_id RETURNING e.sealed, e.fingerprint INTO sealed, fingerprint;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.seal_edition(text) IS
    'Seals an edition permanently and stores the SHA-256 of its judgments; already is true if it was sealed before';
