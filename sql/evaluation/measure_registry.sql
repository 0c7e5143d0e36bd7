-- measure_registry: the rows of measure_kinds as a view, so that a function can keep them in a variable. Planning a
-- query of measure_kinds takes a millisecond, and parse_measures asks several for a name.
CREATE OR REPLACE VIEW measure_registry WITH (security_invoker = true) AS SELECT k.* FROM measure_kinds() k;
COMMENT ON VIEW measure_registry IS 'Registry of measures, as measure_kinds returns it';
