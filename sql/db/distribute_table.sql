-- distribute_table: nothing on one server; cluster/distribute_table.sql distributes a new table.
CREATE OR REPLACE FUNCTION distribute_table(relation regclass)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
END
$$;
COMMENT ON FUNCTION distribute_table(regclass) IS
'Distribute a new table of documents or passages by id, if the collection is distributed';
