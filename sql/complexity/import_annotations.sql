-- import_annotations: store the grades of the temporary table incoming_annotations (stage_annotations) in annotations,
-- all or none.
--
-- Grades that are already stored count as unchanged, so that a file can be imported again. A grade that differs from
-- the stored one is IR302, or is updated and counted as changed with replace. Repeated rows with the same grade count
-- as duplicates; with another grade they are IR302.
-- source: name of the file, for messages and annotations.source. Concurrent imports wait for each other.
-- Raises IR301 an invalid aspect or grade, documents that are not stored (with the first names), an annotator in two
-- groups, in the file or compared with the stored one; IR302; IR405 no rows.
CREATE OR REPLACE FUNCTION import_annotations(source text DEFAULT 'incoming_annotations', replace boolean DEFAULT false)
RETURNS TABLE (grades bigint, documents bigint, annotators bigint, added bigint, changed bigint, unchanged bigint,
               duplicates bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    bad record;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('import_annotations', 0));
    ANALYZE pg_temp.incoming_annotations;
    SELECT i.* INTO bad FROM pg_temp.incoming_annotations i
     WHERE i.aspect NOT IN ('complexity', 'credibility') OR i.grade NOT BETWEEN 0 AND 2 ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: invalid grade: %s %s', import_annotations.source, bad.line, bad.aspect, bad.grade),
            HINT = 'A grade of complexity or credibility must be 0, 1 or 2.';
    END IF;
    SELECT i.line, i.annotator, i.annotator_group, i.first_line, i.first_group INTO bad
      FROM (SELECT line, annotator, annotator_group, first_value(line) OVER who AS first_line,
                   first_value(annotator_group) OVER who AS first_group
              FROM pg_temp.incoming_annotations WINDOW who AS (PARTITION BY annotator ORDER BY line)) i
     WHERE i.annotator_group <> i.first_group ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: annotator %s is in the group %L here and in %L on line %s',
                             import_annotations.source, bad.line,
                             bad.annotator, bad.annotator_group, bad.first_group, bad.first_line),
            HINT = 'An annotator belongs to one group. Use different names for different people.';
    END IF;
    SELECT i.line, i.annotator, i.annotator_group, a.annotator_group AS stored INTO bad
      FROM pg_temp.incoming_annotations i JOIN annotators a ON a.annotator = i.annotator
     WHERE a.annotator_group <> i.annotator_group ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: annotator %s is in the group %L here and stored in %L',
                             import_annotations.source, bad.line,
                             bad.annotator, bad.annotator_group, bad.stored),
            HINT = 'An annotator belongs to one group: write the stored group (''stc show annotations''), '
                   'or use another name.';
    END IF;
    WITH missing AS (
        SELECT i.docno, min(i.line) AS line FROM pg_temp.incoming_annotations i
         WHERE NOT EXISTS (SELECT FROM dblp d WHERE d.docno = i.docno) GROUP BY i.docno ORDER BY 2 LIMIT 11)
    SELECT min(m.line) AS line, count(*) AS n,
           (SELECT count(DISTINCT i.docno) FROM pg_temp.incoming_annotations i
             WHERE NOT EXISTS (SELECT FROM dblp d WHERE d.docno = i.docno)) AS documents,
           (array_agg(m.docno ORDER BY m.line))[1] AS docno,
           string_agg(format('%s (line %s)', m.docno, m.line), ', ' ORDER BY m.line)
               FILTER (WHERE m.line > (SELECT min(line) FROM missing)) AS further
      INTO bad FROM missing m;
    IF bad.documents > 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s:%s: document %s is not stored', import_annotations.source, bad.line, bad.docno)
                      || CASE WHEN bad.documents > 1 THEN format('; %s more: ', bad.documents - 1) || bad.further
                              || CASE WHEN bad.documents > bad.n THEN ', …' ELSE '' END ELSE '' END,
            HINT = 'Load the corpus first (stc load --as corpus), or delete these lines. Nothing was stored.';
    END IF;

    SELECT i.line, i.docno, i.annotator, i.aspect, i.grade, i.first_line, i.first_grade INTO bad
      FROM (SELECT line, docno, annotator, aspect, grade, first_value(line) OVER item AS first_line,
                   first_value(grade) OVER item AS first_grade
              FROM pg_temp.incoming_annotations WINDOW item AS (PARTITION BY docno, annotator, aspect ORDER BY line)) i
     WHERE i.grade <> i.first_grade ORDER BY i.line LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s:%s: %s of document %s by %s is %s here and %s on line %s',
                             import_annotations.source, bad.line,
                             bad.aspect, bad.docno, bad.annotator, bad.grade, bad.first_grade, bad.first_line),
            HINT = 'An annotator gives a document one grade. Delete one of the lines.';
    END IF;
    SELECT count(*), count(DISTINCT (i.docno, i.annotator, i.aspect)), count(DISTINCT i.docno),
           count(DISTINCT i.annotator)
      INTO duplicates, grades, documents, annotators FROM pg_temp.incoming_annotations i;
    IF grades = 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'IR405',
            MESSAGE = format('%s has no grade to store', import_annotations.source),
            HINT = 'Check that the columns complexity and credibility are filled.';
    END IF;
    duplicates := duplicates - grades;
    IF NOT coalesce(import_annotations.replace, false) THEN
        SELECT i.line, i.docno, i.annotator, i.aspect, i.grade, a.grade AS stored INTO bad
          FROM pg_temp.incoming_annotations i JOIN dblp d ON d.docno = i.docno
          JOIN annotations a ON (a.doc, a.aspect, a.annotator) = (d.id, i.aspect, i.annotator)
         WHERE a.grade <> i.grade ORDER BY i.line LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'IR302',
                MESSAGE = format('%s:%s: %s of document %s by %s is %s here and stored as %s',
                                 import_annotations.source, bad.line,
                                 bad.aspect, bad.docno, bad.annotator, bad.grade, bad.stored),
                HINT = 'Use --replace to change stored grades, or another name for the annotator.';
        END IF;
    END IF;

    INSERT INTO annotators (annotator, annotator_group)
    SELECT DISTINCT i.annotator, i.annotator_group
      FROM pg_temp.incoming_annotations i ON CONFLICT (annotator) DO NOTHING;
    UPDATE annotations a SET grade = i.grade, source = import_annotations.source, annotated = now()
      FROM pg_temp.incoming_annotations i JOIN dblp d ON d.docno = i.docno
     WHERE (a.doc, a.aspect, a.annotator) = (d.id, i.aspect, i.annotator) AND a.grade <> i.grade;
    GET DIAGNOSTICS changed = ROW_COUNT;
    INSERT INTO annotations (doc, aspect, annotator, grade, source)
    SELECT DISTINCT d.id, i.aspect, i.annotator, i.grade, import_annotations.source
      FROM pg_temp.incoming_annotations i JOIN dblp d ON d.docno = i.docno
    ON CONFLICT (doc, aspect, annotator) DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    unchanged := grades - added - changed;
    DROP TABLE pg_temp.incoming_annotations;
    RETURN NEXT;
END
$$;
COMMENT ON FUNCTION import_annotations(text, boolean) IS
'Store the grades of the temporary table incoming_annotations in annotations, all or none';
