-- fields_of_study: the fields that a record names in its fos, each once, with its weight.
--
--   field   in lower case, without blanks around
--   weight  its w, the greatest where a field is named twice; NULL where it is missing or no number from 0 up
--
-- fos is what dblp has of the Microsoft Academic Graph: [{"name": "Voice", "w": 0.61}, …]; in some versions a list of
-- names. Anything else in it names no field. keywords are the authors' own words, and no fields.
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
COMMENT ON FUNCTION fields_of_study(jsonb) IS
'The fields of study that a record names in its fos, each once, with its weight';
