-- hide_edition: hides an edition from participants and readers, its judgments, preferences and scores with it: to them
-- it is not there. Returns whether it was open. What they could not see of it before stays so; what they have seen they
-- know.
--
-- One update: the rows follow by their foreign keys, into the partitions of what is hidden. A sealed edition can be
-- hidden too.
-- Raises IR102 no such edition.
CREATE OR REPLACE FUNCTION hide_edition(edition text) RETURNS boolean
LANGUAGE plpgsql SET search_path = stc, public, pg_temp AS $$
DECLARE
    edition_id CONSTANT integer := edition_key(hide_edition.edition);
BEGIN
    UPDATE qrels_editions e SET hidden = true, released = NULL, released_by = NULL
        WHERE e.id = edition_id AND NOT e.hidden;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION hide_edition(text) IS 'Hides an edition from participants and readers; returns whether it was open';
