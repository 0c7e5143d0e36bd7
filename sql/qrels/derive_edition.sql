-- derive_edition: makes an edition from one or several others, with one judgment a query and document.
--
-- Of all judgments of a document those of the best origin count: human before llm before knn, whatever edition they are
-- in. An annotator has one vote: that in the edition named first. rule says what several annotators come to:
--
--   first      what the view qrels says: the earliest, of the edition named first
--   majority   the grade most of them gave; of equally many the lower one
--   median     the lower one of the two in the middle, where they are even
--   max, min   the highest, the lowest
--
-- For all but first a negative grade (pooled, not judged) is no vote where another is. scale: a mapping {theirs: ours},
-- done before the rule. origins, annotators: those that count; NULL is all. The new judgment names its annotator, or
-- the rule where several voted, with their grades in note. Split, year and scale are the sources' where they agree. The
-- ledger holds the sources as edition:NAME. It is hidden, and simulated, where one of its sources is.
-- combined: documents with several votes; differing: those of them that were not of one mind.
-- Raises IR102 no such edition, IR202 the new one exists, no such rule, a source named twice, a grade not in scale;
-- IR405 no judgment.
CREATE OR REPLACE FUNCTION public.derive_edition(
    edition text, sources text[], rule text DEFAULT 'first', scale jsonb DEFAULT NULL, origins text[] DEFAULT NULL,
    annotators text[] DEFAULT NULL)
RETURNS TABLE (queries bigint, judgments bigint, combined bigint, differing bigint)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    source_ids integer[] := ARRAY(SELECT edition_key(s.name)
                                    FROM unnest(derive_edition.sources) WITH ORDINALITY AS s (name, place)
                                   ORDER BY s.place);
    target_id integer;
    is_hidden boolean;
    unmapped smallint;
BEGIN
    IF coalesce(trim(derive_edition.edition), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%L is no name of an edition', derive_edition.edition),
            HINT = 'A name has at least one letter, as train or 2024-test.';
    END IF;
    PERFORM check_name('edition', derive_edition.edition);
    IF EXISTS (SELECT FROM qrels_editions e WHERE e.edition = derive_edition.edition COLLATE "C") THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('there is an edition %L already', derive_edition.edition),
            HINT = 'Give the new one another name; ''stc qrels drop'' removes an edition.';
    ELSIF derive_edition.rule IS NULL OR derive_edition.rule NOT IN ('first', 'majority', 'median', 'max', 'min') THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('there is no rule %L', derive_edition.rule),
            HINT = 'The rules are first, majority, median, max and min.';
    ELSIF cardinality(source_ids) = 0 OR (SELECT count(DISTINCT s.id) FROM unnest(source_ids) AS s (id))
        < cardinality(source_ids) THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'the sources are none, or one is named twice',
            HINT = 'Name each source edition once, the one that goes first first.';
    END IF;
    SELECT j.rel INTO unmapped FROM qrels_judgments j
     WHERE derive_edition.scale IS NOT NULL AND j.edition = ANY (source_ids)
       AND derive_edition.scale ->> j.rel::text IS NULL
     ORDER BY j.rel LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('the grade %s is not in the mapping', unmapped),
            HINT = format('Say what it becomes: --map %s=….', unmapped);
    END IF;

    INSERT INTO qrels_editions (edition, description, split, year, scale, hidden, simulated)
    SELECT derive_edition.edition,
           format('%s%s%s', string_agg(e.edition, ', ' ORDER BY s.place),
                  '; of several annotators: ' || derive_edition.rule,
                  '; grades by ' || derive_edition.scale::text),
           CASE WHEN count(DISTINCT e.split) = 1 AND count(e.split) = count(*) THEN min(e.split) END,
           CASE WHEN count(DISTINCT e.year) = 1 AND count(e.year) = count(*) THEN min(e.year) END,
           coalesce(derive_edition.scale, CASE WHEN count(DISTINCT e.scale) = 1 AND count(e.scale) = count(*)
                                               THEN min(e.scale::text)::jsonb END),
           bool_or(e.hidden), bool_or(e.simulated)
      FROM unnest(source_ids) WITH ORDINALITY AS s (id, place) JOIN qrels_editions e ON e.id = s.id
    RETURNING id, hidden INTO target_id, is_hidden;

    WITH vote AS MATERIALIZED (
        SELECT DISTINCT ON (j.query, j.doc, j.origin, j.annotator)
               j.*, s.place, coalesce((derive_edition.scale ->> j.rel::text)::smallint, j.rel) AS grade,
               origin_precedence(j.origin) AS precedence
          FROM unnest(source_ids) WITH ORDINALITY AS s (id, place) JOIN qrels_judgments j ON j.edition = s.id
         WHERE (derive_edition.origins IS NULL OR j.origin = ANY (derive_edition.origins))
           AND (derive_edition.annotators IS NULL OR j.annotator = ANY (derive_edition.annotators))
         ORDER BY j.query, j.doc, j.origin, j.annotator, s.place),
    best AS (
        SELECT v.*, rank() OVER (PARTITION BY v.query, v.doc ORDER BY v.precedence) AS standing,
               v.grade >= 0 OR max(v.grade) OVER (PARTITION BY v.query, v.doc, v.precedence) < 0 AS counts
          FROM vote v),
    said AS MATERIALIZED (
        SELECT b.query, b.doc, b.origin, (array_agg(b.edition ORDER BY b.place, b.id))[1] AS source,
               CASE derive_edition.rule
                   WHEN 'first' THEN (array_agg(b.grade ORDER BY b.place, b.id))[1]
                   WHEN 'majority' THEN mode() WITHIN GROUP (ORDER BY b.grade) FILTER (WHERE b.counts)
                   WHEN 'median' THEN percentile_disc(0.5) WITHIN GROUP (ORDER BY b.grade) FILTER (WHERE b.counts)
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
               count(*) > 1 AS combined, count(DISTINCT b.grade) > 1 AS differing
          FROM best b WHERE b.standing = 1 GROUP BY b.query, b.doc, b.origin),
    stored AS (
        INSERT INTO qrels_judgments (edition, query, doc, rel, origin, annotator, source_doc, similarity, judged, note,
                                     hidden)
        SELECT target_id, s.query, s.doc, s.rel, s.origin, s.annotator, s.source_doc, s.similarity, s.judged,
               s.note, is_hidden
          FROM said s ORDER BY s.query, s.doc),
    ledger AS (
        INSERT INTO qrels_files (edition, path, sha256, judgments, added)
        SELECT target_id, 'edition:' || e.edition, edition_fingerprint(e.edition),
               (SELECT count(*) FROM qrels j WHERE j.edition = e.id),
                      (SELECT count(*) FROM said d WHERE d.source = e.id)
          FROM unnest(source_ids) WITH ORDINALITY AS s (id, place) JOIN qrels_editions e ON e.id = s.id
         ORDER BY s.place)
    SELECT count(DISTINCT s.query), count(*), count(*) FILTER (WHERE s.combined), count(*) FILTER (WHERE s.differing)
      INTO queries, judgments, combined, differing FROM said s;
    IF judgments = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405', MESSAGE = 'the sources have no such judgment',
            HINT = 'Which origins and annotators there are: ''stc qrels editions --format json'', and the table '
                   'qrels_judgments.';
    END IF;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION public.derive_edition(text, text[], text, jsonb, text[], text[]) IS
    'Makes an edition from others, one judgment a query and document: by origin, then by a rule for several annotators';
