-- distribute_table: distribute a new table of documents or passages by id, with the other tables of documents.
CREATE OR REPLACE FUNCTION distribute_table(relation regclass)
RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    PERFORM create_distributed_table(distribute_table.relation, 'id', colocate_with => 'public.dblp');
END
$$;
COMMENT ON FUNCTION distribute_table(regclass) IS
'Distribute a new table of documents or passages by id, if the collection is distributed';
