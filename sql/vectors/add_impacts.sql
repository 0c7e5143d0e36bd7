-- add_impacts: add the column that an index of impacts reads to a table of sparse vectors (impact_text), or compute it
-- again. PostgreSQL computes it from the vectors, also of rows that are added later, and rewrites the table.
-- Searches wait meanwhile. pg_textsearch 1.0 would not find rows that were updated in place since (heap-only tuples).
--
-- The scale maps the mean of the highest weights of 1,000 vectors to a score of 2.2, a frequency of 2 or 3. A weight
-- below a quarter of it is omitted. A higher scale costs more time than the candidates become better.
CREATE OR REPLACE FUNCTION add_impacts(relation name, field text)
RETURNS void
LANGUAGE plpgsql
SET search_path = stc_all, stc, public, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    scale real;
BEGIN
    EXECUTE format('ALTER TABLE %I DROP COLUMN IF EXISTS %I', relation, impact_column(field));
    EXECUTE format(
        'SELECT 2.2 / avg(w.highest)
           FROM (SELECT (SELECT max(split_part(p.pair, '':'', 2)::real)
                           FROM string_to_table(split_part(v.%1$I::text, ''}'', 1), '','') p (pair)) AS highest
                   FROM %2$I v WHERE v.%1$I IS NOT NULL LIMIT 1000) w', vector_column(field), relation)
       INTO scale;
    EXECUTE format(
        'ALTER TABLE %I ADD COLUMN %I text GENERATED ALWAYS AS (impact_text(%I, %L::real)) STORED',
        relation, impact_column(field), vector_column(field), coalesce(scale, 1));
    EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', relation, impact_column(field),
                   format('%s as text, for the index of impacts', vector_column(field)));
END
$$;
COMMENT ON FUNCTION add_impacts(name, text) IS
'Add the column that an index of impacts reads to a table of sparse vectors';
