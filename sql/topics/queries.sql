-- queries: the queries by name, each with its topic, its form (query_type) and its origin.
CREATE OR REPLACE VIEW public.queries WITH (security_invoker = true) AS
SELECT q.query, t.topic, q.text, query_type(q.text) AS type, q.origin, q.model
  FROM st1_queries q
  LEFT JOIN st1_topics t ON t.id = q.topic;
COMMENT ON VIEW public.queries IS 'Queries by name, with topic, form and origin';
COMMENT ON COLUMN public.queries.query IS 'name of the query';
COMMENT ON COLUMN public.queries.topic IS 'name of its topic; NULL if the query has none';
COMMENT ON COLUMN public.queries.text IS 'words of the query; NULL if known only from a run or judgments';
COMMENT ON COLUMN public.queries.type IS 'form of an English query: question-word, yes-no, question, keyword, phrase';
COMMENT ON COLUMN public.queries.origin IS 'human, or the kind of generator: t5, gpt-4, …';
COMMENT ON COLUMN public.queries.model IS 'model that generated the query; NULL if unknown or human';
