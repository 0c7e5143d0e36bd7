-- import_strata: store the strata of the rows of the temporary table incoming (stage_strata) in an edition, a key, and
-- remove the rows with a negative grade, which are not judgments.
--
-- skipped: number of rows whose documents are unknown and were skipped.
-- Raises IR301 if some were skipped, because the sizes of strata would be wrong, and the errors of store_strata.
CREATE OR REPLACE FUNCTION import_strata(edition integer, source text, skipped bigint) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF import_strata.skipped > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s: without its %s the strata would have wrong sizes', import_strata.source,
                             counted(import_strata.skipped, 'unknown document')),
            HINT = 'Use --unknown-docs stub to store them by name. Nothing was stored.';
    END IF;
    PERFORM store_strata(import_strata.edition, array_agg(g.query), array_agg(g.doc), array_agg(g.stratum),
                         array_agg(g.drawn), import_strata.source)
       FROM (SELECT q.id AS query, d.id AS doc, min(i.stratum) AS stratum, bool_or(i.rel >= 0) AS drawn
               FROM pg_temp.incoming i
               JOIN st1_queries q ON q.query = i.query
               JOIN pg_temp.incoming_docs d ON d.docno = i.docno
              GROUP BY q.id, d.id) g HAVING count(*) > 0;
    DELETE FROM pg_temp.incoming i WHERE i.rel < 0;
END
$$;
COMMENT ON FUNCTION import_strata(integer, text, bigint) IS
    'Stores the strata of the rows of the temporary table incoming, and removes the rows that are not judgments';
