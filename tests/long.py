"""Tests for ``make long``; ``make test`` runs all others."""

from __future__ import annotations

# Folders, files and tests: pages of the documentation, faults, backups, the wheel, real collections, real models.
LONG = (
    "acceptance/test_commands.py::test_a_group_is_there_without_the_extras",
    "acceptance/test_score.py::test_every_other_form",
    "acceptance/test_score.py::test_wrong_input",
    "acceptance/test_wheel.py",
    "analysis/test_labels.py::test_nist_and_gpt4_on_dl23",
    "complexity/test_compute.py",
    "complexity/test_credibility_filters.py",
    "db/test_collisions.py",
    "db/test_damaged.py",
    "db/test_embedded.py",
    "db/test_owners.py",
    "db/test_plain.py",
    "db/test_restore.py",
    "db/test_sample.py",
    "docs/test_pages.py",
    "docs/test_ways.py",
    "durability",
    "evaluation/test_parity.py::test_real_runs",
    "evaluation/test_printed.py::test_character_for_character",
    "explore/test_programs_lucene.py",
    "explore/test_programs_service.py",
    "io/test_split.py::test_every_layout_gives_its_records",
    "llm/test_client.py::test_what_may_pass_is_tried_again",
    "plots/test_documents.py",
    "qrels/test_agreement_bootstrap.py",
    "qrels/test_sheets.py::test_the_commands_from_a_pool_to_an_edition",
    "retrieval/test_bm25.py::test_both_engines_rank_real_collections_alike_and_well",
    "retrieval/test_rerank.py::test_one_saved_by_transformers_alone",
    "retrieval/test_rm3.py::test_it_is_rm3_computed_apart_on_a_real_collection",
    "retrieval/test_tune.py::test_each_point_is_what_evaluate_says_of_that_fusion",
    "runs/test_import.py::test_the_duplicates_of_the_real_runs",
    "studies/answers/test_expected.py::test_many_answers_are_grouped_by_their_relations",
    "studies/answers/test_relate.py::test_a_cross_fitted_model_has_not_seen_the_template",
    "studies/answers/test_relate.py::test_a_stored_model_equals_the_trained_one",
    "studies/synth/test_generate.py",
    "vectors/test_audit.py",
    "vectors/test_embed_query.py",
    "vectors/test_kinds.py",
    "vectors/test_model.py",
    "vectors/test_passages.py::test_by_the_model",
)
# Files whose tests share nothing, so that processes can share them; every other file runs in one process.
SPREAD = ("tests/docs/test_pages.py", "tests/docs/test_ways.py")
