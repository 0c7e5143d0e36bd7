-- collection_problems: rows that contradict each other, and indexes that do not match their rows. No row: nothing was
-- found.
--
--   duplicate      documents with the same docno, passages with the same position. A unique key prevents them on one
--                  server; a distributed collection has none
--   orphan         rows of judgments, runs, vectors and other tables that refer to a document or passage that is not
--                  stored. Foreign keys prevent them on one server
--   wrong ranks    rankings with gaps, repeated documents or scores above the previous one. Triggers prevent them
--   incomplete     documents without their text or their facts. Triggers add facts on one server
--   stale index    the text index or a vector index does not match the rows
--   invalid index  an interrupted CREATE INDEX CONCURRENTLY leaves such an index, which no search uses
--
-- rows: number of duplicate names, of rows that refer to missing ones, of rankings, or of documents; NULL for an index.
-- examples: at most five names. advice: the next step.
--
-- Reads all documents. Rows that row-level security hides from the current role are not checked.
CREATE OR REPLACE FUNCTION collection_problems()
RETURNS TABLE (problem text, relation text, rows bigint, examples text[], advice text)
LANGUAGE plpgsql STABLE ROWS 5 SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    one record;
BEGIN
    SELECT count(*) AS names, (array_agg(n.docno ORDER BY n.docno))[:5]::text[] AS docnos INTO one
      FROM (SELECT d.docno FROM dblp d GROUP BY d.docno HAVING count(*) > 1) n;
    IF one.names > 0 THEN
        RETURN QUERY VALUES ('duplicate', 'dblp', one.names, one.docnos, format(
            'Find their ids: SELECT id, docno FROM dblp WHERE docno = %L; then delete all but one: DELETE FROM dblp '
            'WHERE id = …;', one.docnos[1]));
    END IF;
    SELECT count(*) AS places, (array_agg(DISTINCT n.doc))[:5]::text[] AS docs INTO one
      FROM (SELECT p.doc, p.position FROM dblp_passages p GROUP BY p.doc, p.position HAVING count(*) > 1) n;
    IF one.places > 0 THEN
        RETURN QUERY VALUES ('duplicate', 'dblp_passages', one.places, one.docs, format(
            'Delete the passages of these documents: DELETE FROM dblp_passages WHERE doc = ANY (%L); then run '
            '''stc vectors passages''.', one.docs));
    END IF;

    FOR one IN
        SELECT r.relation, c.relname::text AS name, r.attribute, p.parent, o.missing
          FROM unnest('{dblp,dblp_text,dblp_passages}'::text[]) p (parent)
         CROSS JOIN LATERAL referencing(p.parent::regclass) r
          JOIN pg_class c ON c.oid = r.relation
         CROSS JOIN LATERAL missing_parents(r.relation, r.attribute, p.parent::regclass) o
         WHERE cardinality(o.missing) > 0
         ORDER BY p.parent, c.relname
    LOOP
        EXECUTE format('SELECT count(*) FROM %s c WHERE c.%I = ANY ($1)', one.relation, one.attribute)
           INTO rows USING one.missing;
        RETURN QUERY VALUES ('orphan', one.name, rows, one.missing[:5]::text[], CASE
            WHEN one.name IN ('qrels_judgments', 'qrels_preferences')  -- append-only
            THEN 'Load the documents again, or remove the edition: SELECT stc.drop_edition(edition);'
            WHEN one.name = 'st1_rankings'
            THEN 'Load the documents again, or remove the runs that rank them with ''stc drop runs''.'
            ELSE format('%s delete these rows: DELETE FROM %s WHERE %I = ANY (%L);%s',
                        CASE one.parent WHEN 'dblp_passages' THEN 'Their passages are gone:'
                                        ELSE 'Load the documents again, or' END,
                        one.relation, one.attribute, one.missing[:5],
                        CASE WHEN cardinality(one.missing) > 5 THEN ' and so on' END) END);
    END LOOP;

    SELECT count(*) AS lists, array_agg(DISTINCT n.run) AS runs INTO one
      FROM (SELECT l.run, l.query
              FROM (SELECT k.run, k.query, k.docs,
                           k.first <> lag(k.first + cardinality(k.docs), 1, 1) OVER ranked
                           OR trec_score(lag(k.rel_scores[cardinality(k.docs)], 1, 'Infinity') OVER ranked)
                              < trec_score(k.rel_scores[1])
                           OR EXISTS (SELECT FROM generate_series(2, cardinality(k.docs)) AS u (place)
                                       WHERE trec_score(k.rel_scores[u.place - 1])
                                             < trec_score(k.rel_scores[u.place])) AS wrong
                      FROM ranked_lists k WINDOW ranked AS (PARTITION BY k.run, k.query ORDER BY k.first)) l
             CROSS JOIN LATERAL unnest(l.docs) AS u (doc)
             GROUP BY l.run, l.query HAVING bool_or(l.wrong) OR count(DISTINCT u.doc) < count(*)) k
      JOIN st1_runs n ON n.id = k.run;
    IF one.lists > 0 THEN
        RETURN QUERY VALUES ('wrong ranks', 'st1_rankings', one.lists, one.runs[:5]::text[], format(
            'Import the files of these runs again with ''stc load --as runs --replace'', or remove the runs: '
            'SELECT drop_runs(%L);', one.runs[:5]));
    END IF;

    SELECT count(*) AS docs, (array_agg(d.docno ORDER BY d.docno))[:5]::text[] AS docnos INTO one
      FROM dblp d LEFT JOIN dblp_text t ON t.id = d.id LEFT JOIN dblp_facts f ON f.id = d.id
     WHERE NOT d.stub AND (t.id IS NULL OR f.id IS NULL);
    IF one.docs > 0 THEN
        RETURN QUERY VALUES ('incomplete', 'dblp', one.docs, one.docnos,
            'Remove these documents with ''stc drop documents'', then load their file again.');
    END IF;

    RETURN QUERY
    SELECT 'stale index', 'dblp_text', NULL::bigint, '{}'::text[],
           concat(s.note, CASE WHEN s.note IS NOT NULL THEN '. ' END, CASE WHEN s.lost > 0 THEN format(
               'The BM25 index does not find %s of %s. ', counted(s.lost),
               counted(s.documents, 'document')) END, 'Run ''stc index''.')
      FROM text_status(verify => true) s WHERE s.built IS NOT NULL AND NOT s.sound;
    RETURN QUERY
    SELECT 'stale index', concat(s.model, ' ', s.field), NULL::bigint, '{}'::text[],
           regexp_replace(s.advice, '^(.*): (stc .*)$', '\1. Run ''\2''.')
      FROM vector_status() s WHERE s.stale;
    RETURN QUERY
    SELECT 'invalid index', i.indrelid::regclass::text, NULL::bigint, ARRAY[i.indexrelid::regclass::text],
           format('Drop it: DROP INDEX %s; then run ''stc db upgrade'', or build it again.', i.indexrelid::regclass)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE NOT i.indisvalid AND c.relkind = 'i'
       AND c.relnamespace IN ('public'::regnamespace, 'stc'::regnamespace, 'stc_all'::regnamespace)
     ORDER BY 2;
END
$$;
COMMENT ON FUNCTION collection_problems() IS
'Duplicate docnos, rows that refer to missing documents, and indexes that do not match their rows, with advice';
