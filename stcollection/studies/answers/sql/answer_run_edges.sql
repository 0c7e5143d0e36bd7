-- answer_run_edges: relations between answers as a run read them, by its model and source or by the labels; unordered.
--
-- If the run's model was removed, only answers with the same text are returned. query_id: one query; NULL for all of
-- the run's split.
CREATE OR REPLACE FUNCTION answer_run_edges(run_id integer, query_id integer DEFAULT NULL)
RETURNS TABLE (query integer, a bigint, b bigint, support double precision, oppose double precision, same boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 300000 SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
DECLARE
    made answer_runs;
BEGIN
    SELECT r.* INTO made FROM answer_runs r WHERE r.id = answer_run_edges.run_id;
    RETURN QUERY SELECT e.* FROM answer_edges(
        made.set,
        CASE WHEN made.params ->> 'model' IS NOT NULL THEN
            coalesce((SELECT m.id FROM answer_models m WHERE m.model = made.params ->> 'model' COLLATE "C"), -1) END,
        made.params ->> 'source', answer_run_edges.query_id) e;
END
$$;
COMMENT ON FUNCTION answer_run_edges(integer, integer) IS
    'Relations between answers as a run read them, by its model and source or by the labels';
