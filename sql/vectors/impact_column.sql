-- impact_column: the name of the generated column that an index of impacts reads: content_i for content_v.
CREATE OR REPLACE FUNCTION impact_column(field text)
RETURNS name
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN field || '_i';
COMMENT ON FUNCTION impact_column(text) IS 'Name of the column that an index of impacts reads';
