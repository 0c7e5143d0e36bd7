-- system_fusion: how a system fuses rankings, as an object: weights by ranker, and method, norm and constant of fuse.
-- That of hybrid, or of a tuned fusion (add_fusion); NULL for other systems, and if the stored weights cannot be used.
-- Raises the errors of own_system.
CREATE OR REPLACE FUNCTION system_fusion(system text)
RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    fusion CONSTANT jsonb := CASE system_fusion.system
        WHEN 'hybrid' THEN jsonb_build_object('weights', hybrid_weights('{bm25,document}'), 'method', 'sum',
                                              'norm', 'zscore', 'constant', 60)
        ELSE (own_system(system_fusion.system)).fusion END;
BEGIN
    RETURN CASE WHEN jsonb_typeof(fusion -> 'weights') = 'object'
                     AND coalesce(jsonb_typeof(fusion -> 'constant'), 'null') IN ('number', 'null') THEN fusion END;
END
$$;
COMMENT ON FUNCTION system_fusion(text) IS 'How a system fuses rankings: weights, method, norm and constant';
