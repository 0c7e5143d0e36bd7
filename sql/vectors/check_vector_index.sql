-- check_vector_index: raise an error if a vector index cannot be built with these parameters, which index_vectors
-- describes.
-- Raises IR202 a parameter out of range or of another kind of index; IR404 no vectorscale or pg_textsearch.
CREATE OR REPLACE FUNCTION check_vector_index(
    space vector_models, kind text, half boolean, bits boolean, preset text, lists integer, effort integer, m integer,
    ef_construction integer
)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    most integer := CASE WHEN check_vector_index.bits THEN 64000
                         WHEN check_vector_index.half OR (check_vector_index.space).storage = 'halfvec' THEN 4000
                         WHEN check_vector_index.kind = 'diskann' THEN 16000 ELSE 2000 END;
    wrong text;
    hint text;
BEGIN
    IF check_vector_index.kind IS NULL OR check_vector_index.kind NOT IN ('ivfflat', 'hnsw', 'diskann', 'impact')
    THEN
        wrong := format('unknown kind of index: %s', coalesce(check_vector_index.kind, 'NULL'));
        hint := 'The kinds are ivfflat, hnsw and diskann; of sparse vectors impact and hnsw.';
    ELSIF check_vector_index.lists NOT BETWEEN 1 AND 32768 OR check_vector_index.effort NOT BETWEEN 1 AND 32768 THEN
        wrong := format('lists is %s, effort is %s', coalesce(check_vector_index.lists::text, 'the default'),
                        coalesce(check_vector_index.effort::text, 'the default'));
        hint := 'Both must be 1 to 32,768.';
    ELSIF check_vector_index.preset <> 'published' THEN
        wrong := format('unknown preset: %s', check_vector_index.preset);
        hint := 'The only preset is published; without it lists and probes follow from the number of rows.';
    ELSIF check_vector_index.kind <> 'ivfflat'
        AND (check_vector_index.lists IS NOT NULL OR check_vector_index.preset IS NOT NULL)
    THEN
        wrong := format('an index of kind %s has no lists', check_vector_index.kind);
        hint := 'Omit lists and preset, or use ivfflat.';
    ELSIF check_vector_index.kind <> 'hnsw'
        AND (check_vector_index.m IS NOT NULL OR check_vector_index.ef_construction IS NOT NULL)
    THEN
        wrong := format('an index of kind %s has neither m nor ef_construction', check_vector_index.kind);
        hint := 'Omit them, or use hnsw.';
    ELSIF check_vector_index.kind = 'hnsw'
        AND (check_vector_index.m NOT BETWEEN 2 AND 100 OR check_vector_index.ef_construction NOT BETWEEN 4 AND 1000
             OR check_vector_index.ef_construction < 2 * coalesce(check_vector_index.m, 16)
             OR check_vector_index.effort > 1000)
    THEN
        wrong := format('hnsw with m %s, ef_construction %s, ef_search %s',
                        coalesce(check_vector_index.m::text, 'the default'),
                        coalesce(check_vector_index.ef_construction::text, 'the default'),
                        coalesce(check_vector_index.effort::text, 'the default'));
        hint := 'm is 2 to 100, ef_construction 4 to 1,000 and at least twice m, ef_search (effort) up to 1,000.';
    ELSIF check_vector_index.kind = 'diskann' AND check_vector_index.effort > 10000 THEN
        wrong := format('diskann with an effort of %s', check_vector_index.effort);
        hint := 'Its search_list_size is at most 10,000.';
    ELSIF (check_vector_index.space).storage = 'sparsevec'
        AND (check_vector_index.kind NOT IN ('impact', 'hnsw') OR check_vector_index.half OR check_vector_index.bits)
    THEN
        wrong := format('an index of sparse vectors cannot be %s',
                        CASE WHEN check_vector_index.kind NOT IN ('impact', 'hnsw') THEN check_vector_index.kind
                             WHEN check_vector_index.half THEN 'in half precision' ELSE 'of bits' END);
        hint := 'Use impact, or hnsw in full precision.';
    ELSIF check_vector_index.kind = 'impact' AND (check_vector_index.space).storage <> 'sparsevec' THEN
        wrong := format('the vectors of %s are dense; an index of impacts is of sparse ones',
                        (check_vector_index.space).model);
        hint := 'Use ivfflat or hnsw.';
    ELSIF check_vector_index.half AND check_vector_index.bits THEN
        wrong := 'half and bits are both true';
        hint := 'An index stores half precision or bits. Choose one.';
    ELSIF check_vector_index.kind = 'diskann' AND (check_vector_index.half OR check_vector_index.bits) THEN
        wrong := format('diskann does not support %s',
                        CASE WHEN check_vector_index.bits THEN 'bits' ELSE 'half precision' END);
        hint := 'Omit it: diskann compresses vectors anyway.';
    ELSIF check_vector_index.kind = 'diskann' AND (check_vector_index.space).storage = 'halfvec' THEN
        wrong := 'diskann does not support vectors stored as halfvec';
        hint := 'Use hnsw or ivfflat.';
    ELSIF (check_vector_index.space).dim > most AND (check_vector_index.space).storage <> 'sparsevec' THEN
        wrong := format('the vectors of %s have %s', (check_vector_index.space).model,
                        counted((check_vector_index.space).dim, 'dimension'));
        hint := format('Such an index supports up to %s, or 4,000 in half precision. Without an index, searches scan '
                      'all vectors.', most);
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = wrong, HINT = hint;
    ELSIF check_vector_index.kind = 'diskann'
        AND NOT EXISTS (SELECT FROM pg_available_extensions x WHERE x.name = 'vectorscale')
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR404', MESSAGE = 'this server has no vectorscale, which diskann requires',
            HINT = 'Install it on the server, or use hnsw.';
    ELSIF check_vector_index.kind = 'impact' AND NOT pg_textsearch_ready() THEN
        RAISE EXCEPTION USING ERRCODE = 'IR404', MESSAGE = 'an index of impacts requires pg_textsearch',
            HINT = 'Install it and add it to shared_preload_libraries, or use hnsw.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_vector_index(vector_models, text, boolean, boolean, text, integer, integer, integer,
                                    integer) IS
'Raise an error if a vector index cannot be built with these parameters';
