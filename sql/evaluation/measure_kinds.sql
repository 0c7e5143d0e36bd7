-- measure_kinds: registry of all measures, one row each, in the order of measures.toml, which explains the columns.
--
-- The installer replaces the name of the file with its content, as JSON. A measure that leaves out a key has NULL,
-- except takes, mean, range and uses. Two columns are derived:
--
--   reference   the source and its title
--   printed     name before a cutoff in output: the kind; for a kind x_cut that trec_eval does not have, x
--
-- There is no SET search_path, so that PostgreSQL inlines the function and evaluates only the columns that are used.
CREATE OR REPLACE FUNCTION measure_kinds()
RETURNS TABLE (
    place integer, kind text, ir text, also text[], takes text, defaults double precision[], parameters jsonb,
    groups text[], mean text,
    range numrange, uses text[], definition text, reference text, printed text, documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT m.ordinality::integer, m.kind, m.ir, m.also, coalesce(m.takes, 'nothing'), m.defaults, m.parameters,
           m.groups, coalesce(m.mean, 'mean'), coalesce(m.range, '[0,1]'), coalesce(m.uses, '{}'), m.definition,
           concat(m.source, ': ', f.file -> 'sources' ->> m.source),
           CASE WHEN m.groups IS NULL THEN regexp_replace(m.kind, '_cut$', '') ELSE m.kind END,
           m.documents, m.gain, m.value
      FROM (SELECT 'measures.toml'::jsonb) AS f (file)
     CROSS JOIN LATERAL ROWS FROM (jsonb_to_recordset(f.file -> 'measures') AS (
           kind text, ir text, also text[], takes text, defaults double precision[], parameters jsonb, groups text[],
           mean text, range numrange, uses text[], definition text, source text, documents text, gain text, value text))
      WITH ORDINALITY AS m
$$;
COMMENT ON FUNCTION measure_kinds() IS
    'Registry of measures: names, parameters, sets, aggregation, range, definition, reference and formula, in '
    'trec_eval''s order';
