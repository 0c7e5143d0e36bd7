-- {{cookiecutter.name}}_list: the notes, newest first, with the names of their queries.
CREATE OR REPLACE FUNCTION public.{{cookiecutter.name}}_list()
RETURNS TABLE (query text, note text, made timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT q.query, n.note, n.made
      FROM {{cookiecutter.name}}_notes n JOIN st1_queries q ON q.id = n.query
     ORDER BY n.id DESC
$$;
COMMENT ON FUNCTION {{cookiecutter.name}}_list() IS 'Notes on queries, newest first';
