"""The words of the command line: the function that runs for each of them."""

from __future__ import annotations

from stcollection import plugins
from stcollection.cli.subjects import DROP, EXPORT, PLOT, SERVE, SHOW, Entry

#: The commands that ``stc --help`` lists, with their summaries.
VERBS = {
    "load": "load a data set, or files: documents, topics, judgments, runs, vectors, ...",
    "build": "build a collection from a recipe; run only what is out of date",
    "index": "build the text index, for BM25",
    "status": "show the contents, outdated parts, and the next commands",
    "show": "list what is stored: runs, editions, topics, pools, measures, formats, ...",
    "search": "search the documents",
    "run": "make a run: search every query",
    "fuse": "combine runs into one",
    "score": "score runs, stored ones or files; rank all runs",
    "compare": "test which runs differ, stored ones or files",
    "plot": "draw a figure",
    "pool": "choose documents for judging, and share them among assessors",
    "judge": "judge the documents of a pool, yourself or with a language model",
    "publish": "check, seal, hide, release and correct an edition of the judgments",
    "export": "write runs, judgments, documents, vectors, ... to files",
    "drop": "remove runs, editions, documents, queries, ...",
    "serve": "serve the web page, embeddings, or assistants",
    "psql": "open the collection in psql",
    "demo": "load a small collection, run the systems and print a leaderboard",
    "help": "find a command, option, measure or function by a word; --all lists everything",
}

_POOL: dict[str, Entry] = {
    "": "Choose documents for judging, and share them among assessors. 'stc judge' judges them.",
    "guide": "qrels.pool.pools:guide",
    "invite": "qrels.pool.sheets:invite",
    "labels": "qrels.pool.pools:labels",
    "make": "qrels.pool.pools:make",
    "metadata": "qrels.pool.pools:metadata",
    "order": "qrels.pool.progress:order",
    "progress": "qrels.pool.progress:progress",
    "review": "qrels.pool.reviews:review",
    "submit": "qrels.pool.sheets:submit",
}
_PUBLISH: dict[str, Entry] = {
    "": "Check, seal, hide, release and correct an edition of the judgments.",
    "allow": "qrels.publishing:allow",
    "check": "qrels.publishing:check",
    "correct": "qrels.effects:correct",
    "derive": "qrels.making:derive",
    "describe": "qrels.editions:describe",
    "hide": "qrels.publishing:hide",
    "release": "qrels.publishing:release",
    "seal": "qrels.publishing:seal",
    "verify": "qrels.publishing:verify",
}
_DB: dict[str, Entry] = {
    "": "Manage the server and its collections. A collection is one database.",
    **{name: f"db.{name}" for name in ("check", "dump", "restore", "schema", "status", "uninstall", "upgrade", "warm")},
    **{name: f"db.collections:{name}" for name in ("create", "drop", "reset")},
    **{name: f"db.distribution:{name}" for name in ("distribute", "nodes")},
    **{name: f"db.server:{name}" for name in ("dsn", "start", "stop")},
    "user": "db.users:add",
}
_ANALYSIS: dict[str, Entry] = {
    "": "Study runs, rankings of systems and judgments, and map the documents.",
    "bias": "analysis.bias:bias",
    "compare-output": "evaluation.compare_output",
    "cluster-hypothesis": "analysis.cluster_hypothesis:cluster_hypothesis",
    "expansion": "analysis.expansion",
    "findings": "analysis.findings:findings",
    "history": "analysis.history:history",
    "labels": "analysis.labels:labels",
    "late": "analysis.unjudged:late",
    "map": "analysis.map",
    "origins": "analysis.origins:origins",
    "over-time": "evaluation.summaries:over_time",
    "predictors": "analysis.variation:predictors",
    "readability": "evaluation.readability:readability",
    "reliability": "analysis.reliability:reliability",
    "reusability": "analysis.unjudged:reusability",
    "unjudged": "analysis.unjudged:unjudged",
    "variation": "analysis.variation:variation",
    "zscores": "evaluation.summaries:zscores",
}
#: The groups that ``stc help --all`` lists.
_GROUPS: dict[str, Entry] = {
    "db": _DB,
    "text": {"": "Configure the text index.", "configure": "text.indexes:configure"},
    "vectors": {
        "": "Compute and index embeddings of titles, abstracts and queries.",
        **{name: f"vectors.embedding:{name}" for name in ("embed", "passages")},
        **{name: f"vectors.index:{name}" for name in ("audit", "index")},
        "convert": "vectors.stored:convert",
        "train": "vectors.train:train",
    },
    "complexity": {
        "": "Compute readability (20 measures) and credibility (citations), and compare both with human annotations.",
        **{name: f"complexity.annotations.grades:{name}" for name in ("agreement", "correlate", "means", "predict")},
        "compute": "complexity.compute:compute",
        "credibility": "complexity.credibility:credibility",
    },
    "topics": {
        "": "Name sets of queries.",
        "set": "topics.listing:set",
    },
    "retrieval": {
        "": "Rerank runs, and combine relevance with other measures.",
        "combine": "retrieval.tuning:combine",
        "pareto": "retrieval.combination:pareto",
        "rerank": "retrieval.fusion:rerank",
    },
    "runs": {
        "": "Check and receive submissions, and describe runs.",
        "check": "runs.check",
        "metadata": "runs.stored:metadata",
        "receive": "runs.receiving:receive",
    },
    "qrels": {
        "": "Compare and extend judgments, which are grouped in editions. Judgments are added, never changed.",
        "agreement": "qrels.agreement:agreement",
        "diff": "qrels.editions:diff",
        "expand": "qrels.making:expand",
        "impact": "qrels.effects:impact",
    },
    "analysis": _ANALYSIS,
    **{study.name: {"": study.summary, **study.entries("commands")} for study in plugins.studies() if study.commands},
    "studies": {"": "Start a study of your own. 'stc show studies' lists those that are installed.", "new": "studies:new"},
    "bundle": {
        "": "Make and check bundles: archives of a collection that can be cited.",
        "check": "bundle.archives:check",
        "make": "bundle.archives:make",
    },
}
_COMMANDS: dict[str, Entry] = {
    "load": "load",
    "build": "build",
    "index": "text.indexes:index",
    "status": "status",
    "show": SHOW,
    "search": "retrieval.search:search",
    "run": "retrieval.runs:run",
    "fuse": "retrieval.tuning:fuse",
    "score": "score",
    "compare": "compare",
    "plot": PLOT,
    "pool": _POOL,
    "judge": "judge",
    "publish": _PUBLISH,
    "export": EXPORT,
    "drop": DROP,
    "serve": SERVE,
    "psql": "db.psql",
    "demo": "demo",
    "help": "help",
    "completion": "completion",
}
# Commands twice: the first time for the order, the second time because a study may have the name of one.
TREE: dict[str, Entry] = {**_COMMANDS, **_GROUPS, **_COMMANDS}
