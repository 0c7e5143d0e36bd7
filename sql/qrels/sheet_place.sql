-- sheet_place: text that sorts the queries of a sheet in the annotator's order.
CREATE OR REPLACE FUNCTION sheet_place(seed text, annotator text, query text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT md5(concat_ws(':', 'sheet', sheet_place.seed, sheet_place.annotator, sheet_place.query)) COLLATE "C"
$$;
COMMENT ON FUNCTION sheet_place(text, text, text) IS 'Text that sorts the queries of a sheet in the annotator''s order';
