-- stc_rights: the rights of each role on each table; grant_rights applies them. Only the owner has rights on a table
-- that is not listed; a test checks that all are.
--
-- r is SELECT, a INSERT, w UPDATE, d DELETE, as in psql's \dp. Participants and readers have no right on the schema
-- stc_all, which has the rows of hidden editions and whatever else only organisers read. Policies (put_policies) hide
-- other teams' runs from them. Organisers see everything, and write judgments, runs and loaded data; only owners create
-- tables and indexes. Nobody but the owner changes or deletes judgments: drop_edition and drop_file do, and count it.
-- On a table with an identity column, a and w are granted on the other columns only (grant_rights).
-- Tables of further models (add_vector_model, build_impacts) have the same rights as dblp_v. Those of a study have the
-- rights that an upgrade recorded from its description (studies), also while the study is not installed.
-- schema: public for tables that users join, stc for others that members use, stc_all for all others. Of two tables
-- with one name, the one in stc_all has all rows, and the other one the visible rows. If public has a view
-- with the name of a table of stc, joins use the view, which has the published names.
CREATE OR REPLACE FUNCTION stc_rights()
RETURNS TABLE (relation text, participant text, reader text, organiser text, schema text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = stc_all, stc, public, pg_temp AS $$
    SELECT w.relation, g.participant, g.reader, g.organiser, g.schema
      FROM (VALUES
           -- the data of the collection: all roles read it
           ('r', 'r', 'rawd', 'public', '{dblp,dblp_facts,dblp_text,dblp_v,dblp_p,dblp_passages,st1_topics,query_v}'),
           ('r', 'r', 'rawd', 'stc', '{st1_complexity_metrics,st1_queries,corpus_files,corpus_chunks,
              corpus_rejects,corpus_snapshots,topic_files,query_sets,text_index,text_lexemes,text_lengths,vector_models,
              vector_indexes,vector_terms,complexity_resources,citation_ranks,credibility_basis,own_measures}'),
           -- judgments: visible rows, and all rows
           ('r', 'r', 'ra', 'public', '{qrels_judgments,qrels_preferences,qrels_subtopics}'),
           ('r', 'r', 'rawd', 'public', '{st1_scores}'),
           ('r', 'r', 'r', 'public', '{qrels_editions}'),
           ('r', 'r', 'r', 'stc', '{hidden_names}'),
           ('r', 'r', 'rawd', 'stc', '{ask_allowances}'),
           ('r', 'r', 'ra', 'stc', '{qrels_strata}'),
           ('r', 'r', 'rawd', 'stc', '{qrels_files,query_cuts,
              judged_runs,judged_queries,judged_rankings,judged_scores}'),
           ('', '', 'ra', 'stc_all', '{qrels_judgments,qrels_preferences,qrels_subtopics,qrels_strata}'),
           ('', '', 'raw', 'stc_all', '{qrels_editions}'),
           ('', '', 'rawd', 'stc_all', '{st1_scores,qrels_files,query_cuts,
              judged_runs,judged_queries,judged_rankings,judged_scores}'),
           -- runs: participants insert runs of their team, update the columns that grant_rights names, and delete
           -- with drop_runs. A role with UPDATE, DELETE or TRUNCATE on the table could lock it against all others.
           ('ra', 'r', 'rawd', 'public', '{st1_runs}'),
           ('ra', 'r', 'rawd', 'stc', '{ranked_lists}'),
           -- unfinished runs: participants see and insert their own, readers have none
           ('ra', 'r', 'rawd', 'stc', '{unfinished_runs,unfinished_rankings}'),
           -- systems: participants see those for everybody, and insert and see their own
           ('ra', 'r', 'rawd', 'stc', '{own_systems}'),
           -- how documents were judged, data from other people, and values derived from hidden judgments
           ('', '', 'rawd', 'stc_all', '{qrels_pools,qrels_pool_documents,qrels_pool_undrawn,qrels_assessments,
              qrels_comparisons,qrels_decisions,
              llm_prompts,llm_judges,llm_answers,run_receipts,
              annotators,annotations,build_recipes,build_steps}'),
           ('', '', 'ra', 'stc_all', '{qrels_reviews}'),
           -- requests that triggers carry out (remove_rows, take_request): policies decide which rows a role inserts
           ('a', '', 'ra', 'stc', '{removals}'),
           ('a', '', '', 'stc', '{ask_calls}'),
           -- score requests: triggers write these tables; participants see those of their team
           ('r', 'r', 'r', 'stc', '{ask_counts,ask_requests}'),
           ('', '', 'r', 'stc_all', '{ask_rankings,stc_settings,study_rows}'),
           ('r', 'r', 'r', 'stc', '{stc_members}'),
           -- read by every command at its start; stc_rights would grant what a role writes into studies
           ('r', 'r', 'r', 'stc', '{studies}'),
           ('r', 'r', 'r', 'public', '{stc_objects,stc_catalogue,alembic_version}')
           ) AS g (participant, reader, organiser, schema, relations)
     CROSS JOIN LATERAL unnest(g.relations::text[]) AS w (relation)
     UNION ALL
    SELECT o.relation, 'r', 'r', 'rawd', 'public'
      FROM (SELECT DISTINCT u.relation
              FROM vector_models m, unnest(ARRAY[m.relation, regexp_replace(m.relation, '^dblp_v', 'dblp_p')]) AS u (
                      relation)) o
     WHERE o.relation NOT IN ('dblp_v', 'dblp_p')
     UNION ALL
    SELECT vector_index_name(m.relation, i.field, 'impacts'), 'r', 'r', 'rawd', 'stc'
      FROM vector_indexes i JOIN vector_models m USING (model) WHERE i.kind = 'impact'
     UNION ALL
    SELECT t.relation, t.participant, t.reader, t.organiser, t.schema
      FROM studies s CROSS JOIN LATERAL jsonb_to_recordset(s.rights)
           AS t (relation text, participant text, reader text, organiser text, schema text)
$$;
COMMENT ON FUNCTION stc_rights() IS 'Rights of each role on each table: r SELECT, a INSERT, w UPDATE, d DELETE';
