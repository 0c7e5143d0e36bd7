-- missing_parents: the values of a column that are no id of a table, in order: documents or passages that are referred
-- to but not stored.
--
-- The servers of a distributed collection compare their own rows. Rows of other tables are compared as a list of ids.
CREATE OR REPLACE FUNCTION missing_parents(relation regclass, attribute name, parent regclass, OUT missing bigint[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    children bigint[];
    together boolean := true;
BEGIN
    IF distributed() THEN
        EXECUTE $sql$SELECT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = $1 AND p.partmethod = 'h'
                                       AND column_to_column_name(p.logicalrelid, p.partkey) = $2)$sql$
           INTO together USING missing_parents.relation, missing_parents.attribute::text;
    END IF;
    IF together THEN
        EXECUTE format('SELECT array_agg(DISTINCT c.%1$I) FROM %2$s c LEFT JOIN %3$s p ON p.id = c.%1$I '
                       'WHERE c.%1$I IS NOT NULL AND p.id IS NULL',
                       missing_parents.attribute, missing_parents.relation, missing_parents.parent) INTO missing;
    ELSE
        EXECUTE format('SELECT array_agg(DISTINCT c.%1$I) FROM %2$s c WHERE c.%1$I IS NOT NULL',
                       missing_parents.attribute, missing_parents.relation) INTO children;
        EXECUTE format('SELECT array_agg(p.id) FROM %s p WHERE p.id = ANY ($1)', missing_parents.parent)
           INTO missing USING children;
        missing := ARRAY(SELECT unnest(children) EXCEPT SELECT unnest(missing) ORDER BY 1);
    END IF;
    missing := coalesce(missing, '{}');
END
$$;
COMMENT ON FUNCTION missing_parents(regclass, name, regclass) IS
'Values of a column that are no id of a table: documents or passages that are referred to but not stored';
