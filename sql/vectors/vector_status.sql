-- vector_status: the vectors of each model and field that has any or has an index: the parameters of the index, the
-- result of the last audit, and whether they are current.
--
--   rows       number of vectors at the build; rows_now: now, counted; bytes: size of the index
--   stale      the index is missing or not valid, or rows and rows_now differ; NULL without an index
--   advice     what to do about it; NULL if nothing
--
-- estimate: for callers that ask often: rows_now of a large table is estimated (vectors_estimated), and the index is
-- stale if it is 5 % away from rows.
--
-- ivfflat computes its centres and its number of lists from the rows present at the build, so it must be rebuilt when
-- rows change. hnsw and diskann add new rows, and only the result of the audit may have changed.
CREATE OR REPLACE FUNCTION vector_status(estimate boolean DEFAULT false)
RETURNS TABLE (
    model text, field text, kind text, half boolean, bits boolean, lists integer, m integer, ef_construction integer,
    effort integer, recall real, recall_k integer, audited timestamptz, rows bigint, rows_now bigint, bytes bigint,
    stale boolean, built timestamptz, advice text
)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    place record;
    stored vector_indexes;
    index_oid regclass;
    command text;
    changed boolean;
BEGIN
    FOR place IN
        SELECT s.model, f.field, vector_relation(s, f.field) AS relation,
               CASE WHEN vector_status.estimate THEN vectors_estimated(s, f.field) END AS estimated
          FROM (SELECT (r.m).* FROM (SELECT x AS m FROM vector_models x UNION SELECT vector_model()) r) s
         CROSS JOIN unnest('{title,title_only,abstract,content,passage}'::text[]) WITH ORDINALITY f (field, position)
         ORDER BY s.relation <> 'dblp_v', s.model, f.position
    LOOP
        SELECT * INTO stored FROM vector_indexes i WHERE i.model = place.model AND i.field = place.field;
        rows_now := place.estimated;
        changed := abs(stored.rows - rows_now) > 0.05 * stored.rows;
        IF rows_now IS NULL THEN
            EXECUTE format('SELECT count(*) FROM %I WHERE %s', place.relation, vector_rows(place.field))
               INTO rows_now;
            changed := stored.rows <> rows_now;
        END IF;
        CONTINUE WHEN stored.kind IS NULL AND (rows_now = 0 OR place.field = 'title_only');
        -- An interrupted CREATE or DROP INDEX CONCURRENTLY leaves an index that is not valid: no search uses it.
        index_oid := (SELECT x.indexrelid FROM pg_index x WHERE x.indisvalid
                         AND x.indexrelid = to_regclass(
                                                        quote_ident(vector_index_name(place.relation, place.field,
                                                                stored.kind))));
        command := format('stc vectors %%s --field %s%s', place.field,
                          CASE WHEN place.relation NOT IN ('dblp_v', 'dblp_p') THEN ' --model ' || place.model END);
        model := place.model;
        field := place.field;
        kind := stored.kind;
        half := stored.halfvec;
        bits := stored.bits;
        lists := stored.lists;
        m := stored.m;
        ef_construction := stored.ef_construction;
        effort := stored.effort;
        recall := stored.recall;
        recall_k := stored.recall_k;
        audited := stored.audited;
        rows := stored.rows;
        built := stored.built;
        bytes := pg_relation_size(index_oid);
        stale := index_oid IS NULL OR changed;
        advice := NULL;
        IF stored.kind IS NULL THEN
            stale := NULL;
            advice := 'no index, searches are exact: ' || format(command, 'index');
        ELSIF index_oid IS NULL THEN
            advice := 'the index is missing or not valid, searches are exact: '
                || format(command || ' --kind ' || kind, 'index');
        ELSIF changed AND kind = 'ivfflat' THEN
            advice := format('built from %s, now %s%s: ', counted(rows, 'vector'), counted(rows_now),
                CASE WHEN ivfflat_lists(rows_now) <> ivfflat_lists(rows)
                     THEN format('; these need %s, not %s', counted(ivfflat_lists(rows_now), 'list'),
                                 counted(ivfflat_lists(rows))) END)
                || format(command, 'index') ;
        ELSIF kind = 'impact' AND text_index_touched(index_oid) THEN
            advice := 'vectors were added since the build, searches are exact: ' || format(command, 'index');
        ELSIF changed THEN
            advice := format('built from %s, now %s; new ones are indexed, but not audited since: ',
                             counted(rows, 'vector'), counted(rows_now))
                || format(command, 'audit');
        ELSIF audited IS NULL THEN
            advice := 'not audited: ' || format(command, 'audit');
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION vector_status(boolean) IS
'Vectors of each model and field: their index, the last audit, and whether both are current';
