-- derive_edition: create an edition from one or several others, with one judgment per query and document.
--
-- A final decision (an adjudicator's grade, a correction) wins in every rule, in whatever source; of several, the
-- latest one of the source named first. Otherwise only the judgments of the best origin of a document count: human
-- before llm before knn, in whatever source. Each annotator has one vote, from the source named first. rule combines
-- the votes of several annotators:
--
--   first      as in the view qrels: the earliest, from the source named first
--   majority   the most frequent grade; the lower one if tied
--   median     the median; the lower of the two middle ones for an even number
--   mean       the mean, rounded; halves down
--   max, min   the highest, the lowest
--
-- Except with rule first, a negative grade (pooled, not judged) is ignored if there is another vote.
--
--   scale                 mapping {theirs: ours}, applied before the rule
--   origins, annotators   origins and annotators to use; NULL means all. Final decisions of others are not used
--   query_set             only the queries of a set (query_set)
--   hidden                hide the new edition from participants and readers from the start
--   subtopic_judgments    number of judgments by subtopic (qrels_subtopics). They have no origin and no annotator: for
--                         a document and subtopic, the source named first counts, and none are used with origins or
--                         annotators
--   combined              number of documents with several votes
--   differing             number of documents whose votes differ
--   final                 number of documents with a final decision. The new judgment is final, too
--   unsampled             number of queries that lose their strata. The new edition has those of the first source that
--                         has some, for queries of which it judges the same documents of the strata as this source, or
--                         all that were drawn: otherwise the judged documents of a stratum are no random sample of it
--
-- The new judgment names its annotator, or the rule if several voted, with their grades in note. Split, year and scale
-- are copied if the sources agree. The ledger records the sources as edition:NAME. The new edition is hidden, or
-- simulated, if any source is.
-- Raises IR102 no such edition, IR103 the set names no query, IR202 the new edition exists, no such rule, no source, a
-- source named twice, or a grade not in scale; IR405 no judgment.
CREATE OR REPLACE FUNCTION public.derive_edition(
    edition text, sources text[], rule text DEFAULT 'first', scale jsonb DEFAULT NULL, origins text[] DEFAULT NULL,
    annotators text[] DEFAULT NULL, query_set text DEFAULT 'all', hidden boolean DEFAULT false)
RETURNS TABLE (queries bigint, judgments bigint, subtopic_judgments bigint, combined bigint, differing bigint,
               final bigint, unsampled bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    source_ids integer[] := ARRAY(SELECT edition_key(s.name)
                                    FROM unnest(derive_edition.sources) WITH ORDINALITY AS s (name, place)
                                   ORDER BY s.place);
    target_id integer;
    is_hidden boolean;
    unmapped smallint;
    with_subtopics CONSTANT boolean := coalesce(derive_edition.origins, derive_edition.annotators) IS NULL;
    members CONSTANT integer[] := CASE WHEN derive_edition.query_set <> 'all'
                                       THEN query_set_ids(derive_edition.query_set) END;
BEGIN
    IF coalesce(trim(derive_edition.edition), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is not a valid edition name', derive_edition.edition),
            HINT = 'Choose a name such as train or 2024-test.';
    END IF;
    PERFORM check_name('edition', derive_edition.edition);
    IF EXISTS (SELECT FROM qrels_editions e WHERE e.edition = derive_edition.edition COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('edition %L already exists', derive_edition.edition),
            HINT = 'Choose another name, or remove an edition with ''stc drop edition''.';
    ELSIF derive_edition.rule IS NULL
       OR derive_edition.rule NOT IN ('first', 'majority', 'median', 'mean', 'max', 'min') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('unknown rule %L', derive_edition.rule),
            HINT = 'Use first, majority, median, mean, max or min.';
    ELSIF cardinality(source_ids) = 0 OR (SELECT count(DISTINCT s.id) FROM unnest(source_ids) AS s (id))
        < cardinality(source_ids) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'no source edition is named, or one is named twice',
            HINT = 'Name each source edition once, in order of precedence.';
    END IF;
    SELECT j.rel INTO unmapped
      FROM (SELECT rel, edition, query FROM qrels_judgments
             UNION ALL SELECT rel, edition, query FROM qrels_subtopics WHERE with_subtopics) j
     WHERE derive_edition.scale IS NOT NULL AND j.edition = ANY (source_ids)
       AND (members IS NULL OR j.query = ANY (members))
       AND derive_edition.scale ->> j.rel::text IS NULL
     ORDER BY j.rel LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the grade %s is not in the mapping', unmapped),
            HINT = format('Map it to a grade: --map %s=….', unmapped);
    END IF;

    INSERT INTO qrels_editions (edition, description, split, year, scale, hidden, simulated)
    SELECT derive_edition.edition,
           format('%s%s%s%s', string_agg(e.edition, ', ' ORDER BY s.place),
                  CASE WHEN members IS NOT NULL THEN '; queries: ' || left(derive_edition.query_set, 200) END,
                  '; of several annotators: ' || derive_edition.rule,
                  '; grades by ' || derive_edition.scale::text),
           CASE WHEN count(DISTINCT e.split) = 1 AND count(e.split) = count(*) THEN min(e.split) END,
           CASE WHEN count(DISTINCT e.year) = 1 AND count(e.year) = count(*) THEN min(e.year) END,
           coalesce(derive_edition.scale, CASE WHEN count(DISTINCT e.scale) = 1 AND count(e.scale) = count(*)
                                               THEN min(e.scale::text)::jsonb END),
           coalesce(derive_edition.hidden, false) OR bool_or(e.hidden), bool_or(e.simulated)
      FROM unnest(source_ids) WITH ORDINALITY AS s (id, place) JOIN qrels_editions e ON e.id = s.id
    RETURNING id, hidden INTO target_id, is_hidden;

    WITH vote AS MATERIALIZED (
        SELECT DISTINCT ON (j.query, j.doc, j.origin, j.annotator)
               j.*, s.place, coalesce((derive_edition.scale ->> j.rel::text)::smallint, j.rel) AS grade,
               origin_precedence(j.origin) AS precedence
          FROM unnest(source_ids) WITH ORDINALITY AS s (id, place) JOIN qrels_judgments j ON j.edition = s.id
         WHERE (derive_edition.origins IS NULL OR j.origin = ANY (derive_edition.origins))
           AND (derive_edition.annotators IS NULL OR j.annotator = ANY (derive_edition.annotators))
           AND (members IS NULL OR j.query = ANY (members))
         ORDER BY j.query, j.doc, j.origin, j.annotator, NOT j.final, s.place),
    best AS (
        SELECT v.*, rank() OVER (PARTITION BY v.query, v.doc
                                 ORDER BY NOT v.final, CASE WHEN v.final THEN v.place END,
                                          CASE WHEN v.final THEN -v.id END, v.precedence) AS standing,
               v.final OR v.grade >= 0
               OR max(v.grade) OVER (PARTITION BY v.query, v.doc, v.precedence) < 0 AS counts
          FROM vote v),
    said AS MATERIALIZED (
        SELECT b.query, b.doc, b.origin, (array_agg(b.edition ORDER BY b.place, b.id))[1] AS source,
               CASE derive_edition.rule
                   WHEN 'first' THEN (array_agg(b.grade ORDER BY b.place, b.id))[1]
                   WHEN 'majority' THEN mode() WITHIN GROUP (ORDER BY b.grade) FILTER (WHERE b.counts)
                   WHEN 'median' THEN percentile_disc(0.5) WITHIN GROUP (ORDER BY b.grade) FILTER (WHERE b.counts)
                   WHEN 'mean' THEN ceil(avg(b.grade) FILTER (WHERE b.counts) - 0.5)::smallint
                   WHEN 'max' THEN max(b.grade) FILTER (WHERE b.counts)
                   ELSE min(b.grade) FILTER (WHERE b.counts) END AS rel,
               CASE WHEN count(*) = 1 OR derive_edition.rule = 'first'
                    THEN (array_agg(b.annotator ORDER BY b.place, b.id))[1]
                    ELSE derive_edition.rule END AS annotator,
               (array_agg(b.source_doc ORDER BY b.place, b.id))[1] AS source_doc,
               (array_agg(b.similarity ORDER BY b.place, b.id))[1] AS similarity,
               (array_agg(b.judged ORDER BY b.place, b.id))[1] AS judged,
               CASE WHEN count(*) = 1 THEN min(b.note)
                    ELSE string_agg(concat_ws(' ', nullif(b.annotator, ''), b.grade), ', '
                                    ORDER BY b.annotator) END AS note,
               count(*) > 1 AS combined, count(DISTINCT b.grade) > 1 AS differing, bool_or(b.final) AS final
          FROM best b WHERE b.standing = 1 GROUP BY b.query, b.doc, b.origin),
    stored AS (
        INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, source_doc, similarity, judged, note,
                                     hidden, final)
        SELECT target_id, s.query, s.doc, s.rel, s.origin, s.annotator, s.source_doc, s.similarity, s.judged,
               s.note, is_hidden, s.final
          FROM said s ORDER BY s.query, s.doc),
    aspects AS MATERIALIZED (
        SELECT DISTINCT ON (t.query, t.subtopic, t.doc) t.query, t.subtopic, t.doc, t.edition AS source,
               coalesce((derive_edition.scale ->> t.rel::text)::smallint, t.rel) AS rel
          FROM unnest(source_ids) WITH ORDINALITY AS s (id, place) JOIN qrels_subtopics t ON t.edition = s.id
         WHERE with_subtopics AND (members IS NULL OR t.query = ANY (members))
         ORDER BY t.query, t.subtopic, t.doc, s.place),
    stored_aspects AS (
        INSERT INTO qrels_subtopics (edition, query, subtopic, doc, rel, hidden)
        SELECT target_id, a.query, a.subtopic, a.doc, a.rel, is_hidden FROM aspects a),
    ledger AS (
        INSERT INTO qrels_files (edition, hidden, path, sha256, judgments, added)
        SELECT target_id, (SELECT x.hidden FROM qrels_editions x WHERE x.id = target_id),
               'edition:' || e.edition, edition_fingerprint(e.edition),
               (SELECT count(*) FROM qrels j WHERE j.edition = e.id)
               + (SELECT count(*) FROM qrels_subtopics t WHERE t.edition = e.id AND with_subtopics),
               (SELECT count(*) FROM said d WHERE d.source = e.id)
               + (SELECT count(*) FROM aspects a WHERE a.source = e.id)
          FROM unnest(source_ids) WITH ORDINALITY AS s (id, place) JOIN qrels_editions e ON e.id = s.id
         ORDER BY s.place)
    SELECT (SELECT count(*) FROM (SELECT query FROM said UNION SELECT query FROM aspects) u), count(*),
           (SELECT count(*) FROM aspects), count(*) FILTER (WHERE s.combined), count(*) FILTER (WHERE s.differing),
           count(*) FILTER (WHERE s.final)
      INTO queries, judgments, subtopic_judgments, combined, differing, final FROM said s;
    IF judgments + subtopic_judgments = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = 'the sources have no judgment of these origins, annotators and queries',
            HINT = '''stc show editions --format json'' lists the origins; the table qrels_judgments has the '
                   'annotators and queries.';
    END IF;
    WITH stratum AS MATERIALIZED (
        SELECT t.*, rank() OVER (PARTITION BY t.query ORDER BY s.place) AS standing
          FROM unnest(source_ids) WITH ORDINALITY AS s (id, place) JOIN qrels_strata t ON t.edition = s.id
         WHERE members IS NULL OR t.query = ANY (members)),
    kept AS MATERIALIZED (
        SELECT t.query, bool_and(coalesce(n.rel, -1) >= 0) OR bool_and((coalesce(n.rel, -1) >= 0)
                                                                       = (coalesce(o.rel, -1) >= 0)) AS same
          FROM stratum t
          LEFT JOIN qrels n ON n.edition = target_id AND n.query = t.query AND n.doc = t.doc
          LEFT JOIN qrels o ON o.edition = t.edition AND o.query = t.query AND o.doc = t.doc
         WHERE t.standing = 1 AND t.drawn GROUP BY t.query HAVING count(n.doc) > 0),
    stored AS (
        INSERT INTO qrels_strata (edition, query, doc, stratum, drawn, hidden)
        SELECT target_id, t.query, t.doc, t.stratum, t.drawn, is_hidden
          FROM stratum t JOIN kept k ON k.query = t.query WHERE t.standing = 1 AND k.same)
    SELECT count(*) FILTER (WHERE NOT k.same) INTO unsampled FROM kept k;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.derive_edition(text, text[], text, jsonb, text[], text[], text, boolean) IS
    'Creates an edition from others, one judgment per query and document: final decisions, then the best origin, then '
    'a rule for several annotators';
