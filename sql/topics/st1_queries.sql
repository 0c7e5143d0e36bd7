-- st1_queries: the queries in the layout in which the collection was published, with the name of their topic. The
-- table stc.st1_queries has its number, here topic_id.
--
-- Rows can be inserted, updated and deleted (write_query); ON CONFLICT needs the table.
CREATE OR REPLACE VIEW public.st1_queries WITH (security_invoker = true) AS
SELECT q.id, q.query, t.topic, q.text, q.origin, q.model, q.prompt, q.source, q.reviewer, q.topic AS topic_id
  FROM stc.st1_queries q
  LEFT JOIN public.st1_topics t ON t.id = q.topic;
COMMENT ON VIEW public.st1_queries IS 'Queries as published: (query, topic, text), with the name of the topic';
COMMENT ON COLUMN public.st1_queries.id IS 'number of the query';
COMMENT ON COLUMN public.st1_queries.query IS 'name of the query';
COMMENT ON COLUMN public.st1_queries.topic IS 'name of its topic; NULL if the query has none';
COMMENT ON COLUMN public.st1_queries.text IS
    'text of the query; NULL: a stub, known only from a run or from judgments';
COMMENT ON COLUMN public.st1_queries.origin IS 'human, or the kind of generator, as t5 or gpt-4';
COMMENT ON COLUMN public.st1_queries.model IS 'model that generated the query';
COMMENT ON COLUMN public.st1_queries.prompt IS 'prompt the query was generated with: llm_prompts.id';
COMMENT ON COLUMN public.st1_queries.source IS 'document the query was generated from: dblp.id';
COMMENT ON COLUMN public.st1_queries.reviewer IS 'person who reviewed the generated query; NULL: not reviewed';
COMMENT ON COLUMN public.st1_queries.topic_id IS 'number of its topic: st1_topics.id';
ALTER VIEW public.st1_queries ALTER COLUMN origin SET DEFAULT 'human';
