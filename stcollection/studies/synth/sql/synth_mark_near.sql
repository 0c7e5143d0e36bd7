-- synth_mark_near: store the nearest query of each subtopic, and which subtopics are set aside as near-duplicates.
-- Reviewed subtopics do not change. The arrays are parallel. Returns the number of subtopics without a review that are
-- set aside.
CREATE OR REPLACE FUNCTION synth_mark_near(
    subtopics bigint[], nearest text[], nearest_query text[], words double precision[], cosine double precision[],
    near boolean[])
RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp AS $$
BEGIN
    UPDATE synth_subtopics s
       SET nearest = m.nearest, nearest_query = m.nearest_query, words = m.words, cosine = m.cosine, near = m.near
      FROM unnest(synth_mark_near.subtopics, synth_mark_near.nearest, synth_mark_near.nearest_query,
                  synth_mark_near.words, synth_mark_near.cosine, synth_mark_near.near)
               AS m (id, nearest, nearest_query, words, cosine, near)
     WHERE s.id = m.id AND s.verdict IS NULL;
    RETURN (SELECT count(*) FROM synth_subtopics s WHERE s.near AND s.verdict IS NULL);
END
$$;
COMMENT ON FUNCTION synth_mark_near(bigint[], text[], text[], double precision[], double precision[], boolean[]) IS
    'Stores the nearest query of each subtopic and whether it is set aside; returns the number set aside';
