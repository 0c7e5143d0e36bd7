-- remove_rows: trigger that removes what new rows of the table removals name, and then these rows.
--
--   run         a run with its rankings           unfinished   an unfinished run
--   edition     an edition with its judgments     file         the judgments that a file added to an edition
--   system      a system that users added
--
-- Who may remove what is decided when a row is inserted, by the row policies of removals: they see the role that
-- inserts, whoever started the session. While a row is there, triggers allow what they refuse otherwise
-- (qrels_append_only, edition_sealed).
--
-- Safe because: it reads numbers from rows that a row policy has accepted, and removes these rows of our tables; no
-- role may call it or put it on a table.
CREATE OR REPLACE FUNCTION remove_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    DELETE FROM public.st1_runs n USING added a WHERE a.kind = 'run' AND n.id = a.id;
    DELETE FROM own_systems s USING added a WHERE a.kind = 'system' AND s.id = a.id;
    DELETE FROM unfinished_runs u USING added a WHERE a.kind = 'unfinished' AND u.id = a.id;
    DELETE FROM qrels_judgments j USING added a CROSS JOIN LATERAL file_removal(a.id::integer) r
     WHERE a.kind = 'file' AND j.edition = r.edition AND j.id = ANY (r.ids);
    DELETE FROM qrels_strata s USING added a JOIN qrels_files f ON f.id = a.id
     WHERE a.kind = 'file' AND s.edition = f.edition
       AND NOT EXISTS (SELECT FROM qrels_judgments j WHERE j.edition = s.edition AND j.query = s.query);
    DELETE FROM qrels_files f USING added a JOIN qrels_files o ON o.id = a.id
     WHERE a.kind = 'file' AND f.edition = o.edition AND f.path = o.path AND f.sha256 IS NOT DISTINCT FROM o.sha256;
    DELETE FROM qrels_judgments j USING added a WHERE a.kind = 'edition' AND j.edition = a.id;
    DELETE FROM qrels_editions e USING added a WHERE a.kind = 'edition' AND e.id = a.id;
    DELETE FROM removals r USING added a WHERE (r.kind, r.id) = (a.kind, a.id);
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION remove_rows() IS 'Trigger: removes the runs, editions and judgments that new rows of removals name';
CREATE OR REPLACE TRIGGER removals_remove AFTER INSERT ON removals
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION remove_rows();
