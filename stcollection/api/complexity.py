"""Readability, credibility, and human grades of both: ``collection.complexity``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from psycopg import sql

from stcollection.analysis.annotation_correlations import Correlation, correlate
from stcollection.analysis.annotations import AnnotationAgreement, AnnotationBootstrap, AnnotationMean, agreement, graded, means
from stcollection.analysis.document_measures import Aspect
from stcollection.api.declared import called, framed
from stcollection.api.face import Frame, Stage
from stcollection.api.frames import frame_of_cursor
from stcollection.complexity.compute import Computed, compute
from stcollection.db.pool import RayActors
from stcollection.errors import translate
from stcollection.retrieval.combine import combine
from stcollection.retrieval.pareto import pareto


class Complexity(Stage[Frame]):
    """``collection.complexity``: readability of texts, credibility of documents, and human grades of both."""

    def compute(
        self,
        *,
        nltk_data: str | Path | None = None,
        recompute: bool = False,
        workers: int | None = None,
        actors: RayActors | None = None,
    ) -> Computed:
        """Measure the readability of abstracts not measured yet; see :func:`~stcollection.complexity.compute.compute`."""
        data = None if nltk_data is None else Path(nltk_data)
        with self._bar("readability", unit="documents") as bar:
            return compute(self.dsn, nltk_data=data, recompute=recompute, workers=workers, actors=actors, progress=bar)

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
        found = means(self.connection, aspect=aspect, measures=measures, groups=groups)
        types = {"measure": str, "group": str, "grade": int, "n": int, "grades": int, "mean": float, "sd": float, "se": float}
        return self._frame(AnnotationMean._fields, found, frame, types=types, simulated=found.simulated)

    def annotation_agreement(self, *, aspect: Aspect = "complexity", resamples: int = 1000, frame: str | None = None) -> Frame:
        """Measure inter-annotator agreement within and between groups; see :func:`~stcollection.analysis.annotations.agreement`."""
        found = agreement(self.connection, aspect=aspect, bootstrap=AnnotationBootstrap(resamples=resamples))
        whole = ("annotators", "documents", "pairs")
        types = {
            name: str if name in AnnotationAgreement._fields[:3] else int if name in whole else float
            for name in AnnotationAgreement._fields
        }
        return self._frame(AnnotationAgreement._fields, found, frame, types=types, simulated=found.simulated)

    def annotation_correlations(
        self, *measures: str, aspect: Aspect = "complexity", resamples: int = 1000, frame: str | None = None
    ) -> Frame:
        """Correlate measures with grades (Spearman's rho, Kendall's tau): ``spearman``, ``spearman_low``, …, ``kendall``, ….

        See :func:`~stcollection.analysis.annotation_correlations.correlate`.
        """
        grades = graded(self.connection, aspect=aspect, measures=measures)
        found = correlate(grades, bootstrap=AnnotationBootstrap(resamples=resamples))
        parts = [f"{which}{end}" for which in ("spearman", "kendall") for end in ("", "_low", "_high", "_p", "_p_holm")]
        names = [*Correlation._fields[:4], *parts, "note"]
        types = {"measure": str, "group": str, "n": int, "documents": int, **dict.fromkeys(parts, float), "note": str}
        rows = [(*one[:4], *one.spearman, *one.kendall, one.note) for one in found]
        return self._frame(names, rows, frame, types=types, simulated=grades.simulated)
