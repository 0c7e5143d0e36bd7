-- unembedded: the next n documents by id that lack a vector of the model for some of the fields, with the texts to
-- embed.
--
-- A text is NULL if the field was not requested, already has a vector, or has no text. The text of content is title +
-- ". " + abstract, or the only one present. To page through the corpus, pass the last id of the previous page as after.
-- Raises IR105 no such model, IR106 no such field.
CREATE OR REPLACE FUNCTION unembedded(
    model text, after bigint DEFAULT NULL, n integer DEFAULT 1000, fields text[] DEFAULT '{title,abstract}'
)
RETURNS TABLE (id bigint, title text, abstract text, content text)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    space vector_models := vector_model(unembedded.model, sparse => NULL);
BEGIN
    PERFORM vector_fields(unembedded.fields);
    -- The condition on v.id is redundant; with it a merge join skips the embedded part of the table.
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
'The next n documents by id that lack a vector of the model, with the texts to embed';
