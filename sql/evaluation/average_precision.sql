-- average_precision: average precision of runs, one row per run and query of the edition; in no order.
--
--   AP = sum over relevant documents of the precision at their rank, divided by the relevant documents of the query
--
-- Equal to trec_eval 9's map under -c; more at evaluate, of which it is one column.
-- Raises IR101 no such run, IR102 no such edition.
CREATE OR REPLACE FUNCTION average_precision(runs text[], edition text, complete boolean DEFAULT true)
RETURNS TABLE (run text, query text, value double precision)
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
    SELECT e.run, e.query, e.average_precision FROM evaluate(average_precision.runs, average_precision.edition, '{1}', average_precision.complete) e
$$;
COMMENT ON FUNCTION average_precision(text[], text, boolean) IS 'AP per run and query, as trec_eval map -c; in [0, 1]';
