-- bundle_manifest: contents of a bundle of the collection, as in its bundle.json: counts, runs and editions with their
-- facts and fingerprints, sets of queries, and names and seals of hidden editions. 'stc bundle make' adds files.
--
-- sha256 is text_fingerprint over all documents (the hash of the hashes of "docno sha256", ordered by docno as bytes),
-- run_fingerprint and edition_fingerprint. fingerprint is that of the seal. Times are in UTC.
CREATE OR REPLACE FUNCTION bundle_manifest() RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    WITH facts AS MATERIALIZED (
        SELECT e.hidden, e.edition, e.made, jsonb_build_object(
                   'edition', e.edition, 'description', e.description, 'split', e.split, 'year', e.year,
                   'scale', e.scale, 'simulated', e.simulated, 'made', utc_time(e.made), 'sealed', utc_time(e.sealed),
                   'fingerprint', e.fingerprint, 'judgments', o.judgments, 'origins', o.origins,
                   'subtopics', o.subtopic_judgments,
                   'preferences', (SELECT count(*) FROM qrels_preferences p WHERE p.edition = e.id),
                   'strata', (SELECT count(*) FROM qrels_strata s WHERE s.edition = e.id),
                   'imported', (SELECT count(*) FROM st1_scores s WHERE s.edition = e.id)) AS fact
          FROM qrels_editions e JOIN edition_overview o ON o.edition = e.edition)
    SELECT jsonb_build_object(
        'collection', current_database(),
        'newest', (SELECT coalesce(to_char(max(m.made) AT TIME ZONE 'UTC', 'YYYY-MM-DD'), '1970-01-01')
                     FROM (SELECT made FROM st1_runs UNION ALL SELECT made FROM facts WHERE NOT hidden) m),
        'documents', (
            SELECT jsonb_build_object('references', count(*), 'sha256', encode(sha256(coalesce(string_agg(
                       sha256(convert_to(concat(d.docno, ' ', text_fingerprint(t.title, t.abstract)), 'UTF8')), ''
                       ORDER BY d.docno COLLATE "C"), '')), 'hex'))
              FROM dblp d LEFT JOIN dblp_text t ON t.id = d.id WHERE NOT d.stub)
            || jsonb_build_object('licences', (
                SELECT coalesce(jsonb_agg(jsonb_build_object('licence', l.licence, 'documents', l.documents)
                                          ORDER BY l.licence COLLATE "C" NULLS LAST), '[]')
                  FROM (SELECT licence, sum(documents) AS documents FROM corpus_licences() GROUP BY licence) l)),
        'topics', (SELECT count(*) FROM st1_topics),
        'queries', (SELECT count(*) FROM st1_queries WHERE text IS NOT NULL),
        'sets', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', s.name, 'expression', s.expression, 'description',
                                                              s.description) ORDER BY s.name COLLATE "C"), '[]')
                   FROM query_sets s),
        'runs', (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'run', n.run, 'team', n.team, 'tag', n.tag, 'manual', n.manual, 'family', n.family,
                       'params', plain_metadata(n.params), 'shared', n.shared, 'made', utc_time(n.made),
                       'sha256', CASE WHEN EXISTS (SELECT FROM st1_rankings r WHERE r.run = n.id)
                                      THEN run_fingerprint(n.run) END) ORDER BY n.run COLLATE "C"), '[]')
              FROM st1_runs n),
        'editions', (
            SELECT coalesce(jsonb_agg(f.fact || jsonb_build_object('sha256', edition_fingerprint(f.edition))
                                      ORDER BY f.edition COLLATE "C"), '[]')
              FROM facts f WHERE NOT f.hidden),
        'hidden', (
            SELECT coalesce(jsonb_agg(jsonb_build_object(
                       'edition', f.edition, 'split', f.fact -> 'split', 'year', f.fact -> 'year',
                       'sealed', f.fact -> 'sealed', 'fingerprint', f.fact -> 'fingerprint')
                       ORDER BY f.edition COLLATE "C"), '[]')
              FROM facts f WHERE f.hidden))
$$;
COMMENT ON FUNCTION bundle_manifest() IS
    'What a bundle of the collection contains: counts, runs and editions with their fingerprints, and sets of queries';
