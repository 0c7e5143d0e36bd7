-- check_judgments: trigger that refuses judgments of an unknown document, query or edition with PostgreSQL's error of a
-- foreign key (23503), once per statement.
--
-- It takes the place of the keys' own check of each new row, which skip_row_checks switches off, and which took half of
-- the time to store judgments. The keys stay. Their other half, which refuses to delete or change what judgments refer
-- to, and moves the judgments of an edition that is hidden or released, remains PostgreSQL's.
--
-- Like PostgreSQL's check, it locks the rows that the judgments refer to (FOR KEY SHARE), so that they are there until
-- the transaction ends: whoever deletes them waits, and a row whose deletion it waited for is unknown. A distributed
-- collection has no key to documents.
--
-- If a row was not found by the lock, but is there for the next statement, another session has just stored it: the loop
-- locks it.
--
-- SECURITY DEFINER, like PostgreSQL's checks of keys: locks need more rights than a role that adds judgments has.
--
-- Safe because: it only reads and locks rows that the caller's judgments name; no role may call it or attach it to a
-- table.
CREATE OR REPLACE FUNCTION check_judgments() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    docs CONSTANT bigint[] := ARRAY(SELECT DISTINCT k.doc
                                      FROM (SELECT a.doc FROM added a
                                             UNION ALL
                                            SELECT a.source_doc FROM added a WHERE a.source_doc IS NOT NULL) k);
    unknown bigint[];
    queries integer[];
    editions integer[];
    hiddens boolean[];
    there boolean;
    one record;
BEGIN
    SELECT array_agg(k.query), array_agg(k.edition), array_agg(k.hidden) INTO queries, editions, hiddens
      FROM (SELECT DISTINCT a.query, a.edition, a.hidden FROM added a) k;
    queries := ARRAY(SELECT DISTINCT unnest(queries));
    LOOP
        unknown := unknown_documents(docs, hold => true);
        there := unknown = '{}';
        IF there THEN
            SELECT count(*) = cardinality(queries) INTO there
              FROM (SELECT FROM st1_queries q WHERE q.id = ANY (queries) ORDER BY q.id FOR KEY SHARE) q;
        END IF;
        FOR one IN SELECT DISTINCT u.* FROM unnest(editions, hiddens) AS u (edition, hidden) ORDER BY 1, 2 LOOP
            PERFORM FROM qrels_editions e WHERE e.id = one.edition AND e.hidden = one.hidden FOR KEY SHARE;
            there := there AND FOUND;
        END LOOP;
        EXIT WHEN there;
        SELECT k.*, a.hidden INTO one
          FROM added a CROSS JOIN LATERAL (
               SELECT 'doc' AS attribute, 'doc' AS name, a.doc::text AS value, 'dblp' AS parent
                WHERE a.doc = ANY (unknown)
                UNION ALL
               SELECT 'edition, hidden', 'edition', concat_ws(', ', a.edition, a.hidden), 'qrels_editions'
                WHERE NOT EXISTS (SELECT FROM qrels_editions e WHERE e.id = a.edition AND e.hidden = a.hidden)
                UNION ALL
               SELECT 'query', 'query', a.query::text, 'st1_queries'
                WHERE NOT EXISTS (SELECT FROM st1_queries q WHERE q.id = a.query)
                UNION ALL
               SELECT 'source_doc', 'source_doc', a.source_doc::text, 'dblp'
                WHERE a.source_doc = ANY (unknown)) k
         LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = '23503',
                SCHEMA = CASE WHEN one.hidden THEN 'stc_all' ELSE 'public' END,
                TABLE = concat('qrels_judgments', CASE WHEN one.hidden THEN '_hidden' END),
                CONSTRAINT = format('qrels_judgments_%s_fkey', one.name),
                MESSAGE = format('insert or update on table "qrels_judgments%s" violates foreign key constraint '
                                 '"qrels_judgments_%s_fkey"', CASE WHEN one.hidden THEN '_hidden' END, one.name),
                DETAIL = format('Key (%s)=(%s) is not present in table "%s".', one.attribute, one.value, one.parent),
                HINT = 'Judgments contain ids: dblp.id, st1_queries.id, and id and hidden of qrels_editions.';
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION check_judgments() IS
    'Trigger: refuses judgments of an unknown document, query or edition, once per statement';
CREATE OR REPLACE TRIGGER qrels_judgments_check_insert AFTER INSERT ON stc_all.qrels_judgments
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_check_update AFTER UPDATE ON stc_all.qrels_judgments
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_check_insert_visible AFTER INSERT ON public.qrels_judgments
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_judgments();
CREATE OR REPLACE TRIGGER qrels_judgments_check_insert_hidden AFTER INSERT ON stc_all.qrels_judgments_hidden
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_judgments();
