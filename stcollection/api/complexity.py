"""Readability, credibility, and human grades of both: ``collection.complexity``."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from stcollection.analysis.annotation_correlations import correlate
from stcollection.analysis.annotations import AnnotationAgreement, AnnotationBootstrap, AnnotationMean, agreement, graded, means
from stcollection.analysis.document_measures import Aspect
from stcollection.analysis.measured import correlations
from stcollection.api.declared import called, framed
from stcollection.api.face import Frame, Stage
from stcollection.api.frames import frame_of_cursor
from stcollection.complexity.annotations import overview
from stcollection.complexity.compute import compute
from stcollection.complexity.credibility import check, rank_citations
from stcollection.complexity.credibility import status as complexity_status
from stcollection.declared import columns_of
from stcollection.errors import translate
from stcollection.retrieval.combine import combine
from stcollection.retrieval.pareto import pareto


class Complexity(Stage[Frame]):
    """``collection.complexity``: readability of texts, credibility of documents, and human grades of both."""

    compute = called(compute, bar=("readability", "documents"), by_dsn=True)
    citations = called(check)
    correlations = called(correlations)
    credibility = called(rank_citations)
    annotations = framed(overview)
    status = called(complexity_status)

    @translate()
    def measures(self, *names: str, frame: str | None = None) -> Frame:
        """Return one row per document, by docno, with measures of the view ``document_measures``; by default all.

        :raises UnknownObject: a measure does not exist (IR108).
        """
        conn = self.connection
        for name in names:
            conn.execute("SELECT stc.measure_column(%s)", [name])
        columns = sql.SQL(", ").join(sql.SQL("m.{}").format(sql.Identifier(name)) for name in names) if names else sql.SQL("m.*")
        query = sql.SQL("SELECT d.docno, {} FROM document_measures m JOIN dblp d USING (id) ORDER BY d.docno")
        made: Frame = frame_of_cursor(conn.execute(query.format(columns)), frame or self.kind)
        return made

    combine = called(combine)
    pareto = framed(pareto)

    def annotation_means(
        self, *measures: str, aspect: Aspect = "complexity", groups: Sequence[str] = (), frame: str | None = None
    ) -> Frame:
        """Return the mean of each measure by grade and annotator group; see :func:`~stcollection.analysis.annotations.means`."""
        rows = means(self.connection, aspect=aspect, measures=measures, groups=groups)
        return self._frame(columns_of(AnnotationMean), rows, frame, simulated=getattr(rows, "simulated", None))

    def annotation_agreement(self, *, aspect: Aspect = "complexity", resamples: int = 1000, frame: str | None = None) -> Frame:
        """Measure inter-annotator agreement within and between groups; see :func:`~stcollection.analysis.annotations.agreement`."""
        rows = agreement(self.connection, aspect=aspect, bootstrap=AnnotationBootstrap(resamples=resamples))
        return self._frame(columns_of(AnnotationAgreement), rows, frame, simulated=getattr(rows, "simulated", None))

    def annotation_correlations(
        self, *measures: str, aspect: Aspect = "complexity", resamples: int = 1000, frame: str | None = None
    ) -> Frame:
        """Correlate measures with grades (Spearman's rho, Kendall's tau): ``spearman``, ``spearman_low``, …, ``kendall``, ….

        See :func:`~stcollection.analysis.annotation_correlations.correlate`.
        """
        grades = graded(self.connection, aspect=aspect, measures=measures)
        rows = correlate(grades, bootstrap=AnnotationBootstrap(resamples=resamples))
        parts = [f"{which}{end}" for which in ("spearman", "kendall") for end in ("", "_low", "_high", "_p", "_p_holm")]
        columns = {"measure": str, "group": str, "n": int, "documents": int, **dict.fromkeys(parts, float), "note": str}
        cells = [(*row[:4], *row.spearman, *row.kendall, row.note) for row in rows]
        return self._frame(columns, cells, frame, simulated=grades.simulated)
