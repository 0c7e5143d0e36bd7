-- answer_relate_models: agreement models by name, with the number of pairs that each has rated.
CREATE OR REPLACE FUNCTION answer_relate_models()
RETURNS TABLE (model text, kind text, params jsonb, fingerprint text, relations bigint, made timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT m.model, m.kind, m.params, m.fingerprint,
           (SELECT count(*) FROM answer_relations r WHERE r.model = m.id), m.made
      FROM answer_models m
     ORDER BY m.model COLLATE "C"
$$;
COMMENT ON FUNCTION answer_relate_models() IS 'Agreement models by name, with the number of pairs that each has rated';
