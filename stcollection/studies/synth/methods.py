"""The methods of ``collection.synth``. Each corresponds to a command."""

from __future__ import annotations

from stcollection.api.declared import called, framed
from stcollection.api.face import Frame, Stage
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
