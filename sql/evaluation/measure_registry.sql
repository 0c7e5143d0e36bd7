-- measure_registry: the measures of the product (measure_kinds) and those that organisers added (own_kinds) as a view,
-- so that a function can keep them in a variable. Planning a query of measure_kinds takes a millisecond, and
-- parse_measures asks several for a name.
CREATE OR REPLACE VIEW measure_registry WITH (security_invoker = true) AS
SELECT k.* FROM measure_kinds() k
 UNION ALL
SELECT o.place, o.kind, o.ir, o.also, o.takes, o.defaults, o.parameters, o.groups, o.mean, o.range, o.uses,
       o.definition, o.reference, o.printed, o.documents, o.gain, o.value
  FROM own_kinds() o WHERE o.fault IS NULL;
COMMENT ON VIEW measure_registry IS 'Registry of measures: those of the product, and those that organisers added';
