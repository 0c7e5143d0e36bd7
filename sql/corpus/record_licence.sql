-- record_licence: the licence as the record of a document writes it: license, else licence. NULL if neither is a text.
-- licence_name gives it one spelling.
--
-- Written so that PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION record_licence(doc jsonb)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE 'string' WHEN jsonb_typeof(doc -> 'license') THEN doc ->> 'license'
                     WHEN jsonb_typeof(doc -> 'licence') THEN doc ->> 'licence' END;
COMMENT ON FUNCTION record_licence(jsonb) IS 'Licence as the record of a document writes it; NULL: none';
