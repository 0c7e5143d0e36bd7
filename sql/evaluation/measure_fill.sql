-- measure_fill: the formula of a measure with its placeholders filled, as score_statement puts it into a statement.
--
--   {k}           the cutoff, 0 without one           {1}, {2}, …   the numbers: parameters, shares, coefficients
--   {R}           relevant documents, NULL for none   {N}           documents judged not relevant
--   {ranks}       ranks of the relevant documents retrieved, ascending
--   {irrelevant}  ranks of the documents retrieved that are judged not relevant, ascending
--   {retrieved}   documents retrieved                 {found}       relevant ones       {judged}  judged ones
--   {hits}        relevant documents among the first k
--   {decay}       {1}^(u.rank - 1), 0 below 1e-260: PostgreSQL raises an error on underflow
--   {slack}       what rounds a share of R: 0.9 by trec_eval 9, 0.5 by trec_eval 10
--   {L}, {G}      the places of the relevance level and of the gain, in names such as s.ideal_{G}
--
-- n: the place of the measure in the statement, base: how many numbers the measures before it have.
CREATE OR REPLACE FUNCTION measure_fill(formula text, n integer, base integer, level integer, gain integer, rules text)
    RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = stc, public, pg_temp AS $$
    SELECT replace(replace(replace(regexp_replace(f.filled, '\{(\d+)\}', '$4[' || base || ' + \1]', 'g'),
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
