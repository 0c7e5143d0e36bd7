-- stc_rights: who may do what with each table, the decision that grant_rights carries out. A table that is not here
-- nobody but its owner may touch; a test wants each to be here.
--
-- r is SELECT, a INSERT, w UPDATE, d DELETE, as psql's \dp has them. Which rows of them is said by policies
-- (put_policies): of hidden editions and of other teams' runs none. Organisers see all, and write what is judged, run
-- and loaded by statements; tables and indexes are made by owners.
-- Where a table has an identity column, a and w are granted on the other columns alone (grant_rights).
-- The tables of further models (add_vector_model) are as dblp_v is.
-- schema: public for the tables that people join with, stc for the rest; partitions are in stc.
CREATE OR REPLACE FUNCTION stc_rights()
RETURNS TABLE (relation text, participant text, reader text, organiser text, schema text)
LANGUAGE sql STABLE SET search_path = stc, public, pg_temp AS $$
    SELECT w.relation, g.participant, g.reader, g.organiser, g.schema
      FROM (VALUES
           -- what the collection is: for all to read
           ('r', 'r', 'rawd', 'public', '{dblp,dblp_facts,dblp_text,dblp_v,dblp_p,dblp_passages,st1_complexity_metrics,
              st1_topics,st1_queries,
              query_v}'),
           ('r', 'r', 'rawd', 'stc', '{corpus_files,corpus_chunks,corpus_rejects,topic_files,text_index,text_lexemes,
              text_lengths,vector_models,
              vector_indexes,complexity_resources,citation_ranks,credibility_basis,coverages,coverage_topics}'),
           -- what is judged, by rows: where it is not hidden
           ('r', 'r', 'rawd', 'public', '{qrels_editions,qrels_judgments,qrels_preferences,st1_scores}'),
           ('r', 'r', 'rawd', 'stc', '{qrels_files,query_cuts}'),
           -- runs, by rows: a participant stores those of the own team, says of them what grant_rights names by column,
           -- and drops them by drop_runs: UPDATE, DELETE or TRUNCATE on a table would let a role lock it against
           -- everybody
           ('ra', 'r', 'rawd', 'public', '{st1_runs,st1_rankings}'),
           -- answers; gold and labels by rows, where the set is not hidden
           ('r', 'r', 'rawd', 'stc', '{answer_sets,answer_files,answer_queries,answer_documents,answer_sentences,
              answers,answer_pairs,
              answer_gold,answer_models,answer_relations,answer_runs,answer_clusters,answer_predictions}'),
           -- how it was judged, what others handed in, and what follows from hidden judgments
           ('', '', 'rawd', 'stc', '{qrels_pools,qrels_pool_documents,qrels_assessments,llm_prompts,llm_judges,
              llm_answers,run_receipts,
              annotators,annotations,synth_studies,synth_passages,synth_candidates,answer_rejects,
              judged_runs,judged_queries,
              judged_rankings,judged_scores,ask_allowances}'),
           -- asking is by functions alone: nobody writes here what was asked
           ('', '', 'r', 'stc', '{ask_counts,ask_requests,ask_rankings,stc_settings}'),
           ('r', '', 'r', 'stc', '{stc_members}'),
           -- what every command looks at first
           ('r', 'r', 'r', 'public', '{stc_objects,stc_catalogue,alembic_version}')
           ) AS g (participant, reader, organiser, schema, relations)
     CROSS JOIN LATERAL unnest(g.relations::text[]) AS w (relation)
     UNION ALL
    SELECT o.relation, 'r', 'r', 'rawd', 'public'
      FROM (SELECT DISTINCT u.relation
              FROM vector_models m, unnest(ARRAY[m.relation, regexp_replace(m.relation, '^dblp_v', 'dblp_p')]) AS u (
                      relation)) o
     WHERE o.relation NOT IN ('dblp_v', 'dblp_p')
$$;
COMMENT ON FUNCTION stc_rights() IS 'Who may do what with each table: r SELECT, a INSERT, w UPDATE, d DELETE';
