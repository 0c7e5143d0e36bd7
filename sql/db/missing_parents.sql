-- missing_parents: the values of a column that are no id of a table, in order: documents or passages that are referred
-- to but not stored.
CREATE OR REPLACE FUNCTION missing_parents(relation regclass, attribute name, parent regclass, OUT missing bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    EXECUTE format('SELECT array_agg(DISTINCT c.%1$I) FROM %2$s c LEFT JOIN %3$s p ON p.id = c.%1$I '
                   'WHERE c.%1$I IS NOT NULL AND p.id IS NULL',
                   missing_parents.attribute, missing_parents.relation, missing_parents.parent) INTO missing;
    missing := coalesce(missing, '{}');
END
$$;
COMMENT ON FUNCTION missing_parents(regclass, name, regclass) IS
'Values of a column that are no id of a table: documents or passages that are referred to but not stored';
