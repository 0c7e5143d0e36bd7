-- build_comments: the comments of the tables of 'stc build', and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION build_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    VALUES
    ('build_recipes', NULL, 'The recipe that the collection was last built from, at most one row'),
    ('build_recipes', 'single', 'always true'),
    ('build_recipes', 'path', 'absolute path of the recipe'),
    ('build_recipes', 'content', 'text of the recipe, in TOML'),
    ('build_recipes', 'title', 'title of the collection'),
    ('build_recipes', 'built', 'when the last build began'),

    ('build_steps', NULL, 'Steps of the recipe, one row per step that was begun'),
    ('build_steps', 'step', 'kind and name of the step'),
    ('build_steps', 'kind', 'kind of the step: the name of its table in the recipe'),
    ('build_steps', 'definition', 'keys and values of the step'),
    ('build_steps', 'files', 'SHA-256, size and time of change of each input file, by its path in the recipe'),
    ('build_steps', 'needs', 'when each earlier step that it depends on had finished'),
    ('build_steps', 'outcome', 'state of its result in the collection when it had finished (step_outcome)'),
    ('build_steps', 'began', 'when the step began'),
    ('build_steps', 'finished', 'when the step finished; NULL: it has not')
$$;
COMMENT ON FUNCTION build_comments() IS 'Comments of the tables of stc build, and of their columns';
