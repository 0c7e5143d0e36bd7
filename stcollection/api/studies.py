"""The studies: ``collection.synth``, ``.answers`` and ``.coverage``. Each method corresponds to a command of the same group."""

from __future__ import annotations

from stcollection.api.declared import called, framed
from stcollection.api.face import Frame, Stage
from stcollection.studies.answers import baselines, endorse, explain, extract, graph, scores, sets, study, unload
from stcollection.studies.answers import runs as answer_runs
from stcollection.studies.answers.agreement import check, finetune, relate, store
from stcollection.studies.coverage.store import drop_coverage, list_coverages, load_coverage
from stcollection.studies.synth import choose, cut, publish, review
from stcollection.studies.synth import study as synth_study
from stcollection.studies.synth.report.study import study_report
from stcollection.studies.synth.subtopics import subtopic_list


class Synth(Stage[Frame]):
    """``collection.synth``: synthetic queries, compared with human ones."""

    candidates = framed(synth_study.candidates)
    cut = framed(cut.cut)
    drop = called(synth_study.drop)
    match = called(choose.match)
    publish = framed(publish.publish)
    report = called(study_report)
    review_check = framed(review.check_reviewed)
    review_import = called(review.import_review)
    review_list = framed(subtopic_list)
    review_publish = framed(review.publish_reviewed)
    sample = called(synth_study.sample)
    scores = framed(synth_study.scores)
    select = called(choose.select)
    status = framed(synth_study.overview)


class Answers(Stage[Frame]):
    """``collection.answers``: answers verified by their agreement across documents."""

    baseline = called(baselines.baseline)
    check = called(check.check)
    cluster = called(endorse.cluster)
    drop = called(sets.drop)
    drop_model = called(store.drop)
    drop_run = called(answer_runs.drop_run)
    explain = called(explain.explanations)
    extracted = called(extract.quality)
    extract = called(extract.extract, bar=("extracting", "documents"))
    files = framed(sets.files)
    finetune = called(finetune.finetune, bar=("steps", "steps"))
    graph = called(graph.graph)
    load_run = called(answer_runs.import_run)
    leaderboard = framed(scores.leaderboard)
    models = framed(store.models)
    nli = called(relate.register)
    train = called(relate.train, bar=("folds", "folds"))
    rejects = framed(sets.rejects)
    relate = called(relate.relate, bar=("pairs", "pairs"))
    runs = framed(answer_runs.runs)
    score = framed(scores.scores)
    status = framed(sets.overview)
    study = called(study.study, bar=("study", "steps"))
    unload = called(unload.unload)


class Coverages(Stage[Frame]):
    """``collection.coverage``: stored topic coverages."""

    drop = called(drop_coverage)
    list = framed(list_coverages)
    show = called(load_coverage)
