"""The table of the measures: names, parameters, definitions and where they come from, in the order in which trec_eval prints them.

sql/evaluation/measure_kinds.sql is its twin for SQL; a test holds the two together.
"""

from __future__ import annotations

from typing import NamedTuple

#: Sources of the definitions, by the short name that stands in the table.
SOURCES = {
    "trec_eval": "NIST, trec_eval, github.com/usnistgov/trec_eval",
    "Buckley & Voorhees 2005": "Retrieval System Evaluation, in TREC: Experiment and Evaluation in IR, MIT Press 2005",
    "Robertson 2006": "On GMAP: and Other Transformations, CIKM 2006",
    "Buckley & Voorhees 2004": "Retrieval Evaluation with Incomplete Information, SIGIR 2004",
    "Voorhees 1999": "The TREC-8 Question Answering Track Report, TREC 1999",
    "Yilmaz & Aslam 2006": "Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006",
    "van Rijsbergen 1979": "Information Retrieval, Butterworths 1979",
    "Järvelin & Kekäläinen 2002": "Cumulated Gain-Based Evaluation of IR Techniques, ACM TOIS 20(4), 2002",
    "Robertson 2012": "On Smoothing Average Precision, ECIR 2012",
    "Moffat & Zobel 2008": "Rank-Biased Precision for Measurement of Retrieval Effectiveness, ACM TOIS 27(1), 2008",
    "Burges et al. 2005": "Learning to Rank Using Gradient Descent, ICML 2005",
    "Chapelle et al. 2009": "Expected Reciprocal Rank for Graded Relevance, CIKM 2009",
    "ir_measures": "MacAvaney et al., Streamlining Evaluation with ir-measures, ECIR 2022",
}


class Kind(NamedTuple):
    """:param name: in trec_eval, without parameters; in lower case one that it does not have.

    :param ir: the name in ir_measures, '' where it has none. :param takes: nothing, cutoff, share, numbers, gains, p.
    :param defaults: of the parameters. :param groups: trec_eval's sets that hold it. :param mean: mean, sum or geometric.
    :param definition: of one query's value; R is the number of relevant documents, r a rank. :param source: key of SOURCES.
    """

    name: str
    ir: str
    takes: str
    defaults: tuple[float, ...]
    groups: str
    mean: str
    definition: str
    source: str


_CUTOFFS = (5.0, 10.0, 15.0, 20.0, 30.0, 100.0, 200.0, 500.0, 1000.0)
_TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
_COMMON, _ALL = "official set all_trec", "all_trec"

