-- refuse_unsampled: raise IR405 if an edition, a key, has no strata. The message names what needs them.
CREATE OR REPLACE FUNCTION refuse_unsampled(edition integer, what text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    name CONSTANT text := (SELECT shown_name(e.edition) FROM qrels_editions e WHERE e.id = refuse_unsampled.edition);
BEGIN
    IF NOT EXISTS (SELECT FROM qrels_strata s WHERE s.edition = refuse_unsampled.edition) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%s needs judgments of a sampled pool, and edition %s has no strata',
                             refuse_unsampled.what, name),
            HINT = format('Import lines ''query iter docno stratum rel'': stc load --as qrels FILE --edition %s. Or '
                          'submit a pool to a new edition: stc pool make POOL --strata 1-10:1,11-50:0.2.', name);
    END IF;
END
$$;
COMMENT ON FUNCTION refuse_unsampled(integer, text) IS 'Raises an error if an edition has no strata';
