-- filter_condition: convert a filter to an SQL condition on a row d of dblp_facts, with the filter as its parameter $1.
-- Only the keys of the filter affect the text of the condition; its values never become part of it, except that as_of
-- becomes the stored date of its snapshot. NULL for an empty filter (NULL, {}). EXECUTE plans the condition for the
-- parameter's value: what depends only on the filter is computed once, as a constant of the plan.
--
-- A filter is a JSON object; a document must match all of its keys:
--
--   year, citations     [from, to], either may be null; or a number         {"year": [2015, null]}
--   references          the same, number of references listed               {"references": [1, null]}
--   age                 the same, in years, as in the view credibility      {"age": [null, 5]}
--   citations_per_year  the same                                            {"citations_per_year": [10, null]}
--   citation_percentile the same, within its year and fields, 0 to 100      {"citation_percentile": [90, null]}
--   <measure>           the same, a column of st1_complexity_metrics        {"textstat_fkgl": [null, 12]}
--   venue               a name or a list, in any case; % matches any text   {"venue": ["sigir", "%information
--                       retrieval%"]}
--   licence             a licence or a list; none: documents without one    {"licence": ["cc-by", "cc0"]}
--   data_source         a format or data set, or a list                     {"data_source": "openalex"}
--   as_of               in the collection on that day (documents_as_of)     {"as_of": "2024-06-30"}
--   doc_type            a type or a list                                    {"doc_type": "Conference"}
--   text                a query of boolean_search                           {"text": "privacy -blockchain"}
--   author              a name or a list, as in the record                  {"author": "Ada Lovelace"}
--   judged              judged in that edition; with query, for that query  {"judged": "train", "query": "G01.1"}
--                       true: in any edition that the role can read; false: in none of them
--   excluded_for        not excluded for that query (exclude_documents)     {"excluded_for": "G01.1"}
--   docs, docnos        a list of dblp.id, or of docnos; unknown ones are   {"docnos": ["1234", "1235"]}
--                       ignored
--
-- A document whose value is unknown (no year, readability not computed) does not match.
-- Raises IR102 no such edition, IR103 no such query, IR115 no such licence, IR202 an unknown key or an invalid value,
-- IR405 as_of without snapshots, a readability measure if none is computed, citation_percentile if no document is
-- ranked.
CREATE OR REPLACE FUNCTION filter_condition(filter jsonb)
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = stc_all, stc, public, pg_temp
AS $$
DECLARE
    keys CONSTANT text[] :=
        '{year,citations,references,age,citations_per_year,citation_percentile,venue,author,doc_type,licence,'
        'data_source,as_of,text,judged,excluded_for,docs,docnos}';
    measures text[];
    conditions text[] := '{}';
    key text;
    wanted jsonb;
BEGIN
    IF filter_condition.filter IS NULL OR filter_condition.filter = '{}' THEN
        RETURN NULL;
    ELSIF jsonb_typeof(filter_condition.filter) <> 'object' THEN
        RAISE EXCEPTION USING ERRCODE = 'IR202',
            MESSAGE = format('a filter is a JSON object, not %s', left(filter::text, 80)),
            HINT = 'Write {"year": [2015, 2020], "venue": "sigir"}.';
    END IF;
    FOR key, wanted IN SELECT e.key, e.value FROM jsonb_each(filter_condition.filter) e LOOP
        CASE
            WHEN key = 'year' THEN
                conditions := conditions || filter_range(key, wanted, 'd.year', 'integer');
            WHEN key = 'citations' THEN
                conditions := conditions || filter_range(key, wanted, 'd.n_citation', 'integer');
            WHEN key = 'references' THEN
                conditions := conditions || filter_range(key, wanted, 'd.n_reference', 'integer');
            WHEN key IN ('age', 'citations_per_year', 'citation_percentile') THEN
                conditions := conditions || filter_credibility(key, wanted);
            WHEN key = 'venue' THEN
                PERFORM filter_list(key, wanted);
                conditions := conditions || CASE
                    WHEN wanted::text LIKE '%\%%' THEN 'd.venue ILIKE ANY (stc.filter_names($1 -> ''venue''))'
                    ELSE 'lower(d.venue) = ANY (stc.filter_names($1 -> ''venue'', true))'
                END;
            WHEN key = 'doc_type' THEN
                PERFORM filter_list(key, wanted);
                conditions := conditions || 'd.doc_type = ANY (stc.filter_names($1 -> ''doc_type''))'::text;
            WHEN key = 'licence' THEN
                PERFORM filter_list(key, wanted);
                PERFORM check_licences(filter_names(wanted));
                conditions := conditions ||
                    'coalesce(d.licence, ''none'') = ANY (stc.filter_licences($1 -> ''licence''))'::text;
            WHEN key = 'data_source' THEN
                PERFORM filter_list(key, wanted);
                conditions := conditions || 'd.data_source = ANY (stc.filter_names($1 -> ''data_source''))'::text;
            WHEN key = 'as_of' THEN
                conditions := conditions || format(
                    'stc.in_snapshot(d.first_date, d.last_date, d.absent, %L::date)', snapshot_at(wanted #>> '{}'));
            WHEN key = 'author' THEN
                PERFORM filter_list(key, wanted);
                conditions := conditions || 'EXISTS (SELECT 1 FROM dblp_authors a WHERE a.doc = d.id AND a.name = ANY '
                                            '(stc.filter_names($1 -> ''author'')))'::text;
            WHEN key = 'text' THEN
                IF jsonb_typeof(wanted) <> 'string' THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202',
                        MESSAGE = format('a filter''s text must be a query, not %s', left(wanted::text, 80)),
                        HINT = 'Write a query as for boolean_search: {"text": "privacy -blockchain"}.';
                END IF;
                conditions := conditions ||
                    'd.id IN (SELECT t.id FROM dblp_text t WHERE t.tsv @@ stc.parse_query($1 ->> ''text''))'::text;
            WHEN key = 'judged' THEN
                IF jsonb_typeof(wanted) <> 'boolean' THEN
                    PERFORM edition_key(wanted #>> '{}');
                END IF;
                conditions := conditions || concat(CASE WHEN wanted = 'false' THEN 'NOT ' END, filter_judged(concat(
                    'j.rel >= 0', CASE WHEN jsonb_typeof(wanted) <> 'boolean' THEN
                        ' AND j.edition = (SELECT e.id FROM qrels_editions e WHERE e.edition = $1 ->> ''judged'')' END,
                    CASE WHEN filter_condition.filter ? 'query' THEN
                        ' AND j.query = (SELECT q.id FROM st1_queries q WHERE q.query = $1 ->> ''query'')' END)));
            WHEN key = 'query' THEN
                IF NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = wanted #>> '{}') THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR103', MESSAGE = format('no query %s', left(wanted::text, 80)),
                        HINT = 'Name a stored query; judged and query select the documents judged for it.';
                ELSIF NOT filter_condition.filter ? 'judged' THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = 'a filter has the key query without judged',
                        HINT = 'Add the edition: {"judged": "train", "query": "G01.1"}.';
                END IF;
            WHEN key = 'excluded_for' THEN
                IF NOT EXISTS (SELECT FROM st1_queries q WHERE q.query = wanted #>> '{}') THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR103', MESSAGE = format('no query %s', left(wanted::text, 80)),
                        HINT = 'Name a stored query. The view excluded_documents lists those that exclude documents.';
                END IF;
                conditions := conditions || 'd.id <> ALL (coalesce((SELECT q.excluded FROM stc.st1_queries q '
                                            'WHERE q.query = $1 ->> ''excluded_for''), ''{}''))'::text;
            WHEN key = 'docs' THEN
                IF jsonb_typeof(wanted) <> 'array' OR jsonb_path_exists(
                    wanted, 'strict $[*] ? (@.type() != "number" || @ % 1 != 0 || @.abs() > 9223372036854775807)')
                THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202',
                        MESSAGE = format('a filter''s docs must be a list of dblp.id, not %s', left(wanted::text, 80)),
                        HINT = 'Write {"docs": [1, 2, 3]}, or use docnos for a list of names.';
                END IF;
                conditions := conditions || 'd.id = ANY (stc.filter_ids($1 -> ''docs''))'::text;
            WHEN key = 'docnos' THEN
                PERFORM filter_list(key, wanted);
                conditions := conditions || 'd.id IN (SELECT n.id FROM dblp n WHERE n.docno = ANY '
                                            '(stc.filter_names($1 -> ''docnos'')))'::text;
            ELSE
                SELECT array_agg(a.attname ORDER BY a.attnum) INTO measures FROM pg_attribute a
                 WHERE a.attrelid = 'public.st1_complexity_metrics'::regclass
                   AND a.atttypid = 'double precision'::regtype;
                IF key <> ALL (measures) THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR202', MESSAGE = format('a filter has no key %s', left(key, 80)),
                        HINT = concat('Did you mean ' || nearest_name(key, keys || measures) || '? ',
                            'The keys are ', array_to_string(keys, ', '),
                            ', query (with judged), and the readability measures ',
                            array_to_string(measures, ', '), '.');
                END IF;
                conditions := conditions || format(
                    'd.id IN (SELECT m.id FROM public.st1_complexity_metrics m WHERE %s)',
                    filter_range(key, wanted, format('m.%I', key), 'double precision'));
                IF NOT EXISTS (SELECT 1 FROM st1_complexity_metrics LIMIT 1) THEN
                    RAISE EXCEPTION USING ERRCODE = 'IR405',
                        MESSAGE = format('a filter has the key %s, but readability has not been computed', key),
                        HINT = 'Run stc complexity compute.';
                END IF;
        END CASE;
    END LOOP;
    RETURN array_to_string(conditions, ' AND ');
END
$$;
COMMENT ON FUNCTION filter_condition(jsonb) IS
'Convert a filter (JSON object of year, citations, credibility, venue, doc_type, text, judged, docs, readability) '
'to an SQL condition';