_ROWS = (
    Kind("num_q", "NumQ", "nothing", (), _COMMON, "sum", "1: how many queries there are", "trec_eval"),
    Kind("num_ret", "NumRet", "nothing", (), _COMMON, "sum", "documents retrieved", "trec_eval"),
    Kind("num_rel", "NumRel", "nothing", (), _COMMON, "sum", "R, the documents judged relevant", "trec_eval"),
    Kind("num_rel_ret", "", "nothing", (), _COMMON, "sum", "relevant documents retrieved; NumRet(rel=1)", "trec_eval"),
    Kind("map", "AP", "nothing", (), "official all_trec", "mean",
         "sum of the precision at each relevant document retrieved, divided by R", "Buckley & Voorhees 2005"),
    Kind("gm_map", "", "nothing", (), "official all_trec", "geometric", "ln of AP, at least ln 0.00001", "Robertson 2006"),
    Kind("Rprec", "Rprec", "nothing", (), "official all_trec", "mean", "precision after R documents", "Buckley & Voorhees 2005"),
    Kind("bpref", "Bpref", "nothing", (), "official all_trec", "mean",
         "sum over relevant ones of 1 - min(n, R) / min(N, R), divided by R; n of N judged not relevant stand above",
         "Buckley & Voorhees 2004"),
    Kind("recip_rank", "RR", "nothing", (), "official all_trec", "mean",
         "1 / rank of the first relevant document", "Voorhees 1999"),
    Kind("iprec_at_recall", "IPrec", "share", _TENTHS, "official all_trec", "mean",
         "largest precision from the document on at which the share of R is reached", "trec_eval"),
    Kind("P", "P", "cutoff", _CUTOFFS, "official all_trec", "mean",
         "relevant among the first k, divided by k", "van Rijsbergen 1979"),
    Kind("recall", "R", "cutoff", _CUTOFFS, _ALL, "mean", "relevant among the first k, divided by R", "van Rijsbergen 1979"),
    Kind("infAP", "infAP", "nothing", (), _ALL, "mean",
         "AP where a sample of the pool was judged: negative grades are pooled, not judged", "Yilmaz & Aslam 2006"),
    Kind("gm_bpref", "", "nothing", (), _ALL, "geometric", "ln of bpref, at least ln 0.00001", "Robertson 2006"),
    Kind("Rprec_mult", "", "share", _FIFTHS, _ALL, "mean", "precision after a multiple of R documents", "trec_eval"),
    Kind("utility", "", "numbers", (1, -1, 0, 0), "set all_trec", "mean",
         "a · relevant + b · not relevant ones retrieved + c · relevant + d · not relevant ones not retrieved", "trec_eval"),
    Kind("11pt_avg", "", "numbers", _TENTHS, _ALL, "mean", "mean of iprec_at_recall over the shares", "trec_eval"),
    Kind("binG", "", "nothing", (), _ALL, "mean",
         "sum over relevant ones of 1 / log2(2 + not relevant ones above), divided by R", "trec_eval"),
    Kind("G", "", "gains", (), _ALL, "mean",
         "sum of gain / log2(2 + best cost so far - gain so far), divided by the sum of all gains", "trec_eval"),
    Kind("dcg", "", "gains", (), "", "mean", "sum of gain / log2(r + 1)", "Järvelin & Kekäläinen 2002"),
    Kind("ideal_dcg", "", "gains", (), "", "mean", "dcg of the judged documents, best first", "Järvelin & Kekäläinen 2002"),
    Kind("ndcg", "nDCG", "gains", (), _ALL, "mean", "dcg / ideal_dcg; the gain is the grade", "Järvelin & Kekäläinen 2002"),
    Kind("ndcg_rel", "", "gains", (), _ALL, "mean", "mean of ndcg at the ranks of the relevant documents", "trec_eval"),
    Kind("Rndcg", "", "gains", (), _ALL, "mean",
         "mean of ndcg at the ranks where the ideal gain falls, and at the end", "trec_eval"),
    Kind("ndcg_cut", "nDCG", "cutoff", _CUTOFFS, _ALL, "mean", "dcg / ideal_dcg of the first k", "Järvelin & Kekäläinen 2002"),
    Kind("map_cut", "AP", "cutoff", _CUTOFFS, _ALL, "mean", "AP of the first k, divided by R", "Buckley & Voorhees 2005"),
    Kind("relative_P", "", "cutoff", _CUTOFFS, _ALL, "mean", "relevant among the first k, divided by min(k, R)", "trec_eval"),
    Kind("success", "Success", "cutoff", (1.0, 5.0, 10.0), _ALL, "mean", "1 if one of the first k is relevant", "trec_eval"),
    Kind("set_P", "SetP", "nothing", (), "set all_trec", "mean", "relevant retrieved / retrieved", "van Rijsbergen 1979"),
    Kind("set_relative_P", "", "nothing", (), "set all_trec", "mean", "relevant retrieved / min(retrieved, R)", "trec_eval"),
    Kind("set_recall", "SetR", "nothing", (), "set all_trec", "mean", "relevant retrieved / R", "van Rijsbergen 1979"),
    Kind("set_map", "SetAP", "nothing", (), "set all_trec", "mean", "set_P · set_recall", "trec_eval"),
    Kind("set_F", "SetF", "numbers", (1.0,), "set all_trec", "mean", "(x + 1) P R / (x P + R) of set_P and set_recall",
         "van Rijsbergen 1979"),
    Kind("num_nonrel_judged_ret", "", "nothing", (), _ALL, "sum", "documents retrieved that are judged not relevant", "trec_eval"),
    Kind("yaap", "", "nothing", (), "", "mean", "ln((1 + s) / (1 + R - s)), s = AP · R", "Robertson 2012"),
    Kind("rbp", "", "p", (0.9,), _ALL, "mean",
         "(1 - p) · sum of gain · p^(r - 1); the gain is the grade / max(1, the best grade of the query)", "Moffat & Zobel 2008"),
    Kind("rbp_resid", "", "p", (0.9,), _ALL, "mean",
         "what rbp could gain if all not judged were relevant; 0 if all retrieved are judged", "Moffat & Zobel 2008"),
    Kind("unj", "", "cutoff", (5.0, 10.0, 20.0), _ALL, "mean", "not judged among the first k, divided by k", "trec_eval"),
    Kind("binary_rbp", "RBP", "p", (0.8,), "", "mean", "(1 - p) · sum over relevant ones of p^(r - 1)", "Moffat & Zobel 2008"),
    Kind("recip_rank_cut", "RR", "cutoff", (10.0,), "", "mean", "RR, 0 where the rank is beyond k", "ir_measures"),
    Kind("ndcg_exp", "nDCG(dcg='exp-log2')", "cutoff", (10.0,), "", "mean", "nDCG with the gain 2^grade - 1", "Burges et al. 2005"),
    Kind("err", "ERR", "cutoff", (20.0,), "", "mean",
         "sum over the first k of 1/r · s · product of 1 - s above, s = (2^grade - 1) / 2^4 (max= for 4)", "Chapelle et al. 2009"),
    Kind("judged", "Judged", "cutoff", (10.0,), "", "mean",
         "judged among the first k, divided by how many there are", "ir_measures"),
)  # fmt: skip

KINDS = {kind.name: kind for kind in _ROWS}
GROUPS = {group: tuple(kind.name for kind in _ROWS if group in kind.groups.split()) for group in ("official", "set", "all_trec")}

#: Other names that are read, in lower case, and the kind without and with a cutoff ('' where there is none).
ALIASES = {
    "ndcg": ("ndcg", "ndcg_cut"), "ap": ("map", "map_cut"), "map": ("map", "map_cut"), "rr": ("recip_rank", "recip_rank_cut"),
    "mrr": ("recip_rank", "recip_rank_cut"), "recip_rank": ("recip_rank", "recip_rank_cut"), "p": ("", "P"), "precision": ("", "P"),
    "r": ("", "recall"), "recall": ("", "recall"), "bpref": ("bpref", ""), "rprec": ("Rprec", ""), "success": ("", "success"),
    "iprec": ("", "iprec_at_recall"), "infap": ("infAP", ""), "setp": ("set_P", ""), "setr": ("set_recall", ""),
    "setf": ("set_F", ""), "setap": ("set_map", ""), "numq": ("num_q", ""), "numret": ("num_ret", ""), "numrel": ("num_rel", ""),
    "rbp": ("binary_rbp", "binary_rbp"), "err": ("", "err"), "judged": ("", "judged"),
}  # fmt: skip
