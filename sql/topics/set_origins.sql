-- set_origins: set the origin of stored queries: human or a kind of generator (t5, gpt-4, …), the model, and the source
-- document of each. All queries change, or none.
--
-- The arrays are parallel, one element per query. model and source (a docno) may be NULL, which keeps the stored value.
-- origin_line: where each row comes from ("origins.tsv:12"), used in messages. changed: number of queries whose values
-- changed.
-- Raises IR103 no such query, IR104 no such document, IR202 an origin that means several (all, synthetic, a+b),
-- contains blanks or a separator (: / ,) or is longer than 60 characters, IR301 no origin, IR302 a query with two
-- different rows.
CREATE OR REPLACE FUNCTION set_origins(
    query text[], origin text[], model text[], source text[], origin_line text[], OUT queries bigint,
    OUT changed bigint)
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
    bad record;
BEGIN
    CREATE TEMP TABLE incoming_origins ON COMMIT DROP AS
        SELECT i.query, q.id, i.origin, i.model, i.source, d.id AS doc, i.origin_line, i.place
          FROM unnest(set_origins.query, set_origins.origin, set_origins.model, set_origins.source,
                      set_origins.origin_line)
               WITH ORDINALITY AS i (query, origin, model, source, origin_line, place)
          LEFT JOIN st1_queries q ON q.query = i.query COLLATE "C"
          LEFT JOIN dblp d ON d.docno = i.source COLLATE "C";
    SELECT * INTO bad FROM pg_temp.incoming_origins i WHERE coalesce(i.origin, '') = '' ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR301',
            MESSAGE = format('%s: the query %L has no origin', bad.origin_line, bad.query),
            HINT = 'Use human, or the kind of generator: t5, gpt-4, …. Nothing was stored.';
    END IF;
    SELECT * INTO bad FROM pg_temp.incoming_origins i
     WHERE i.origin IN ('all', 'synthetic') OR i.origin ~ '[\s[:cntrl:]+:/,]' OR length(i.origin) > 60
         ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s: %L cannot be an origin', bad.origin_line, left(bad.origin, 60)),
            HINT = 'Use a short name without blanks and + : / , such as gpt-4. all, synthetic and a+b mean several '
                   'origins.';
    END IF;
    SELECT i.*, count(*) OVER () AS others INTO bad FROM pg_temp.incoming_origins i WHERE i.id IS NULL
     ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('%s: there is no query %L%s', bad.origin_line, bad.query,
                             CASE WHEN bad.others > 1 THEN format(', and %s more are not stored', bad.others - 1) END),
            HINT = 'Load queries with ''stc load --as topics''. Nothing was stored.';
    END IF;
    SELECT i.* INTO bad FROM pg_temp.incoming_origins i WHERE i.source IS NOT NULL AND i.doc IS NULL
     ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR104',
            MESSAGE = format('%s: there is no document %L', bad.origin_line, bad.source),
            HINT = 'The source of a query must be the docno of a stored document. Nothing was stored.';
    END IF;
    SELECT b.query, b.origin_line, a.origin_line AS first INTO bad
      FROM pg_temp.incoming_origins a JOIN pg_temp.incoming_origins b ON a.id = b.id AND a.place < b.place
     WHERE (a.origin, a.model, a.doc) IS DISTINCT FROM (b.origin, b.model, b.doc) ORDER BY b.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s: the query %L has another origin, model or source at %s', bad.origin_line, bad.query,
                             bad.first),
            HINT = 'Keep one line per query. Nothing was stored.';
    END IF;
    SELECT count(DISTINCT i.id) INTO queries FROM pg_temp.incoming_origins i;
    PERFORM FROM st1_queries q  -- lock in a fixed order, so that concurrent calls wait and do not deadlock
      WHERE q.id IN (SELECT i.id FROM pg_temp.incoming_origins i) ORDER BY q.id FOR NO KEY UPDATE;
    UPDATE st1_queries q
       SET origin = i.origin, model = coalesce(i.model, q.model), source = coalesce(i.doc, q.source)
      FROM pg_temp.incoming_origins i
     WHERE q.id = i.id
       AND (q.origin, q.model, q.source) IS DISTINCT FROM (i.origin, coalesce(i.model, q.model),
                                                           coalesce(i.doc, q.source));
    GET DIAGNOSTICS changed = ROW_COUNT;
    DROP TABLE pg_temp.incoming_origins;
END
$$;
COMMENT ON FUNCTION set_origins(text[], text[], text[], text[], text[]) IS
'Set the origin, model and source document of stored queries; all or none';
