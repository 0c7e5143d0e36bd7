-- fusion_weights: the weights of rankings in the order of their names, from an object {"name": weight}; NULL is 1 for
-- each.
--
-- The object needs a weight for every ranking. more: true if it may also name rankings that found nothing. A weight of
-- 0
-- omits a ranking: callers drop it, with the documents that only it contains.
-- Raises IR202 not an object, a ranking without a weight or (unless more) a weight without a ranking, a weight that is
-- neither 0 nor between 1e-30 and 1e30, no weight above 0.
CREATE OR REPLACE FUNCTION fusion_weights(names text[], weights jsonb, more boolean DEFAULT false)
RETURNS double precision[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    bad text;
    example CONSTANT text := 'Write an object with a number of 0 or more for each ranking: {"bm25": 0.4, '
                            '"document": 0.6}.';
BEGIN
    IF fusion_weights.weights IS NULL THEN
        RETURN array_fill(1::double precision, ARRAY[cardinality(fusion_weights.names)]);
    ELSIF jsonb_typeof(fusion_weights.weights) <> 'object' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('weights must be an object, not %s', left(fusion_weights.weights::text, 80)),
            HINT = example;
    END IF;
    SELECT format('the weight of %s is %s', e.key, e.value) INTO bad FROM jsonb_each(fusion_weights.weights) e
     WHERE CASE jsonb_typeof(e.value) WHEN 'number'
                THEN (e.value #>> '{}')::numeric <> 0 AND (e.value #>> '{}')::numeric NOT BETWEEN 1e-30 AND 1e30
                ELSE true END
     LIMIT 1;
    IF bad IS NULL AND NOT fusion_weights.more THEN
        SELECT format('there is a weight for %s but no such ranking', u.key) INTO bad
          FROM jsonb_object_keys(fusion_weights.weights) u (key) WHERE u.key <> ALL (fusion_weights.names) LIMIT 1;
    END IF;
    IF bad IS NULL THEN
        SELECT format('%s has no weight', u.name) INTO bad
          FROM unnest(fusion_weights.names) u (name) WHERE NOT fusion_weights.weights ? u.name LIMIT 1;
    END IF;
    IF bad IS NULL AND NOT EXISTS (SELECT FROM jsonb_each(fusion_weights.weights) e
                                    WHERE (e.value #>> '{}')::numeric > 0) THEN
        bad := 'no weight is above 0';
    END IF;
    IF bad IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = bad, HINT = concat(
            example, ' The rankings are ' || nullif(array_to_string(fusion_weights.names, ', '), '') || '.');
    END IF;
    RETURN ARRAY(SELECT (fusion_weights.weights ->> u.name)::double precision
                   FROM unnest(fusion_weights.names) WITH ORDINALITY u (name, place) ORDER BY u.place);
END
$$;
COMMENT ON FUNCTION fusion_weights(text[], jsonb, boolean) IS
'Weights of rankings in the order of their names, checked; 1 for NULL';
