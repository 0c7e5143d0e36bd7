-- measure_p_ia: mean precision over the subtopics.
--
--   P-IA@k = mean over the S subtopics of the documents relevant to the subtopic among the first k, divided by k
--   (Agrawal et al., Diversifying Search Results, WSDM 2009)
--
-- Equal to ndeval. Ranks are the stored ones: trec_eval's order, which ndeval uses with -traditional. pyndeval and
-- ir_measures order documents with equal scores the other way round, by ascending docno.
CREATE OR REPLACE FUNCTION measure_p_ia(numbers integer) RETURNS TABLE (documents text, gain text, value text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '{subtopics} u', NULL,
           'coalesce(count(*) FILTER (WHERE u.rank <= {k}) / ({k} * {S}), 0)'
$$;
COMMENT ON FUNCTION measure_p_ia(integer) IS 'Formula of p_ia: mean precision over the subtopics';
