-- forget_computed: delete what was computed from texts that changed, in a distributed collection, where the triggers
-- forget_vectors and forget_measures are dropped. texts: documents whose title or abstract changed, which lose their
-- vectors by every model and their passages; abstracts: those whose abstract changed, which lose their measures.
CREATE OR REPLACE FUNCTION forget_computed(texts bigint[], abstracts bigint[])
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    relation name;
BEGIN
    FOR relation IN SELECT DISTINCT m.relation FROM vector_models m WHERE cardinality(forget_computed.texts) > 0 LOOP
        EXECUTE format('DELETE FROM public.%I v WHERE v.id = ANY ($1)', relation) USING forget_computed.texts;
    END LOOP;
    IF cardinality(forget_computed.texts) > 0 THEN
        DELETE FROM dblp_passages p WHERE p.doc = ANY (forget_computed.texts);
    END IF;
    IF cardinality(forget_computed.abstracts) > 0 THEN
        DELETE FROM st1_complexity_metrics c WHERE c.id = ANY (forget_computed.abstracts);
    END IF;
END
$$;
COMMENT ON FUNCTION forget_computed(bigint[], bigint[]) IS
'Delete vectors, passages and measures that were computed from changed texts of a distributed collection';
