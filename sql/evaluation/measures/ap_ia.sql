-- measure_ap_ia: mean average precision over the subtopics.
--
--   AP-IA = mean over the S subtopics of AP for the subtopic
--   (Agrawal et al., Diversifying Search Results, WSDM 2009; MAP-IA of ndeval)
--
-- Equal to ndeval. Ranks are the stored ones: trec_eval's order, which ndeval uses with -traditional. pyndeval and
-- ir_measures order documents with equal scores the other way round, by ascending docno.
CREATE OR REPLACE FUNCTION measure_ap_ia(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{subtopics} u', NULL,
           'coalesce(sum(u.k / (u.rank::double precision * u.size)) / {S}, 0)'
$$;
COMMENT ON FUNCTION measure_ap_ia(integer) IS 'Formula of ap_ia: mean average precision over the subtopics';
