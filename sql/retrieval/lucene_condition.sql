-- lucene_condition: convert a node of a Lucene query (see lucene_search) to an SQL condition on t (dblp_text), d
-- (dblp_facts) and b (dblp), with the whole query as its parameter $2 and the node at a path of it.
--
-- Values of the query never become part of the condition, only their paths. NULL for a node without a word that counts.
-- A document whose value is unknown (no year) does not match a node about it. "not" is always IS NOT TRUE, so that
-- unknown is false.
-- Raises IR202 an invalid node.
CREATE OR REPLACE FUNCTION lucene_condition(node jsonb, path text[] DEFAULT '{}')
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    words tsquery;
    field text := lucene_condition.node ->> 'field';
    part record;
    condition text;
    separation CONSTANT text := text_words();
    must text[] := '{}';
    should text[] := '{}';
    must_not text[] := '{}';
BEGIN
    IF coalesce(jsonb_typeof(lucene_condition.node), '') <> 'object' OR EXISTS (
        SELECT FROM jsonb_each(lucene_condition.node) e
         WHERE e.key IN ('must', 'filter', 'should', 'must_not', 'docnos') AND jsonb_typeof(e.value) <> 'array')
    THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('%s is not a node of a query', left(lucene_condition.node::text, 80)),
            HINT = 'Write {"must": [{"text": "privacy"}], "must_not": [{"text": "games"}]}.';
    END IF;
    -- SELECT: evaluated once, not for each row.
    words := lucene_text(lucene_condition.node);
    IF words IS NOT NULL THEN
        RETURN CASE WHEN numnode(words) > 0 THEN format('t.tsv @@ (SELECT lucene_text($2 #> %L))', path) END;
    END IF;
    CASE
        WHEN node ? 'text' THEN
            IF field = 'doc_type' THEN
                RETURN format('lower(d.doc_type) = lower($2 #>> %L)', path || '{text}');
            ELSIF field IN ('venue', 'authors', 'fos') THEN
                RETURN format(
                    'to_tsvector(''simple'', %s) @@ piece_query(''simple'', %L, NULL, $2 #>> %L, %L)::tsquery',
                    CASE WHEN field <> 'venue' THEN format(
                             -- JSON, so that no phrase extends over two names
                             'to_jsonb(ARRAY(SELECT indexed_words(n #>> ''{}'', %L)'
                             ' FROM jsonb_path_query(b.doc, %L) n))',
                             separation, '$.' || field || '[*].name')
                         ELSE format('indexed_words(d.venue, %L)', separation) END,
                    CASE node ->> 'kind' WHEN 'prefix' THEN 'prefix' ELSE 'phrase' END, path || '{text}', separation);
            END IF;
        WHEN node ? 'fact' THEN
            field := CASE node ->> 'fact' WHEN 'year' THEN 'd.year' WHEN 'citations' THEN 'd.n_citation'
                                          WHEN 'references' THEN 'd.n_reference' END;
            IF field IS NOT NULL THEN
                RETURN concat_ws(' AND ', field || ' IS NOT NULL',
                    CASE WHEN node ->> 'from' IS NOT NULL
                         THEN format('%s >= ($2 #>> %L)::integer', field, path || '{from}') END,
                    CASE WHEN node ->> 'to' IS NOT NULL
                         THEN format('%s <= ($2 #>> %L)::integer', field, path || '{to}') END);
            END IF;
        WHEN node ? 'docnos' THEN
            RETURN format('t.id IN (SELECT n.id FROM dblp n WHERE n.docno IN (SELECT jsonb_array_elements_text($2 #> '
                          '%L)))',
                          path || '{docnos}');
        WHEN node ? 'exists' THEN
            condition := CASE node ->> 'exists'
                WHEN 'title' THEN 't.title <> ''''' WHEN 'abstract' THEN 't.abstract <> '''''
                WHEN 'content' THEN 't.content <> '''''
                WHEN 'year' THEN 'd.year IS NOT NULL' WHEN 'citations' THEN 'd.n_citation IS NOT NULL'
                WHEN 'references' THEN 'd.n_reference IS NOT NULL' WHEN 'doc_type' THEN 'd.doc_type IS NOT NULL'
                WHEN 'venue' THEN 'd.venue IS NOT NULL' WHEN 'docno' THEN 'true'
                WHEN 'authors' THEN 'b.doc @? ''$.authors[*].name''' WHEN 'fos' THEN 'b.doc @? ''$.fos[*].name''' END;
            IF condition IS NOT NULL THEN
                RETURN condition;
            END IF;
        WHEN node ? 'all' THEN
            RETURN 'true';
        WHEN node ? 'none' THEN
            RETURN 'false';
        WHEN node ?| '{must,filter,should,must_not}' THEN
            FOR part IN SELECT k.key, c.value, c.place - 1 AS place
                          FROM unnest('{must,filter,should,must_not}'::text[]) k (key),
                               jsonb_array_elements(node -> k.key) WITH ORDINALITY c (value, place)
            LOOP
                condition := '(' || lucene_condition(part.value, path || ARRAY[part.key, part.place::text]) || ')';
                CONTINUE WHEN condition IS NULL;
                CASE part.key
                    WHEN 'should' THEN should := should || condition;
                    WHEN 'must_not' THEN must_not := must_not || condition;
                    ELSE must := must || condition;
                END CASE;
            END LOOP;
            IF should <> '{}' AND (must = '{}' OR (node -> 'minimum')::integer > 0) THEN
                must := must || ('(' || array_to_string(should, ' OR ') || ')');
            END IF;
            RETURN nullif(concat_ws(' AND ', nullif(array_to_string(must, ' AND '), ''),
                                    '(' || nullif(array_to_string(must_not, ' OR '), '') || ') IS NOT TRUE'), '');
        ELSE
            NULL;
    END CASE;
    RAISE EXCEPTION USING ERRCODE = 'IR202',
        MESSAGE = format('%s is not a node of a query', left(lucene_condition.node::text, 80)),
        HINT = 'Text fields are content, title, abstract, venue, authors, fos, doc_type; facts are year, citations, '
                      'references.';
END
$$;
COMMENT ON FUNCTION lucene_condition(jsonb, text[]) IS 'Part of lucene_search: convert a node to an SQL condition';
