-- synth_review_sheet: subtopics to review, by topic, origin and number, with the article in the first row of each topic
-- and the decision so far. Published ones are not listed.
--
-- near: also those set aside as near-duplicates; reviewed: also those with a decision. verdict, reworded, note: the
-- decision; cosine and words: similarity to nearest, the nearest query.
CREATE OR REPLACE FUNCTION synth_review_sheet(near boolean DEFAULT false, reviewed boolean DEFAULT false)
RETURNS TABLE (
    id bigint, topic text, title text, article_origin text, article text, text text, nearest_query text, nearest text,
    words double precision, cosine double precision, verdict text, reworded text, note text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH listed AS (
        SELECT s.*, t AS of_topic, t.topic AS name,
               row_number() OVER (PARTITION BY t.id ORDER BY s.origin COLLATE "C", s.number) = 1 AS first
          FROM synth_subtopics s JOIN st1_topics t ON t.id = s.topic
         WHERE s.text IS NOT NULL AND s.query IS NULL
           AND CASE WHEN s.verdict IS NOT NULL THEN synth_review_sheet.reviewed
                    ELSE synth_review_sheet.near OR NOT s.near END)
    SELECT l.id, l.name, a.title, CASE WHEN l.first THEN a.origin END, CASE WHEN l.first THEN a.article END, l.text,
           l.nearest_query, l.nearest, l.words, l.cosine, l.verdict, l.reworded, l.note
      FROM listed l CROSS JOIN LATERAL article_shown(l.of_topic) a
     ORDER BY l.name COLLATE "C", l.origin COLLATE "C", l.number
$$;
COMMENT ON FUNCTION synth_review_sheet(boolean, boolean) IS
    'Queries generated from articles to review, with the article in the first row of each topic';
