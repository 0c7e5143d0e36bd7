"""Internals move to the schema stc; public keeps what people type.

Objects move by ALTER … SET SCHEMA, so that rows, grants, policies, triggers, defaults and the views that others made on them stay
as they are. The files of sql/ then create public.NAME for what is public, and everything else in stc.
"""

from __future__ import annotations

from alembic import op

from stcollection.db import created
from stcollection.db.objects import REGISTERED_BY_NAME

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

# Routines and views of the revision before that stay in public. What it had besides moves, whatever the version that made it.
STAY = """
boolean_search bm25_search rm3_search dense_search passage_search rocchio_search hybrid_search lucene_search
system_search fuse fuse_runs make_run combine_run combine_tune tune_fusion pareto_front search_statement
dblp_knn_title qdblp_v_title knn document_neighbours embed_query passage_snippet audit_vectors
connect_embedding_service filter_docs drop_runs my_team ndcg precision_at recall_at reciprocal_rank
average_precision bpref judged_at evaluate scores mean_scores leaderboard readable_leaderboard run_readability
query_readability document_means zscores preference_scores group_scores relevance_strings judge_runs ask_scores
asked_scores score_requests hidden_editions compare_runs paired_scores unjudged_at retrieved reusability leave_out
sole_contributions impact impact_queries system_shifts origin_scores measure_quantiles rank_correlations
label_agreement agreement agreement_alpha agreement_confusion derive_edition edition_diff edition_rules
edition_fingerprint seal_edition verify_editions expand_qrels next_to_judge pool_conflicts pool_disagreements
dblp_authors dblp_citations corpus_references citation_counts credibility document_measures qrels st1_qrels_train
st1_qrels_train_knn edition_overview run_overview rankings
"""
# Tables that stay in public: alembic_version, stc_objects, stc_catalogue, query_v, dblp*, st1_*, and those of judgments.
MOVE = """
annotations annotators answer_clusters answer_documents answer_files answer_gold answer_models answer_pairs
answer_predictions answer_queries answer_rejects answer_relations answer_runs answer_sentences answer_sets answers
ask_allowances ask_counts ask_rankings ask_requests citation_ranks complexity_resources corpus_chunks corpus_files
corpus_rejects coverage_topics coverages credibility_basis judged_queries judged_rankings judged_runs judged_scores
llm_answers llm_judges llm_prompts qrels_assessments qrels_files qrels_pool_documents qrels_pools query_cuts
run_receipts stc_members stc_settings synth_candidates synth_passages synth_studies text_index text_lengths
text_lexemes vector_indexes vector_models
"""

CREATE = """
CREATE SCHEMA IF NOT EXISTS stc;
COMMENT ON SCHEMA stc IS 'stcollection: what the functions and views of public are made of';
"""

# Whoever may use public may use stc: functions that run with their caller's rights find their helpers there.
USERS = """
DO $$
DECLARE
    one text;
BEGIN
    FOR one IN
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
          FROM pg_namespace n CROSS JOIN aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
         WHERE n.nspname = 'public' AND a.privilege_type = 'USAGE' AND a.grantee <> n.nspowner
         ORDER BY 1
    LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA stc TO %s', one);
    END LOOP;
END $$
"""

# The routines that stc_objects lists, by their full signatures. This locks no table.
ROUTINES = f"""
DO $$
DECLARE
    statement text;
BEGIN
    IF current_setting('stc.moved', true) = 'on' THEN  -- what is left in public with our names is not ours
        RETURN;
    END IF;
    FOR statement IN
        SELECT format('ALTER ROUTINE %s SET SCHEMA stc', p.oid::regprocedure)
          FROM ({REGISTERED_BY_NAME}) AS o (file, signatures) CROSS JOIN LATERAL unnest(o.signatures) AS s (one)
          JOIN pg_proc p ON p.oid = to_regprocedure('public.' || substr(s.one, strpos(s.one, ' ') + 1))
         WHERE s.one ~ '^(function|procedure|aggregate) ' AND NOT p.proname::text = ANY (string_to_array('<STAY>', ' '))
    LOOP
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
    END LOOP;
    PERFORM set_config('stc.moved', 'on', true);
END $$
"""  # noqa: S608

# Views, then tables, and the partitions of all tables.
RELATIONS = """
DO $$
DECLARE
    stay CONSTANT text[] := string_to_array('<STAY>', ' ');
    move CONSTANT text[] := string_to_array('<MOVE>', ' ');
    statement text;
BEGIN
    FOREACH statement IN ARRAY ARRAY(
        SELECT format('ALTER VIEW %s SET SCHEMA stc', c.oid::regclass)
          FROM public.stc_objects o CROSS JOIN LATERAL unnest(o.creates) AS s (one)
          JOIN pg_class c ON c.oid = to_regclass(format('public.%I', substr(s.one, 6)))
         WHERE s.one LIKE 'view %' AND c.relkind = 'v' AND NOT c.relname::text = ANY (stay)
         UNION ALL
        SELECT format('ALTER TABLE public.%I SET SCHEMA stc', m.name) FROM unnest(move) AS m (name)
         UNION ALL
        SELECT format('ALTER TABLE %s SET SCHEMA stc', i.inhrelid::regclass)
          FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
         WHERE p.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
           AND p.relname::text = ANY (move || '{qrels_judgments,qrels_preferences,st1_scores}'))
    LOOP
        RAISE DEBUG 'stc: %', statement;  -- for --dry-run
        EXECUTE statement;
    END LOOP;
END $$
"""

# stc_objects names routines and views with their schemas from now on.
NAMES = """
UPDATE public.stc_objects o SET creates = k.creates, signatures = k.signatures
  FROM (SELECT n.file,
               coalesce(array_agg(n.named ORDER BY n.place) FILTER (WHERE n.what = 1), '{}') AS creates,
               coalesce(array_agg(n.named ORDER BY n.place) FILTER (WHERE n.what = 2), '{}') AS signatures
          FROM (SELECT s.file, u.what, u.place,
                       CASE WHEN u.one LIKE 'trigger %' THEN u.one
                            ELSE regexp_replace(u.one, ' ', CASE WHEN split_part(split_part(u.one, ' ', 2), '(', 1)
                                                           = ANY (string_to_array('<STAY>', ' '))
                                                      THEN ' public.' ELSE ' stc.' END) END AS named
                  FROM public.stc_objects s
                 CROSS JOIN LATERAL (SELECT 1 AS what, c.one, c.place FROM unnest(s.creates) WITH ORDINALITY c (one, place)
                                      UNION ALL
                                     SELECT 2, c.one, c.place FROM unnest(s.signatures) WITH ORDINALITY c (one, place)) u) n
         GROUP BY n.file) k
 WHERE k.file = o.file
"""


def _named(statement: str) -> str:
    return statement.replace("<STAY>", " ".join(STAY.split())).replace("<MOVE>", " ".join(MOVE.split()))


# An upgrade executes these before it locks tables, and then replaces functions. Afterwards they do nothing.
EARLY = (CREATE, USERS, _named(ROUTINES))

# The files of sql/ then replace policies and views of all tables. Locking them now avoids deadlocks with readers.
LOCKS = dict.fromkeys(created.tables(), "ACCESS EXCLUSIVE")
LOCKS_VIEWS = True


def upgrade() -> None:
    for statement in (*EARLY, RELATIONS, NAMES):
        op.execute(_named(statement))


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
