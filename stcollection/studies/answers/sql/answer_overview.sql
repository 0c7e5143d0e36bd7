-- answer_overview: contents of each split of the data sets of answer verification. unplaced: given answers whose
-- address matches no document of their query; contradictory: pairs with two labels.
CREATE OR REPLACE VIEW answer_overview WITH (security_invoker = true) AS
SELECT s.set, s.split, q.queries, d.documents, a.answers, a.unplaced, p.pairs, p.label_1, p.label_0, p.contradictory,
       p.support, p.neutral, p.oppose, g.gold_queries, g.gold, q.templates, r.runs
  FROM answer_sets s
 CROSS JOIN LATERAL (
       SELECT count(*) AS queries, count(DISTINCT q.template) AS templates FROM answer_queries q WHERE q.set = s.id) q
 CROSS JOIN LATERAL (
       SELECT count(*) AS documents FROM answer_documents d JOIN answer_queries q ON q.id = d.query
        WHERE q.set = s.id) d
 CROSS JOIN LATERAL (
       SELECT count(*) AS answers, count(*) FILTER (WHERE a.document IS NULL) AS unplaced
         FROM answers a JOIN answer_queries q ON q.id = a.query WHERE q.set = s.id AND a.source = 'given') a
 CROSS JOIN LATERAL (
       SELECT count(*) AS pairs, count(*) FILTER (WHERE p.label = 1) AS label_1,
              count(*) FILTER (WHERE p.label = 0) AS label_0,
              count(*) FILTER (WHERE p.label IS NULL) AS contradictory,
              count(*) FILTER (WHERE p.relation = 'support') AS support,
              count(*) FILTER (WHERE p.relation = 'neutral') AS neutral,
              count(*) FILTER (WHERE p.relation = 'oppose') AS oppose
         FROM answer_pairs p JOIN answer_queries q ON q.id = p.query WHERE q.set = s.id) p
 CROSS JOIN LATERAL (
       SELECT count(DISTINCT g.query) AS gold_queries, count(*) AS gold
         FROM answer_gold g JOIN answer_queries q ON q.id = g.query WHERE q.set = s.id) g
 CROSS JOIN LATERAL (SELECT count(*) AS runs FROM answer_runs r WHERE r.set = s.id) r
 ORDER BY s.set, array_position('{train,dev,test}', s.split);
COMMENT ON VIEW answer_overview IS
    'Contents of each split of the data sets of answer verification: numbers of queries, documents, answers, '
    'pairs, gold and runs';
