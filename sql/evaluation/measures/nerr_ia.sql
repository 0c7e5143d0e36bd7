-- measure_nerr_ia: ERR-IA divided by that of the ideal ranking.
--
--   nERR-IA@k = ERR-IA@k / ERR-IA@k of the ideal ranking (subtopic_ideals, alpha 0.5); 0 without a relevant document
--   (Chapelle et al., Intent-based Diversification of Web Search Results, Information Retrieval 14(6), 2011; ndeval)
--
-- Equal to ndeval. Ranks are the stored ones: trec_eval's order, which ndeval uses with -traditional. pyndeval and
-- ir_measures order documents with equal scores the other way round, by ascending docno.
CREATE OR REPLACE FUNCTION measure_nerr_ia(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{subtopics} u', '0.5',
           'coalesce(sum(stc.fading(0.5, u.k) / u.rank) FILTER (WHERE u.rank <= {k})
        / (SELECT sum(i.gain / i.rank)
             FROM unnest(s.ideal_gains_{G}[:{k}]) WITH ORDINALITY AS i (gain, rank)), 0)'
$$;
COMMENT ON FUNCTION measure_nerr_ia(integer) IS 'Formula of nerr_ia: ERR-IA divided by that of the ideal ranking';
