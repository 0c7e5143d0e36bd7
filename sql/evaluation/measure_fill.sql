-- measure_fill: fill the placeholders in the formula of a measure, for use in score_statement.
--
-- The placeholders are listed in measures.toml. {L} and {G} are the index of the relevance level and of the gain, in
-- names such as s.ideal_{G}; {subtopics} is the FROM item of a measure of subtopics.
--
-- n: position of the measure in the statement. base: number of values in the numbers of earlier measures.
CREATE OR REPLACE FUNCTION measure_fill(formula text, n integer, base integer, level integer, gain integer, rules text)
    RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT replace(replace(replace(regexp_replace(replace(replace(f.filled, '{subtopics}',
                '(SELECT r.rank, m.size, row_number() OVER (PARTITION BY m.subtopic ORDER BY r.rank) AS k'
                ' FROM unnest(l.relevant, l.grades) AS r (rank, number)'
                ' JOIN unnest(s.numbers_{L}, s.subtopics_{L}, s.sizes_{L}) AS m (number, subtopic, size)'
                ' USING (number))'),
                '{S}', 's.covered_{L}'), '\{(\d+)\}', '$4[' || base || ' + \1]', 'g'),
                                   '{k}', format('$3[%s]', n)), '{L}', level::text), '{G}', gain::text)
      FROM (SELECT replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(formula,
                '{decay}', 'CASE WHEN (u.rank - 1) * ln(nullif({1}, 0)) > -600 THEN {1} ^ (u.rank - 1) ELSE (u.rank = '
                           '1)::integer END'),
                '{hits}', 'width_bucket({k}, {ranks})'), '{found}', 'cardinality({ranks})'),
                '{ranks}', 'a.relevant_{L}'), '{irrelevant}', 'a.irrelevant_{L}'), '{R}', 's.rel_{L}'), '{N}',
                's.non_{L}'),
                '{retrieved}', 'l.retrieved'), '{judged}', '(cardinality(l.relevant) + cardinality(l.irrelevant))'),
                '{slack}', CASE rules WHEN 'trec_eval 10' THEN '0.5' ELSE '0.9' END) AS filled) f
$$;
COMMENT ON FUNCTION measure_fill(text, integer, integer, integer, integer, text) IS
    'The formula of a measure with its placeholders filled; see score_statement';
