-- incoming_strata: check the column stratum of the temporary table incoming (stage_strata), and return whether it has
-- that column.
--
-- Raises IR301 a row without a stratum or with an invalid name, IR302 a document of a query in two strata.
CREATE OR REPLACE FUNCTION incoming_strata(source text) RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    bad record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute a
                    WHERE a.attrelid = 'pg_temp.incoming'::regclass AND a.attname = 'stratum') THEN
        RETURN false;
    END IF;
    SELECT i.line, i.stratum INTO bad FROM pg_temp.incoming i
     WHERE coalesce(i.stratum, '') = '' OR NOT is_name(i.stratum) ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: %s cannot be the name of a stratum', incoming_strata.source, bad.line,
                             shown_name(coalesce(bad.stratum, ''))),
            HINT = 'A name has 1 to 200 printable characters and no space at either end. Correct the line. Nothing was '
                   'stored.';
    END IF;
    SELECT i.line, i.query, i.docno, i.stratum, i.first_line, i.first_stratum INTO bad
      FROM (SELECT n.*, first_value(n.line) OVER pair AS first_line, first_value(n.stratum) OVER pair AS first_stratum
              FROM pg_temp.incoming n WINDOW pair AS (PARTITION BY n.query, n.docno ORDER BY n.line)) i
     WHERE i.stratum <> i.first_stratum ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s:%s: query %s, document %s is in stratum %s here and in %s on line %s',
                             incoming_strata.source, bad.line, bad.query, bad.docno, bad.stratum, bad.first_stratum,
                             bad.first_line),
            HINT = 'A document is in one stratum of a query. Correct the file. Nothing was stored.';
    END IF;
    RETURN true;
END
$$;
COMMENT ON FUNCTION incoming_strata(text) IS
    'Checks the column stratum of the temporary table incoming; returns false if it has none';
