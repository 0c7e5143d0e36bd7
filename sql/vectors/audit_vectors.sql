-- audit_vectors: measure recall and time of the index of a field at several efforts (see knn), compared with the exact
-- scan.
--
--   SELECT * FROM audit_vectors('abstract', k => 10, queries => 100);
--
--   recall       share of the k nearest documents by the exact scan that the index finds, averaged over the queries. A
--                document at the distance of the k-th counts as found.
--   ms, ms_p95   milliseconds per query: median, 95th percentile, in this session and from memory: each query runs
--                twice, and the second run is timed.
--   sampled      number of queries used; source: queries (vectors of query_v by the model, if there are enough) or
--                documents (vectors of the field itself; each document is then excluded from its own neighbours).
--
-- seed selects the sample: it is the same until vectors are added or removed. efforts: NULL: the default effort of the
-- index, and a grid for its kind: 1, 2, 3, 4, 6, 8, 11, 16, 23 … up to the number of lists (ivfflat); 10 to 1,000
-- (hnsw, diskann). Ascending; efforts above the first with recall 1 are skipped.
-- Most of the time goes to the exact scans: one scan of all vectors per query.
-- Raises IR105 no such model, IR106 no such field, IR201 k or queries below 1, IR202 efforts out of range, IR402 no
-- index.
CREATE OR REPLACE FUNCTION public.audit_vectors(
    field text, model text DEFAULT NULL, k integer DEFAULT 10, queries integer DEFAULT 100,
    efforts integer[] DEFAULT NULL,
    seed bigint DEFAULT 1
)
RETURNS TABLE (effort integer, recall double precision, ms double precision, ms_p95 double precision, sampled bigint,
               source text)
LANGUAGE plpgsql ROWS 20
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    space vector_models := vector_model(audit_vectors.model, sparse => NULL);
    relation name := vector_relation(space, audit_vectors.field);
    column_name name := vector_column(audit_vectors.field);
    audited vector_indexes;
    own bigint[];
    samples vector[];
    farthest double precision[] := '{}';
    possible bigint := 0;
    hits bigint;
    right_ones bigint;
    began timestamptz;
    times double precision[];
    at_most integer;
    one integer;
BEGIN
    IF audit_vectors.k IS NULL OR audit_vectors.k < 1 OR audit_vectors.queries IS NULL OR audit_vectors.queries < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR201',
            MESSAGE = format('k is %s, queries are %s', coalesce(k::text, 'NULL'),
                             coalesce(audit_vectors.queries::text, 'NULL')),
            HINT = 'Both must be 1 or more.';
    ELSIF cardinality(audit_vectors.efforts) = 0 OR NOT 1 <= ALL (audit_vectors.efforts)
        OR NOT 32768 >= ALL (audit_vectors.efforts)
        OR array_position(audit_vectors.efforts, NULL) IS NOT NULL
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('efforts are %s', audit_vectors.efforts),
            HINT = 'Efforts are 1 to 32,768: probes, ef_search or search_list_size.';
    END IF;
    SELECT * INTO audited FROM vector_indexes i
     WHERE i.model = space.model AND i.field = audit_vectors.field COLLATE "C"
       AND EXISTS (SELECT FROM pg_index x WHERE x.indisvalid
                      AND x.indexrelid = to_regclass(quote_ident(vector_index_name(relation, i.field, i.kind))));
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR402',
            MESSAGE = format('the %s vectors of %s have no index', audit_vectors.field, space.model),
            HINT = format('Build one with ''stc vectors index --field %s''. Searches without an index are exact.',
                          audit_vectors.field);
    END IF;

    SELECT array_agg(s.v) INTO samples
      FROM (SELECT q.v FROM query_v q
             WHERE q.model = space.model AND (vector_dims(q.v) = space.dim OR space.storage = 'sparsevec')
           AND vector_norm(q.v) > 0
             ORDER BY hashtextextended(q.text, audit_vectors.seed), q.text LIMIT audit_vectors.queries) s
    HAVING count(*) = audit_vectors.queries;
    source := CASE WHEN samples IS NULL THEN 'documents' ELSE 'queries' END;
    IF samples IS NULL THEN
        EXECUTE format(
            $sql$SELECT array_agg(s.id), array_agg(%4$s ORDER BY s.place)
                   FROM (SELECT o.id, row_number() OVER (ORDER BY hashint8extended(o.id, $1), o.id) AS place
                           FROM (SELECT id FROM %2$I WHERE %3$s) o ORDER BY place LIMIT $2) s
                            JOIN %2$I v ON v.id = s.id$sql$,
            column_name, relation, vector_rows(audit_vectors.field),
            format(CASE space.storage WHEN 'sparsevec' THEN 'sparse_pairs(v.%I)' ELSE 'v.%I::vector' END, column_name))
           INTO own, samples USING audit_vectors.seed, audit_vectors.queries;
    END IF;
    sampled := coalesce(cardinality(samples), 0);
    -- A document finds itself, or an equal one, and is excluded.
    FOR i IN 1..sampled LOOP
        SELECT farthest || max(n.distance), possible + count(*) INTO farthest, possible
          FROM (SELECT x.distance
                  FROM knn(samples[i], k + (own IS NOT NULL)::integer, field, space.model, effort => 0) x
                 WHERE x.doc IS DISTINCT FROM own[i] ORDER BY x.rank LIMIT k) n;
    END LOOP;
    IF possible = 0 THEN
        RETURN;
    END IF;

    at_most := CASE audited.kind WHEN 'ivfflat' THEN audited.lists WHEN 'hnsw' THEN 1000 ELSE 10000 END;
    FOR one IN
        SELECT DISTINCT least(e, at_most)
          FROM unnest(coalesce(audit_vectors.efforts,
                   CASE audited.kind WHEN 'ivfflat'
                        THEN ARRAY(SELECT round(sqrt(2) ^ g)::integer FROM generate_series(0, 30) g)
                                     ELSE '{10,14,20,28,40,60,80,100,150,200,300,400,600,800,1000}'::integer[] END
                                         || audited.effort)) e
         WHERE e IS NOT NULL
         ORDER BY 1
    LOOP
        hits := 0;
        times := '{}';
        FOR i IN 1..sampled LOOP
            PERFORM FROM knn(samples[i], k, field, space.model, effort => one);
            began := clock_timestamp();
            SELECT count(*) INTO right_ones
              FROM (SELECT x.distance
                      FROM knn(samples[i], k + (own IS NOT NULL)::integer, field, space.model, effort => one) x
                     WHERE x.doc IS DISTINCT FROM own[i] ORDER BY x.rank LIMIT k) n
             WHERE n.distance <= farthest[i];
            times := times || 1000 * extract(epoch FROM clock_timestamp() - began)::double precision;
            hits := hits + right_ones;
        END LOOP;
        effort := one;
        recall := hits / possible::double precision;
        SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t)::numeric, 3),
               round(percentile_cont(0.95) WITHIN GROUP (ORDER BY t)::numeric, 3)
          INTO ms, ms_p95 FROM unnest(times) t;
        RETURN NEXT;
        EXIT WHEN hits = possible;
    END LOOP;
END
$$;
COMMENT ON FUNCTION public.audit_vectors(text, text, integer, integer, integer[], bigint) IS
'Recall and time per query (ms) of the index of a field at several efforts, compared with the exact scan';
