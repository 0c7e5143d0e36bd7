-- documents_expected: about how many documents there are, by the statistics of the table.
CREATE OR REPLACE FUNCTION documents_expected()
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT c.reltuples FROM pg_class c WHERE c.oid = to_regclass('public.dblp'));
COMMENT ON FUNCTION documents_expected() IS 'About how many documents there are, for a choice of storage';
