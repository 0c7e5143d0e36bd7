-- unembedded: the next n documents after an id that lack a vector of the model for some of the fields, by id, with the
-- texts to embed: NULL for a field that was not asked for, has its vector or has no text. The text of content is title
-- + ". " + abstract, or the one that there is. Page through a corpus by handing in the last id of the page before.
-- Raises IR105 no such model, IR106 no such field.
CREATE OR REPLACE FUNCTION unembedded(
    model text, after bigint DEFAULT NULL, n integer DEFAULT 1000, fields text[] DEFAULT '{title,abstract}'
)
RETURNS TABLE (id bigint, title text, abstract text, content text)
LANGUAGE plpgsql STABLE
SET search_path = stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(unembedded.model);
BEGIN
    PERFORM vector_fields(unembedded.fields);
    -- The condition on v.id says nothing new; it spares a merge join the part of the table that is done.
    RETURN QUERY EXECUTE format(
        $sql$SELECT l.id, l.title, l.abstract, l.content
               FROM (SELECT t.id, CASE WHEN 'title' = ANY ($3) AND v.title_v IS NULL AND t.title ~ '\S'
                   THEN t.title END AS title,
                            CASE WHEN 'abstract' = ANY ($3) AND v.abstract_v IS NULL AND t.abstract ~ '\S'
                                THEN t.abstract END
                                AS abstract,
                            CASE WHEN 'content' = ANY ($3) AND v.content_v IS NULL
                                 THEN nullif(concat_ws('. ', CASE WHEN t.title ~ '\S' THEN t.title END,
                                                       CASE WHEN t.abstract ~ '\S' THEN t.abstract END), '') END
                                                            AS content
                       FROM dblp_text t LEFT JOIN %I v ON v.id = t.id AND v.id > $1
                      WHERE t.id > $1) l
              WHERE l.title IS NOT NULL OR l.abstract IS NOT NULL OR l.content IS NOT NULL
              ORDER BY l.id LIMIT $2$sql$, space.relation)
    USING coalesce(unembedded.after, -9223372036854775808), unembedded.n, unembedded.fields;
END
$$;
COMMENT ON FUNCTION unembedded(text, bigint, integer, text[]) IS
'The next documents that lack a vector of the model, with the texts to embed';
