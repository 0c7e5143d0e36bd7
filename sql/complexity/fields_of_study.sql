-- fields_of_study: the distinct fields of study in a record's fos, with their weights.
--
--   field   in lower case, without surrounding blanks
--   weight  its w, the largest if a field is repeated; NULL if missing or not a number from 0 up
--
-- fos comes from the Microsoft Academic Graph by way of dblp: [{"name": "Voice", "w": 0.61}, …], or in some versions a
-- list of names. Other elements are ignored. keywords are the authors' own words and not fields of study.
CREATE OR REPLACE FUNCTION fields_of_study(doc jsonb)
RETURNS TABLE (field text, weight double precision)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 8
AS $$
    SELECT f.field, max(CASE WHEN f.w >= 0 THEN round(least(f.w, 1000000), 9)::double precision END)
      FROM (SELECT lower(btrim(CASE jsonb_typeof(e.one) WHEN 'string' THEN e.one #>> '{}'
                               ELSE CASE jsonb_typeof(e.one -> 'name') WHEN 'string' THEN e.one ->> 'name' END END,
                               E' \t\n\r'))
                   COLLATE "C" AS field,
                   CASE jsonb_typeof(e.one -> 'w') WHEN 'number' THEN (e.one -> 'w')::numeric END AS w
              FROM jsonb_array_elements(CASE jsonb_typeof(fields_of_study.doc -> 'fos')
                                        WHEN 'array' THEN fields_of_study.doc -> 'fos' END) e (one)) f
     WHERE f.field <> ''
     GROUP BY f.field
$$;
COMMENT ON FUNCTION fields_of_study(jsonb) IS 'Fields of study in a record''s fos, each once, with its weight';
