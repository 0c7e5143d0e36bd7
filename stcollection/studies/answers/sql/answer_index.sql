-- answer_index: split all documents of a split into sentences in answer_sentences, with the title as number 0. Returns
-- the number of sentences added.
--
-- Repeated or concurrent calls add nothing twice. Raises IR113 no such data set.
CREATE OR REPLACE FUNCTION answer_index(set text, split text) RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = stc_all, stc, public, pg_temp AS $$
DECLARE
    set_id integer := answer_set_key(answer_index.set, answer_index.split);
    added bigint;
BEGIN
    INSERT INTO answer_sentences (document, place, text, terms)
    SELECT d.id, s.place, s.text, answer_terms(s.text)
      FROM answer_queries q JOIN answer_documents d ON d.query = q.id,
           LATERAL (SELECT 0 AS place, d.title AS text
                    UNION ALL SELECT n.place::integer, n.text
                      FROM unnest(answer_sentences_of(d.text)) WITH ORDINALITY n (text, place)) s
     WHERE q.set = set_id AND NOT EXISTS (SELECT FROM answer_sentences k WHERE k.document = d.id AND k.place = 0)
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS added = ROW_COUNT;
    RETURN added;
END
$$;
COMMENT ON FUNCTION answer_index(text, text) IS
    'Adds the sentences of the documents of a split that are not indexed yet; returns the number added';
