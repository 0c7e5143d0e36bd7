"""Describe every table and every column."""

from __future__ import annotations

import re
from collections.abc import Iterator

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

# A table, then its columns. Partitions and the tables of further models get the same (copy_comments). The measures in
# st1_complexity_metrics have comments since revision 0004.
COMMENTS = """
alembic_version: The revision of the tables, set by the last upgrade
  version_num: number of the newest revision applied

annotations: Grades that people gave documents for complexity and credibility, one row per grade
  doc: document: dblp.id
  aspect: what was graded: complexity or credibility
  annotator: who graded: annotators.annotator
  grade: 0, 1 or 2: how complex the text is, or how credible the document is
  source: path of the imported file
  annotated: when the grade was stored

annotators: People who graded documents, and the group each belongs to
  annotator: name of the person
  annotator_group: group of people, as Humanities bachelor, CS bachelor or CS master
  simulated: true: the person is invented, as in the demo

answer_clusters: How a run groups the answers of each query
  run: run: answer_runs.id
  answer: answer: answers.id
  query: query: answer_queries.id
  cluster: number of the group within the query; 1 is the most endorsed

answer_documents: Web documents of each query
  id: number of the document in this table
  query: query: answer_queries.id
  place: position among the documents of the query, from 1
  doc_id: id of the document in the file
  url: web address of the document
  title: title of the document
  text: text of the document

answer_files: Files imported into a data set, one row per file
  id: number of the file
  set: data set: answer_sets.id
  kind: what the file contains: documents, pairs, gold, relations or templates
  path: path of the imported file
  sha256: SHA-256 of the file, in hexadecimal
  size: size of the file in bytes
  lines: number of lines that are not empty
  stored: number of lines that became a row or part of a row
  duplicates: number of lines that repeat an earlier line
  contradictory: number of pairs with two different labels, stored without a label, and of queries defined twice
  unknown: number of lines that name a query, document or address absent from the documents
  rejects: number of lines that could not be read or stored
  seconds: duration of the import in seconds
  loaded: when the file was imported

answer_gold: Documents behind the most endorsed answer of each query, from the data set
  document: document: answer_documents.id
  query: query: answer_queries.id
  hidden: true: hidden from participants and readers, as the data set is; the partition key

answer_models: Models that predict whether two answers agree
  id: number of the model
  model: name of the model
  kind: classifier: trained here; crossencoder: a model for natural language inference
  params: features, threshold, versions and training data
  fingerprint: SHA-256 of the labelled pairs used for training
  content: the trained classifier in the format of skops; reading it runs no code
  made: when the model was stored

answer_pairs: Labelled pairs of answers to one query; a pair has no direction and is stored once
  a: the answer with the smaller id: answers.id
  b: the answer with the larger id: answers.id
  query: query: answer_queries.id
  label: 1: the answers support each other; 0: neutral or contradictory; NULL: the file has both labels
  relation: support, neutral or oppose, where the file has it; entailment is stored as support
  hidden: true: hidden from participants and readers, as the data set is; the partition key

answer_predictions: Documents that a run returns for each query; a query without rows is an abstention
  run: run: answer_runs.id
  document: document: answer_documents.id
  query: query: answer_queries.id
  probability: probability that the document supports the most endorsed answer; NULL: the method gives none

answer_queries: Queries of the data sets of answer verification
  id: number of the query
  set: data set: answer_sets.id
  place: position in the file, from 1
  text: text of the query
  template: type of the question; queries of one template are held out together
  hidden: true: hidden from participants and readers, as the data set is

answer_rejects: Lines of imported files that were not stored unchanged, with the reason
  id: number of the row
  file: file: answer_files.id
  line: line number in the file, from 1
  problem: reject, duplicate, contradictory, unknown or escaped
  reason: the reason in words, with the value

answer_relations: Predictions of a model for pairs of answers
  model: model: answer_models.id
  a: the answer with the smaller id: answers.id
  b: the answer with the larger id: answers.id
  support: probability that the answers support each other
  oppose: probability that the answers contradict each other; the rest is neutral

answer_runs: Runs of answer verification: the documents a method returns for each query of a split
  id: number of the run
  run: name of the run
  set: data set: answer_sets.id
  method: tfidf, embedding, length, all, components, average, correlation, expected or imported
  params: threshold, model and source of the answers
  made: when the run was stored

answer_sentences: Indexed sentences of the web documents, from which answers are extracted
  document: document: answer_documents.id
  place: position in the document, from 1; 0 is the title
  text: text of the sentence
  terms: pairs of characters for Chinese, words for other languages; see answer_terms

answer_sets: Data sets of answer verification, one row per split
  id: number of the split
  set: name of the data set
  split: train, dev or test
  made: when the first file was imported
  hidden: true: gold and labels are hidden from participants and readers

answers: Answers that documents give to their query, from a file or extracted
  id: number of the answer
  query: query: answer_queries.id
  document: document: answer_documents.id; NULL: no document has the address, so the answer is used for training only
  source: given: from a file; else the name of the extraction
  url: web address of the document
  text: text of the answer
  digest: MD5 of the text, computed
  score: score of the extracted window
  first: first sentence of the extracted window: answer_sentences.place
  last: last sentence of the extracted window: answer_sentences.place

ask_allowances: Hidden editions on which teams may request mean scores of their runs
  edition: edition: qrels_editions.id
  asks: maximum number of requests per team
  measures: measures whose means are returned
  allowed: when requests were allowed

ask_counts: Number of requests that each team has made on each hidden edition
  edition: edition: qrels_editions.id
  team: name of the team
  asked: number of requests made

ask_rankings: Copies of the runs that score requests are about
  request: request: ask_requests.id
  query: query: st1_queries.id
  docs: documents in the order of the run, best first: dblp.id

ask_requests: Score requests of teams on hidden editions, with their results
  id: number of the request
  edition: edition: qrels_editions.id
  team: name of the team
  member: role that made the request
  run: name of the run at the time of the request
  edition_version: version of the edition at the time of the request: qrels_editions.version
  measures: measures requested
  means: rounded means, in the order of measures; NULL: not scored yet
  xact: transaction of the request; a later one scores it
  asked: when the request was made
  digest: SHA-256 of the copied run; NULL: requested before copies were stored
  scored: transaction that scored the request; a later one reads the result

citation_ranks: Derived: citation percentiles of the documents; rank_citations recomputes them
  id: document: dblp.id
  by_year: percentile of n_citation among documents of the same year, from 0 to 100
  by_field: mean percentile of n_citation among documents of the same year and field; NULL: too few documents
  percentile: by_field, or by_year where by_field is NULL; used by filters
  fields: number of fields of study averaged in by_field

complexity_resources: Libraries and data files that readability was computed with
  id: number of the combination
  versions: versions of Python, its Unicode tables and each library
  files: SHA-256 of CMUdict, of Punkt's parameters and of the hyphenation patterns
  fingerprint: SHA-256 of versions and files; equal fingerprints give equal values
  first_used: when the combination was first used

corpus_chunks: Committed chunks of each file; an interrupted load resumes after them
  file: file: corpus_files.id
  chunk: number of the chunk in the file
  documents: number of documents stored from the chunk
  duplicates: number of records whose document was already stored
  rejects: number of records that could not be stored

corpus_files: Files loaded into the corpus, one row per file
  id: number of the file
  path: path of the loaded file
  sha256: SHA-256 of the file, in hexadecimal
  bytes: size of the file in bytes
  format: name of the file format
  state: loading: in progress or interrupted; loaded: complete
  documents: number of documents stored from the file
  duplicates: number of records whose document was already stored
  rejects: number of records that could not be stored
  seconds: duration of the load in seconds
  started: when the load started
  finished: when the load finished; NULL: it has not

corpus_rejects: Records of a file that could not be stored, with line number and reason
  file: file: corpus_files.id
  line: line number in the file, from 1
  docno: id of the document in the file, if it could be read
  reason: the reason in words, with the value
  record: first 1,000 characters of the record

coverage_topics: Topics of a text, with the number of documents in the corpus that contain their words
  coverage: analysis: coverages.id
  kind: method that found the topic: lda, itemset or concept
  place: position in the order found, from 1
  words: words of the topic, the most characteristic first
  weight: lda: share of the words; itemset and concept: share of the abstracts that contain all the words
  count: number of documents in the corpus that contain all the words

coverages: Topic coverage of texts: topics of their nearest abstracts, and how much of the corpus is about them
  id: number of the analysis
  coverage: name of the analysis; the query id by default if the text is a stored query
  query: query the text belongs to: st1_queries.id; NULL: not a stored query
  text: text that was analysed
  model: embedding model that found the nearest abstracts
  docs: documents with the nearest abstracts, nearest first: dblp.id
  params: number of documents, topics and words; support, seed
  made: when the analysis was stored

credibility_basis: Parameters citation_ranks was computed with, at most one row
  single: always true; allows one row only
  as_of: year that ages of documents are counted to
  least: minimum number of documents of a field in a year for a comparison within it
  documents: number of documents ranked
  ranked: when citation_ranks was computed

dblp: The corpus, one JSON document per row
  id: number of the document, used in joins; equal to docno where docno is a number
  docno: name of the document in files and other systems
  doc: the record as imported
  stub: true: ranked or judged but not in the corpus; never retrieved

dblp_facts: Facts about each document that filters read, kept up to date by a trigger on dblp; stubs have no row
  id: document: dblp.id
  year: year of publication
  n_citation: number of citations
  doc_type: type of the publication, as Conference or Journal
  venue: name of the conference or journal
  n_reference: number of references in the document

dblp_p: Embeddings of passages by the default model; dblp_p_<model> has those of another model
  id: passage: dblp_passages.id
  passage_v: embedding of the passage, of length 1

dblp_passages: Passages of the abstracts: sentences or windows of sentences
  id: number of the passage
  doc: document: dblp.id
  position: position in the abstract, from 1
  text: text of the passage

dblp_text: Title and abstract of the documents, indexed for text search
  id: document: dblp.id
  title: title of the document
  abstract: abstract of the document; NULL: none
  content: title and abstract, computed; the text that BM25 searches
  tsv: lexemes of the title (weight A) and the abstract (weight B), computed

dblp_v: Embeddings of documents by the default model, L2-normalised: <#> is minus the cosine
  id: document: dblp.id
  title_v: embedding of the title, of length 1
  abstract_v: embedding of the abstract, of length 1
  content_v: embedding of title and abstract as one text, of length 1

judged_queries: Derived: the grades that an edition gives for each query
  edition: edition: qrels_editions.id
  query: query: st1_queries.id
  edition_version: version of the edition they were computed from: qrels_editions.version
  rels: grades of the judged documents, highest first
  code: fingerprint of the code that computed them; see score_code

judged_rankings: Derived: the ranks of judged documents in each run, from which measures are computed
  edition: edition: qrels_editions.id
  run: run: st1_runs.id
  query: query: st1_queries.id
  retrieved: number of documents the run ranks for the query
  relevant: ranks of documents with a grade of 1 or more, ascending
  grades: grade of the document at each of these ranks
  irrelevant: ranks of documents with grade 0, ascending
  pooled: ranks of documents with a negative grade, ascending

judged_runs: Derived: runs whose judged ranks are stored, and the versions they were computed from
  edition: edition: qrels_editions.id
  run: run: st1_runs.id; judge_runs removes dropped runs
  edition_version: version of the edition they were computed from; out of date if qrels_editions.version differs
  run_version: version of the run they were computed from; out of date if st1_runs.version differs
  code: fingerprint of the code that computed them; see score_code

judged_scores: Derived: stored values of the common measures
  edition: edition: qrels_editions.id
  run: run: st1_runs.id
  query: query: st1_queries.id
  scores: values in the order of stored_measures

llm_answers: Answers of language models asked to judge documents, one row per request
  id: number of the answer
  judge: model and prompt: llm_judges.id
  query: query: st1_queries.id
  doc: document: dblp.id
  answer: answer of the model; NULL: none came
  rel: grade parsed from the answer; NULL: malformed or none
  error: reason for a missing answer
  finish: finish reason reported by the endpoint, as stop or length
  params: parameters of the request (temperature, seed, endpoint) and the model that served it
  prompt_tokens: number of tokens in the prompt
  completion_tokens: number of tokens in the answer
  attempts: number of attempts made
  seconds: duration of the last attempt in seconds
  asked: when the request was made

llm_judges: Language models that judge an edition, each with a prompt
  id: number of the judge
  edition: edition: qrels_editions.id
  model: name of the language model
  prompt: prompt: llm_prompts.id
  annotator: annotator of its judgments: the model; with a second prompt in one edition, model and prompt
  begun: when judging started
  simulated: true: a program that stands in for a language model

llm_prompts: Prompt templates sent to language models
  id: number of the prompt
  name: name of the prompt
  sha256: SHA-256 of the template, in hexadecimal
  template: text of the prompt with its slots
  added: when the prompt was stored

qrels_assessments: Grades that assessors can still change, until they submit them to an edition
  pool: pool: qrels_pools.id
  query: query: st1_queries.id
  doc: document: dblp.id
  annotator: name of the assessor
  rel: grade; NULL: skipped
  note: note of the assessor
  changed: when the grade was last changed
  submitted: when the grade became a judgment; NULL: a draft

qrels_editions: Editions of the judgments
  id: number of the edition
  edition: name of the edition
  description: description of the edition
  made: when the edition was stored
  split: train or test; NULL: neither
  year: year of the track
  scale: mapping from grades in the files to stored grades; NULL: stored unchanged
  sealed: when the edition was sealed, after which judgments cannot be added; NULL: open
  fingerprint: SHA-256 of its judgments when it was sealed
  version: number of changes to its judgments
  hidden: true: hidden from participants and readers until released
  released: when it was released to all roles
  released_by: role that released it
  simulated: true: some of its judgments are invented; simulated_note marks them in outputs

qrels_files: Files of judgments imported into an edition, one row per file
  id: number of the file
  edition: edition: qrels_editions.id
  path: path of the imported file, or edition:NAME for a derived edition
  sha256: SHA-256 of the file, in hexadecimal
  judgments: number of judgments in the file
  added: number of judgments that were new
  imported: when the file was imported

qrels_judgments: All judgments, append-only; the view qrels has one grade per query and document
  id: number of the judgment
  edition: edition: qrels_editions.id
  query: query: st1_queries.id
  doc: document: dblp.id
  rel: grade; negative: pooled but not judged
  origin: who judged: human, llm or knn
  annotator: name of the annotator; empty: unknown
  source_doc: knn: judged document the grade was copied from: dblp.id
  similarity: knn: cosine between the titles of the two documents
  judged: when the judgment was stored
  note: note of the annotator
  hidden: true: hidden from participants and readers, as the edition is; the partition key

qrels_pool_documents: Documents of the pools
  pool: pool: qrels_pools.id
  query: query: st1_queries.id
  doc: document: dblp.id
  position: position in which assessors see the document, drawn with the seed
  runs: number of pooled runs that contributed the document
  teams: number of teams that contributed the document
  best_rank: best rank of the document in any pooled run
  stratum: range of ranks the document was drawn from, as 1-10
  weight: strata: inverse of the probability of being drawn; effect: expected effect on the ranking of runs

qrels_pools: Pools of documents selected for judging
  id: number of the pool
  pool: name of the pool
  method: how documents were selected: depth, teams, strata or effect
  params: runs, depth, seed and other parameters
  made: when the pool was stored

qrels_preferences: Preferences between documents, as in trec_eval's prefs files
  edition: edition: qrels_editions.id
  query: query: st1_queries.id
  annotator: judgment group in the file
  subgroup: judgment subgroup in the file; documents are compared within it
  doc: document: dblp.id
  rel: preference value; the document with the larger value is preferred
  hidden: true: hidden from participants and readers, as the edition is; the partition key

query_cuts: Queries that the assessors of an edition excluded, with the reason
  edition: edition: qrels_editions.id
  query: query: st1_queries.id
  reason: unreasonable: not a sensible query; few or many: too few or too many relevant documents
  note: note of the assessors
  cut: when the query was excluded
  hidden: true: hidden from participants and readers, as the edition is; the partition key

query_v: Cache of query embeddings, by model and text
  model: embedding model: vector_models.model
  text: text of the query
  v: embedding of the text
  digest: MD5 of the text, computed; part of the key, since texts can be too long for an index

run_receipts: Run files received by a track, and whether each was accepted
  id: number of the receipt
  file: name of the received file
  sha256: SHA-256 of the file, in hexadecimal
  team: name of the team
  run: name of the stored run; NULL: rejected
  accepted: true: stored as a run; false: rejected
  reasons: problems found, as [{line, what, note}]; line 0 is the whole file
  received: when the file was received

st1_complexity_metrics: Readability of the abstracts by NLTK with CMUdict, readability and textstat
  id: document: dblp.id
  resources: libraries and data files used: complexity_resources.id

st1_queries: Queries of the topics
  id: number of the query
  query: id of the query in files
  topic: topic: st1_topics.id
  text: text of the query; NULL: a stub, known only from a run or from judgments
  origin: human, or the kind of generator, as t5 or gpt-4
  model: model that generated the query
  prompt: prompt the query was generated with: llm_prompts.id
  source: document the query was generated from: dblp.id

st1_rankings: Ranked documents of the runs
  run: run: st1_runs.id
  query: query: st1_queries.id
  doc: document: dblp.id
  rank: rank of the document by trec_eval 9's rule, 1 = best: descending score in single precision, then descending docno
  file_rank: rank of the document in the imported file
  rel_score: relevance score; larger is better
  comb_score: combined score of relevance, readability and credibility; larger is better
  passage: passage of the document returned by the run

st1_runs: Runs of retrieval systems, one row per run
  id: number of the run
  run: name of the run
  team: name of the team; NULL: of no team
  tag: tag in the imported file
  manual: true: people were involved in producing the run; false: automatic
  family: group of related systems, as lexical or dense
  params: parameters the run was made with
  source: path of the imported file
  sha256: SHA-256 of the file, in hexadecimal
  made: when the run was stored
  metadata: provenance in the format of ir_metadata
  version: number of changes to its ranking
  shared: true: visible to all teams, as runs without a team are

st1_scores: Imported scores of systems, as trec_eval prints them
  edition: edition: qrels_editions.id
  run: run: st1_runs.id
  query: query: st1_queries.id
  measure: name of the measure in trec_eval
  value: score of the run for the query
  source: path of the imported file
  hidden: true: hidden from participants and readers, as the edition is; the partition key

st1_topics: Topics: press articles
  id: number of the topic
  topic: id of the topic in files
  text: title or text of the article
  url: web address of the article
  abstract_url: web address of the abstract of the article

stc_catalogue: Definitions of tables and rights as recorded by the last upgrade, to detect changes made by hand
  kind: kind of object, as column, constraint, index, trigger, policy, owner or grants
  name: name of the object as PostgreSQL writes it
  definition: definition of the object as PostgreSQL writes it

stc_members: Participants and their teams
  member: role the participant logs in with
  team: name of the team; its members can read its runs
  added: when the participant was added

stc_objects: Functions and views installed from sql/, one row per file
  file: path of the file in sql/
  creates: kind and name of each object the file creates
  fingerprint: SHA-256 of the file, in hexadecimal
  catalogue: SHA-256 of the definitions in the database, to detect changes made by hand
  signatures: kind, name and argument types of each object; an upgrade replaces or drops only these

stc_settings: Settings of the collection that SQL functions read; only its owner can change them
  name: name of the setting
  value: value of the setting

synth_candidates: Generated queries, chosen or not
  id: number of the candidate
  study: study: synth_studies.id
  doc: document it was generated from: dblp.id
  origin: kind of generator, as t5 or gpt-4; becomes st1_queries.origin
  model: model that generated it
  prompt: prompt it was generated with: llm_prompts.id
  number: position among the candidates of the document and generator, from 1
  answer: answer of the model; NULL: none came
  text: query parsed from the answer; NULL: malformed or empty
  dropped: reason it cannot be used: empty, malformed, error, duplicate or copy; NULL: it can
  length: number of words in the query
  found: number of these words that occur in the document, without stop words or stemming
  chosen: true: selected for publication
  query: query it was published as: st1_queries.id
  params: parameters of the request, and its cost
  made: when the candidate was stored

synth_passages: Sampled documents of a study, and how a language model rated each
  study: study: synth_studies.id
  doc: document: dblp.id
  place: position in the order drawn, from 1
  model: model asked whether the document is useful as a search result on its own
  prompt: prompt: llm_prompts.id
  answer: answer of the model; NULL: not asked, or none came
  score: score parsed from the answer, from 0 to 100; NULL: malformed or none
  error: reason for a missing answer
  params: parameters of the request, and its cost
  asked: when the request was made

synth_studies: Studies that generate queries from a sample of documents
  id: number of the study
  study: name of the study
  field: text of a document used for sampling and generation: abstract or content
  seed: seed of all random draws
  params: parameters of the last run of each step, by step
  made: when the study was stored

text_index: Parameters the text index was built with, at most one row
  single: always true; allows one row only
  config: text search configuration
  k1: parameter k1 of BM25: term frequency saturation
  b: parameter b of BM25: document length normalisation, from 0 to 1
  documents: number of documents indexed
  tokens: number of tokens indexed
  engine: engine of BM25: pg_textsearch or portable
  stale: true: dblp_text has changed since the build
  built: when the index was built
  server_major: major version of PostgreSQL at the build; stemmers differ between versions
  dictionaries: dictionaries of the configuration at the build, with their options

text_lengths: Document lengths for the portable BM25
  id: document: dblp.id
  tokens: number of tokens in title and abstract

text_lexemes: Document frequencies for the portable BM25
  lexeme: normalised word
  documents: number of documents that contain the lexeme
  occurrences: number of occurrences in all documents

vector_indexes: Vector indexes: how each was built, its search defaults and its last audit
  model: embedding model: vector_models.model
  field: indexed text: title, abstract, content or passage
  kind: type of the index: ivfflat, hnsw or diskann
  lists: number of lists of an ivfflat index
  effort: default of a search: probes (ivfflat), ef_search (hnsw) or search_list_size (diskann)
  rows: number of vectors indexed
  built: when the index was built
  halfvec: true: indexed in half precision; distances are computed in full precision
  m: parameter m of an hnsw index: connections per node
  ef_construction: parameter ef_construction of an hnsw index: candidates considered at the build
  recall: share of the recall_k nearest neighbours found at the default effort, by the last audit
  recall_k: number of nearest neighbours in the last audit
  audited: when the index was last audited

vector_models: Embedding models whose vectors are stored
  model: short name of the model
  name: name in sentence-transformers, or path
  revision: revision of the model, or SHA-256 of its weights
  dim: number of dimensions
  max_tokens: maximum number of tokens read from a text
  relation: name of the table with its document vectors
  added: when the model was registered
  pooling: how token vectors are combined, as mean or cls; NULL: unknown
  normalised: true: stored vectors have length 1
  query_prefix: text put before a query
  passage_prefix: text put before the text of a document
  storage: type of the vectors: vector, or halfvec above 2,000 dimensions
  made_by: programs that computed the vectors, as torch fp32, openvino bf16 or import
"""


def comments() -> Iterator[tuple[str, str | None, str]]:
    """Table, column and text; the column of a table's own comment is None."""
    table = ""
    for indent, name, text in re.findall(r"^( *)(\w+): (.+)$", COMMENTS, re.MULTILINE):
        table = table if indent else name
        yield table, name if indent else None, text


def upgrade() -> None:
    """One statement for all comments, because other tables are locked meanwhile."""
    statements = []
    for table, column, text in comments():
        named = f"TABLE {table}" if column is None else f'COLUMN {table}."{column}"'
        statements.append("COMMENT ON {} IS '{}'".format(named, text.replace("'", "''")))
    op.execute(";\n".join(statements))


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
