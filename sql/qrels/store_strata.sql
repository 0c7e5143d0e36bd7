-- store_strata: store the stratum of each document of a sampled pool in an edition. The arrays have one element per
-- document; edition, queries and docs are keys.
--
--   drawn    the document was drawn for judging
--   source   a file or pool, for messages
--
-- The strata of a query come from one sample, because their sizes are counted from these rows. The same strata can be
-- stored again.
-- Raises IR302 the edition has other strata for a query, IR407 a sealed edition.
CREATE OR REPLACE FUNCTION store_strata(
    edition integer, queries integer[], docs bigint[], strata text[], drawn boolean[], source text) RETURNS void
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    bad record;
BEGIN
    INSERT INTO qrels_strata (edition, query, doc, stratum, drawn, hidden)
    SELECT store_strata.edition, g.query, g.doc, g.stratum, g.drawn,
           (SELECT e.hidden FROM qrels_editions e WHERE e.id = store_strata.edition)
      FROM unnest(store_strata.queries, store_strata.docs, store_strata.strata, store_strata.drawn)
           AS g (query, doc, stratum, drawn)
    ON CONFLICT DO NOTHING;
    SELECT q.query, d.docno, coalesce(g.stratum, 'none') AS here, coalesce(s.stratum, 'none') AS stored INTO bad
      FROM unnest(store_strata.queries, store_strata.docs, store_strata.strata, store_strata.drawn)
           AS g (query, doc, stratum, drawn)
      FULL JOIN (SELECT t.query, t.doc, t.stratum, t.drawn FROM qrels_strata t
                  WHERE t.edition = store_strata.edition AND t.query = ANY (store_strata.queries)) s
        ON s.query = g.query AND s.doc = g.doc
      JOIN st1_queries q ON q.id = coalesce(g.query, s.query)
      JOIN dblp d ON d.id = coalesce(g.doc, s.doc)
     WHERE (g.stratum, g.drawn) IS DISTINCT FROM (s.stratum, s.drawn)
     ORDER BY q.query, d.docno LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s: the edition has another sample for query %s: the stratum of document %s is %s here '
                             'and %s there', store_strata.source, bad.query, bad.docno, bad.here, bad.stored),
            HINT = 'The strata of a query come from one sample. Use another --edition. Nothing was stored.';
    END IF;
END
$$;
COMMENT ON FUNCTION store_strata(integer, integer[], bigint[], text[], boolean[], text) IS
    'Stores the stratum of each document of a sampled pool in an edition';
CREATE OR REPLACE TRIGGER qrels_strata_count_insert AFTER INSERT ON stc_all.qrels_strata
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
CREATE OR REPLACE TRIGGER qrels_strata_count_insert_visible AFTER INSERT ON stc.qrels_strata
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_judgments();
