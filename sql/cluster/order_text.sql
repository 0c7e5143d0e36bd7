-- order_text: nothing, because Citus cannot rewrite a table in the order of an index; text/order_text.sql is for one
-- server. Part of index_text.
CREATE OR REPLACE PROCEDURE order_text()
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
AS $$
BEGIN
END
$$;
COMMENT ON PROCEDURE order_text() IS
'Part of index_text: sort the rows of dblp_text by id, so that scores do not depend on the load, and remove heap-only '
'tuples';
