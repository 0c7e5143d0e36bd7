-- check_licences: licences by name as in documents.licence, each once; none selects documents without one.
-- Other spellings are accepted as by licence_name.
--
-- Raises IR115 a licence that no document has, with those that exist; IR202 an empty list.
CREATE OR REPLACE FUNCTION check_licences(licences text[])
RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    wanted text[] := ARRAY(SELECT DISTINCT licence_name(w.name) FROM unnest(check_licences.licences) AS w (name)
                            WHERE licence_name(w.name) IS NOT NULL ORDER BY 1);
    known text[];
    bad text;
BEGIN
    IF cardinality(wanted) = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the list of licences is empty',
            HINT = 'Name one or more, separated by commas: cc-by,cc0.';
    END IF;
    FOREACH bad IN ARRAY wanted LOOP
        CONTINUE WHEN bad = 'none' OR EXISTS (SELECT FROM dblp_facts f WHERE f.licence = bad);
        SELECT array_agg(l.licence ORDER BY l.licence) INTO known
          FROM (SELECT DISTINCT f.licence FROM dblp_facts f WHERE f.licence IS NOT NULL) l;
        RAISE EXCEPTION USING ERRCODE = 'IR115', MESSAGE = format('no document has the licence %s', shown_name(bad)),
            HINT = concat('Did you mean ' || nearest_name(bad, known) || '? ',
                          CASE WHEN known IS NULL THEN 'No document has a licence'
                               ELSE 'The licences are ' || array_to_string(known[:30], ', ')
                                    || CASE WHEN cardinality(known) > 30 THEN ', …' ELSE '' END END,
                          '; none selects the documents without one.');
    END LOOP;
    RETURN wanted;
END
$$;
COMMENT ON FUNCTION check_licences(text[]) IS
'Names of licences in one spelling, after checking that documents have them';
