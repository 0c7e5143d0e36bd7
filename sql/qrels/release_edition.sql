-- release_edition: make a hidden edition visible to participants and readers, and record when and by whom. Returns true
-- if it was hidden.
-- Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION release_edition(edition text) RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    edition_id CONSTANT integer := edition_key(release_edition.edition);
BEGIN
    UPDATE qrels_editions e SET hidden = false, released = clock_timestamp(), released_by = current_user
     WHERE e.id = edition_id AND e.hidden;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION release_edition(text) IS
    'Makes a hidden edition visible to participants and readers; returns true if it was hidden';
