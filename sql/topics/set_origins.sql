-- set_origins: says of stored queries what made them: people (human) or a kind of generator (t5, gpt-4, …), the model,
-- and the document each was generated from. All or none.
--
-- The arrays are parallel, one element a query; model and source (a docno) may be NULL, which leaves what there is.
-- origin_line says where each came from ("origins.tsv:12") and is part of the messages. changed: queries of which
-- something was said otherwise before.
-- Raises IR103 no such query, IR104 no such document, IR202 an origin that is a name for several (all, synthetic, a+b),
-- holds blanks or a sign that separates sets (: / ,), or has more than 60 letters, IR301 no origin, IR302 a query that
-- is said twice, and otherwise.
CREATE OR REPLACE FUNCTION set_origins(
    query text[], origin text[], model text[], source text[], origin_line text[], OUT queries bigint,
    OUT changed bigint)
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
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
            HINT = 'It is human, or what made it: t5, gpt-4, …; nothing was stored.';
    END IF;
    SELECT * INTO bad FROM pg_temp.incoming_origins i
     WHERE i.origin IN ('all', 'synthetic') OR i.origin ~ '[\s[:cntrl:]+:/,]' OR length(i.origin) > 60
         ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s: %L cannot be an origin', bad.origin_line, left(bad.origin, 60)),
            HINT = 'all, synthetic and a+b name several origins; a name is short, without blanks and + : / , as in '
                   'gpt-4.';
    END IF;
    SELECT i.*, count(*) OVER () AS others INTO bad FROM pg_temp.incoming_origins i WHERE i.id IS NULL
     ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR103',
            MESSAGE = format('%s: there is no query %L%s', bad.origin_line, bad.query,
                             CASE WHEN bad.others > 1 THEN format(', and %s more are not stored', bad.others - 1) END),
            HINT = '''stc topics load'' stores queries; nothing was stored.';
    END IF;
    SELECT i.* INTO bad FROM pg_temp.incoming_origins i WHERE i.source IS NOT NULL AND i.doc IS NULL
     ORDER BY i.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR104',
            MESSAGE = format('%s: there is no document %L', bad.origin_line, bad.source),
            HINT = 'The source of a query is the docno of a stored document; nothing was stored.';
    END IF;
    SELECT b.query, b.origin_line, a.origin_line AS first INTO bad
      FROM pg_temp.incoming_origins a JOIN pg_temp.incoming_origins b ON a.id = b.id AND a.place < b.place
     WHERE (a.origin, a.model, a.doc) IS DISTINCT FROM (b.origin, b.model, b.doc) ORDER BY b.place LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'IR302',
            MESSAGE = format('%s: the query %L is said otherwise at %s', bad.origin_line, bad.query, bad.first),
            HINT = 'One line a query; nothing was stored.';
    END IF;
    SELECT count(DISTINCT i.id) INTO queries FROM pg_temp.incoming_origins i;
    PERFORM FROM st1_queries q  -- in one order, so that two of these at once wait rather than block each other
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
    'Says of stored queries what made them: origin, model, source document; all or none';
