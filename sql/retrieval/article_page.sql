-- article_page: the k documents most like the article of a topic for display, as search_page returns them; the snippet
-- is the sentence of the abstract with the most words of the article. Parameters and errors as in article_search; docs
-- and scores as in search_page.
CREATE OR REPLACE FUNCTION article_page(
    topic text, system text DEFAULT 'hybrid', k integer DEFAULT 10, filter jsonb DEFAULT NULL, model text DEFAULT NULL,
    chunk integer DEFAULT 64, docs bigint[] DEFAULT NULL, scores double precision[] DEFAULT NULL
)
RETURNS TABLE (
    rank integer, score double precision, doc bigint, docno text, year integer, venue text, citations integer,
    title text, snippet text
)
LANGUAGE plpgsql STABLE ROWS 10
SET search_path = stc_all, stc, public, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    docs bigint[] := article_page.docs;
    scores double precision[] := article_page.scores;
BEGIN
    IF docs IS NULL THEN
        PERFORM check_corpus();
        SELECT coalesce(array_agg(s.doc ORDER BY s.rank), '{}'), coalesce(array_agg(s.score ORDER BY s.rank), '{}')
          INTO docs, scores
          FROM article_search(article_page.topic, article_page.system, article_page.k, article_page.filter,
                              article_page.model, article_page.chunk) s;
    END IF;
    RETURN QUERY
    SELECT p.*
      FROM search_page(array_to_string(article_chunks(needed_article(article_page.topic)), ' '),
                       docs => docs, scores => scores) p;
END
$$;
COMMENT ON FUNCTION article_page(text, text, integer, jsonb, text, integer, bigint[], double precision[]) IS
'The k documents most like the article of a topic with name, year, venue, citations, title and a sentence, by rank';
