-- removal_dependents: the tables that reference the rows listed in the temporary table removal. Rows that judgments,
-- runs, pools, answers of language models, annotations or generated queries reference are marked as kept.
--
-- One row per table: the number of its rows that reference those of removal, and the names of their editions or runs.
-- keeps is false for tables whose rows are deleted with them: text, vectors, passages, measures.
CREATE OR REPLACE FUNCTION removal_dependents(parent regclass)
RETURNS TABLE (relation text, keeps boolean, rows bigint, names text[])
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    one record;
    source text;
BEGIN
    FOR one IN SELECT r.relation, r.attribute, r.keeps, c.relname
                 FROM referencing(removal_dependents.parent) r JOIN pg_class c ON c.oid = r.relation
    LOOP
        source := CASE WHEN one.relname = 'st1_rankings'
                       THEN 'rankings_of(ARRAY(SELECT r.id FROM pg_temp.removal r))' ELSE one.relation::text END;
        EXECUTE format('SELECT count(*) FROM %s c WHERE c.%I IN (SELECT r.id FROM pg_temp.removal r)',
                       source, one.attribute) INTO rows;
        CONTINUE WHEN rows = 0;
        names := '{}';
        IF one.keeps THEN
            EXECUTE format('UPDATE pg_temp.removal r SET kept = true'
                           ' WHERE NOT r.kept AND EXISTS (SELECT FROM %s c WHERE c.%I = r.id)',
                           source, one.attribute);
        END IF;
        IF one.relname IN ('qrels_judgments', 'qrels_preferences', 'qrels_subtopics') THEN
            EXECUTE format('SELECT array_agg(e.edition ORDER BY e.edition) FROM qrels_editions e WHERE EXISTS ('
                           'SELECT FROM %s c JOIN pg_temp.removal r ON r.id = c.%I WHERE c.edition = e.id)',
                           one.relation, one.attribute) INTO names;
        ELSIF one.relname IN ('st1_rankings', 'st1_scores') THEN
            EXECUTE format('SELECT array_agg(n.run ORDER BY n.run) FROM st1_runs n WHERE n.id IN ('
                           'SELECT c.run FROM %s c JOIN pg_temp.removal r ON r.id = c.%I)',
                           source, one.attribute) INTO names;
        END IF;
        relation := one.relname;
        keeps := one.keeps;
        RETURN NEXT;
    END LOOP;
END
$$;
COMMENT ON FUNCTION removal_dependents(regclass) IS
'Tables that reference the rows of the temporary table removal; marks the rows that must be kept';
