-- retrieval_comments: the comments of the tables for retrieval, and of their columns.
--
-- attribute NULL is the table itself. copy_comments applies them at each upgrade.
CREATE OR REPLACE FUNCTION retrieval_comments() RETURNS TABLE (relation text, attribute text, comment text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
    VALUES
    ('own_systems', NULL, 'Retrieval systems of users, one row each; see add_system'),
    ('own_systems', 'id', 'number of the system'),
    ('own_systems', 'system', 'name of the system'),
    ('own_systems', 'maker', 'role that added it for itself; NULL: an organiser, for everybody'),
    ('own_systems', 'function', 'its function, with schema and types of arguments'),
    ('own_systems', 'title', 'description in a few words'),
    ('own_systems', 'added', 'when it was added'),
    ('own_systems', 'fusion', 'rankers, weights and tuning of a fusion (add_fusion); NULL: another function')
$$;
COMMENT ON FUNCTION retrieval_comments() IS 'Comments of the tables for retrieval, and of their columns';
