-- refuse_values: raise the error for a row of st1_rankings that cannot be stored. fault: from ranking_fault.
-- Raises PostgreSQL's errors for NULL (23502) and for values out of range (23514).
CREATE OR REPLACE FUNCTION refuse_values(fault text) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    IF starts_with(refuse_values.fault, 'st1_rankings_') THEN
        RAISE EXCEPTION USING ERRCODE = '23514', TABLE = 'st1_rankings', CONSTRAINT = refuse_values.fault,
            MESSAGE = format('new row for relation "st1_rankings" violates check constraint "%s"', refuse_values.fault),
            HINT = 'Ranks begin at 1, scores are finite, and a passage has at most 16 MB.';
    END IF;
    RAISE EXCEPTION USING ERRCODE = '23502', TABLE = 'st1_rankings', COLUMN = refuse_values.fault,
        MESSAGE = format('null value in column "%s" of relation "st1_rankings" violates not-null constraint',
                         refuse_values.fault),
        HINT = 'A row needs run, query, doc, rank and rel_score.';
END
$$;
COMMENT ON FUNCTION refuse_values(text) IS 'Raises the error for a row of st1_rankings that cannot be stored';
