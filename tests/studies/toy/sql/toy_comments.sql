-- toy_comments: the comments of the tables of notes.
CREATE OR REPLACE FUNCTION toy_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES ('toy_notes', NULL, 'Notes about queries'), ('toy_notes', 'note', 'text of the note')
$$;
COMMENT ON FUNCTION toy_comments() IS 'Comments of the tables of notes';
