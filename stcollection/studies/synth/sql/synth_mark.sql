-- synth_mark: mark duplicates among the candidates of a study, and return their number. A duplicate has the same words
-- (plain_words, in order) as another candidate or a stored query.
--
-- Of several equal candidates the first is kept: a chosen or published one, else by place of the document, origin and
-- number, so that the result does not depend on the order of generation. Earlier marks are computed again.
CREATE OR REPLACE FUNCTION synth_mark(study integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = stc_all, stc, public, pg_temp SET jit = off AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM synth_studies s WHERE s.id = synth_mark.study FOR NO KEY UPDATE;
    WITH asked AS MATERIALIZED (SELECT DISTINCT plain_words(q.text) AS words FROM st1_queries q
                                 WHERE q.text IS NOT NULL),
    worded AS MATERIALIZED (
        SELECT c.id, c.doc, c.origin, c.number, c.dropped, plain_words(c.text) AS words, c.chosen
               OR c.query IS NOT NULL AS kept
          FROM synth_candidates c
         WHERE c.study = synth_mark.study AND c.text IS NOT NULL AND (c.dropped IS NULL OR c.dropped = 'duplicate')),
    ordered AS (
        SELECT w.*, row_number() OVER (
                   PARTITION BY w.words ORDER BY w.kept DESC, p.place, w.origin COLLATE "C", w.number) AS place
          FROM worded w JOIN synth_passages p ON p.study = synth_mark.study AND p.doc = w.doc),
    told AS (
        SELECT o.id, o.dropped,
               CASE WHEN NOT o.kept AND (o.place > 1 OR EXISTS (SELECT FROM asked a WHERE a.words = o.words))
                    THEN 'duplicate' END AS now
          FROM ordered o)
    UPDATE synth_candidates c SET dropped = t.now FROM told t WHERE c.id = t.id AND t.now IS DISTINCT FROM t.dropped;
    RETURN (SELECT count(*) FROM synth_candidates c WHERE c.study = synth_mark.study AND c.dropped = 'duplicate');
END
$$;
COMMENT ON FUNCTION synth_mark(integer) IS 'Marks duplicates among the candidates of a study and returns their number';
