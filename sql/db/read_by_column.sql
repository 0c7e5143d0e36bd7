-- read_by_column: true if participants and readers get SELECT on the columns of a table, and not on the table: without
-- the latter they cannot read its system columns.
--
-- A foreign key locks the row to which a new row refers, and xmax then names the transaction: the document and the
-- query of a hidden judgment would have the same. So this is true for each table that foreign keys refer to. Citus
-- supports no rights on columns: on several servers it is false for the distributed tables, which have lost these keys.
CREATE OR REPLACE FUNCTION read_by_column(relation regclass) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    spread boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = $1)'
           INTO spread USING read_by_column.relation;
    END IF;
    RETURN NOT spread
       AND EXISTS (SELECT FROM pg_constraint k WHERE k.contype = 'f' AND k.confrelid = read_by_column.relation);
END
$$;
COMMENT ON FUNCTION read_by_column(regclass) IS
    'True if participants and readers get SELECT on the columns of a table, and so not on its system columns';
