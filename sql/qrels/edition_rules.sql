-- edition_rules: check an edition against the rules of the track's organisers; one row per rule, with verdict and
-- offenders.
--
--   relevant     each query has at least relevant (5) documents of grade rel (1) or better
--   unseen       no query of a test edition has a judgment in an earlier edition: of an earlier year or, if the years
--                are equal or missing, made earlier. Its own sources do not count, nor what was derived from these or
--                from it, unless its split is train and its year not later
--   documents    each judged document is in the corpus, not a stub
--   queries      each query has a text, and a topic unless no query of the edition has one (plain files of queries)
--   grades       each grade, of every annotator and origin, is in the edition's mapping, or from 0 to highest (2) if it
--                has no mapping
--   annotators   no document has different grades by several annotators of the best origin; such conflicts must be
--                settled first, by a final decision or a derived edition
--   subtopics    each query with subtopic judgments has a document relevant to a subtopic; else no row
--
-- verdict: pass, fail, or not asked (unseen, if the edition is not a test edition). checked: number of queries,
-- documents or judgments checked. offenders: names of those that break the rule.
-- Raises IR102 no such edition, IR202 relevant below 1.
CREATE OR REPLACE FUNCTION public.edition_rules(
    edition text, relevant integer DEFAULT 5, rel integer DEFAULT 1, highest integer DEFAULT 2)
RETURNS TABLE (rule text, verdict text, checked bigint, offenders text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    this qrels_editions;
    edition_id integer := edition_key(edition_rules.edition);
    docs bigint[];
    docnos text[];
    stubs boolean[];
BEGIN
    IF edition_rules.relevant IS NULL OR edition_rules.relevant < 1 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('the minimum of relevant documents is %s', coalesce(edition_rules.relevant::text, 'NULL')),
            HINT = 'The number of relevant documents required per query must be 1 or more; the track requires 5.';
    END IF;
    SELECT * INTO this FROM qrels_editions e WHERE e.id = edition_id;
    -- A separate statement: Citus does not read documents in one with a recursive part.
    SELECT array_agg(d.id), array_agg(d.docno), array_agg(d.stub) INTO docs, docnos, stubs
      FROM dblp d WHERE d.id IN (SELECT j.doc FROM qrels_judgments j WHERE j.edition = edition_id);
    RETURN QUERY
    WITH RECURSIVE known AS (
        SELECT u.* FROM unnest(docs, docnos, stubs) u (id, docno, stub)),
    said AS MATERIALIZED (
        SELECT j.query, q.query AS name, q.text, q.topic, j.doc, j.rel, j.origin
          FROM qrels j JOIN st1_queries q ON q.id = j.query WHERE j.edition = edition_id),
    descent AS (
        SELECT f.edition AS child, p.id AS parent FROM qrels_files f
          JOIN qrels_editions p ON f.path = 'edition:' || p.edition),
    ancestor (id) AS (SELECT edition_id UNION SELECT d.parent FROM ancestor a JOIN descent d ON d.child = a.id),
    family (id) AS (SELECT a.id FROM ancestor a UNION SELECT d.child FROM family f JOIN descent d ON d.parent = f.id),
    earlier AS (
        SELECT e.id, e.edition FROM qrels_editions e
         WHERE this.split = 'test'
           AND CASE WHEN e.id IN (SELECT f.id FROM family f)
                    THEN e.split = 'train' AND coalesce(e.year <= this.year, true)
                         AND e.id NOT IN (SELECT a.id FROM ancestor a)
                    WHEN e.year <> this.year THEN e.year < this.year
                    ELSE (e.made, e.id) < (this.made, this.id) END),
    judged AS MATERIALIZED (
        SELECT s.name, count(*) FILTER (WHERE s.rel >= edition_rules.rel) AS relevant,
               CASE WHEN coalesce(trim(min(s.text)), '') = '' THEN 'no text'
                    WHEN min(s.topic) IS NULL AND (SELECT count(o.topic) FROM said o) > 0 THEN 'no topic' END AS lacks,
               (SELECT string_agg(e.edition, ', ' ORDER BY e.edition) FROM earlier e
                 WHERE EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = e.id AND j.query = s.query)) AS seen
          FROM said s GROUP BY s.query, s.name),
    split_votes AS (
        SELECT s.name, d.docno, string_agg(concat_ws(' ', nullif(j.annotator, ''), j.rel), ', '
                                           ORDER BY j.annotator) AS votes
          FROM said s
          JOIN qrels_judgments j ON j.edition = edition_id AND j.query = s.query AND j.doc = s.doc
          AND j.origin = s.origin
          JOIN known d ON d.id = s.doc
         GROUP BY s.name, d.docno
        HAVING count(DISTINCT j.rel) > 1 AND NOT bool_or(j.final)),
    found (place, rule, checked, offenders) AS (
        SELECT 1, 'relevant', count(*),
               array_agg(format('%s (%s)', j.name, j.relevant) ORDER BY j.name) FILTER (
                       WHERE j.relevant < edition_rules.relevant)
          FROM judged j
        UNION ALL
        SELECT 2, 'unseen', count(*), array_agg(format('%s (%s)', j.name, j.seen) ORDER BY j.name) FILTER (
                WHERE j.seen IS NOT NULL)
          FROM judged j
        UNION ALL
        SELECT 3, 'documents', count(*), array_agg(d.docno ORDER BY d.docno) FILTER (WHERE d.stub)
          FROM known d WHERE d.id IN (SELECT s.doc FROM said s)
        UNION ALL
        SELECT 4, 'queries', count(*), array_agg(format('%s (%s)', j.name, j.lacks) ORDER BY j.name) FILTER (
                WHERE j.lacks IS NOT NULL)
          FROM judged j
        UNION ALL
        SELECT 5, 'grades', count(*),
               array_agg(format('%s %s (%s)', q.query, d.docno, concat_ws(' ', nullif(j.annotator, ''), j.rel))
                         ORDER BY q.query, d.docno, j.annotator)
                   FILTER (WHERE CASE WHEN this.scale IS NULL THEN j.rel NOT BETWEEN 0 AND edition_rules.highest
                                      ELSE NOT EXISTS (SELECT FROM jsonb_each_text(this.scale) m
                                                        WHERE m.value = j.rel::text) END)
          FROM qrels_judgments j JOIN st1_queries q ON q.id = j.query JOIN known d ON d.id = j.doc
         WHERE j.edition = edition_id
        UNION ALL
        SELECT 6, 'annotators', (SELECT count(*) FROM said),
               array_agg(format('%s %s (%s)', v.name, v.docno, v.votes) ORDER BY v.name, v.docno)
          FROM split_votes v
        UNION ALL
        SELECT 7, 'subtopics', count(*), array_agg(t.name ORDER BY t.name) FILTER (WHERE t.best < 1)
          FROM (SELECT q.query AS name, max(s.rel) AS best
                  FROM qrels_subtopics s JOIN st1_queries q ON q.id = s.query
                 WHERE s.edition = edition_id GROUP BY q.query) t
        HAVING count(*) > 0)
    SELECT f.rule, CASE WHEN f.rule = 'unseen' AND this.split IS DISTINCT FROM 'test' THEN 'not asked'
                        WHEN f.offenders IS NULL THEN 'pass' ELSE 'fail' END,
           f.checked, coalesce(f.offenders, '{}')
      FROM found f ORDER BY f.place;
END
$$;
COMMENT ON FUNCTION public.edition_rules(text, integer, integer, integer) IS
    'Checks an edition against the rules of the track''s organisers: verdict, number checked, and offenders per rule';
