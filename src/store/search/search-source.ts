/** What is searched by words and by meaning: notes, or passages of documents. Both are never in one list. */
export type SearchSource = {
  readonly table: 'notes' | 'passages';
  /** A row's name in a list, as SQL. */
  readonly key: string;
  /** What is said above the text when it is embedded, as SQL. */
  readonly title: string;
  /** The table of words, and its column that names a text. */
  readonly words: 'note_words' | 'document_words';
  readonly text: 'note' | 'document';
  /** The places of a word in a text; each is a row of `table`. */
  readonly place: string;
  /** Which texts are searched. `$4`: the documents, or null for notes. */
  readonly isGiven: string;
  /** How the texts and places in `best` find their rows. */
  readonly join: string;
  /** The order of the rows that share words with the question. */
  readonly order: string;
  /** A further condition of rows to compare by meaning; `$6` is `$4` of the above. */
  readonly scope: string;
  /** The table has a vector index for users with very many rows. */
  readonly isIndexed: boolean;
};

/** A match in a short note weighs more than in a long one. */
export const NOTES: SearchSource = {
  table: 'notes',
  key: 'path',
  title: 'path',
  words: 'note_words',
  text: 'note',
  place: '1',
  isGiven: '$4::bigint[] is null',
  join: 'notes.number = best.note',
  order: 'best.weight / (1 + ln(1 + word_count / 50.0::float8)) desc, path',
  scope: '$6::bigint[] is null',
  isIndexed: true,
};

/** Passages are about equally long. Their words are listed once per document, with the positions of its passages. */
export const PASSAGES: SearchSource = {
  table: 'passages',
  key: 'number::text',
  title: 'heading',
  words: 'document_words',
  text: 'document',
  place: 'unnest(positions)',
  isGiven: `document = any (${listOf('$4')})`,
  join: 'passages.document = best.document and passages.position = best.place',
  order: 'best.weight desc, number',
  scope: `document = any (${listOf('$6')})`,
  isIndexed: false,
};

/** A list that PostgreSQL does not estimate when it plans: for 10,000 documents, that would take longer than the search. */
function listOf(parameter: string): string {
  return `(select ${parameter}::bigint[])::bigint[]`;
}
