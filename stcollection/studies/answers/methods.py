"""The methods of ``collection.answers``. Each corresponds to a command."""

from __future__ import annotations

from stcollection.api.declared import called, framed
from stcollection.api.face import Frame, Stage
from stcollection.studies.answers import baselines, endorse, explain, extract, graph, scores, sets, study, unload
from stcollection.studies.answers import runs as answer_runs
from stcollection.studies.answers.agreement import check, finetune, relate, store


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
