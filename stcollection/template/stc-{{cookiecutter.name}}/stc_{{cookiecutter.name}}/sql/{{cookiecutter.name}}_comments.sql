-- {{cookiecutter.name}}_comments: the comments of the table of notes.
CREATE OR REPLACE FUNCTION {{cookiecutter.name}}_comments()
RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('{{cookiecutter.name}}_notes', NULL, 'Notes on queries'),
    ('{{cookiecutter.name}}_notes', 'id', 'number of the note'),
    ('{{cookiecutter.name}}_notes', 'query', 'query of the note: st1_queries.id'),
    ('{{cookiecutter.name}}_notes', 'note', 'text of the note'),
    ('{{cookiecutter.name}}_notes', 'made', 'when the note was stored')
$$;
COMMENT ON FUNCTION {{cookiecutter.name}}_comments() IS 'Comments of the table of notes';
