-- hide_edition: hide an edition from participants and readers, with its judgments, preferences, subtopic judgments
-- and scores. Returns true
-- if it was open.
--
-- Information that they have already read is not protected. The function makes one update: the rows follow by their
-- foreign keys, into the partitions for hidden data. A sealed edition can be hidden too.
-- Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION hide_edition(edition text) RETURNS boolean
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    edition_id CONSTANT integer := edition_key(hide_edition.edition);
BEGIN
    UPDATE qrels_editions e SET hidden = true, released = NULL, released_by = NULL
        WHERE e.id = edition_id AND NOT e.hidden;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION hide_edition(text) IS 'Hides an edition from participants and readers; returns true if it was open';
