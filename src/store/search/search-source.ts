/** What is searched by words and by meaning: notes, or passages of documents. Both are never in one list. */
export type SearchSource = {
  readonly table: 'notes' | 'passages';
  /** A row's name in a list, as SQL. */
  readonly key: string;
  /** What is said above the text when it is embedded, as SQL. */
  readonly title: string;
  /** The columns of the index of words that name a row. */
  readonly ids: string;
  /** The rows that contain `lexeme`, as a query of the ids. `$4`: documents, or null for all. */
  readonly hits: string;
  /** How the ids in `best` find their rows. */
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
  ids: 'note',
  hits: 'select note from note_words where user_id = $1 and word = lexeme and $4::bigint[] is null',
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
  ids: 'document, position',
  hits: `
    select document, unnest(positions) as position from document_words
    where user_id = $1 and word = lexeme and ($4::bigint[] is null or document = any ($4))`,
  join: 'passages.document = best.document and passages.position = best.position',
  order: 'best.weight desc, number',
  scope: '($6::bigint[] is null or document = any ($6))',
  isIndexed: false,
};
