import { type OwnedTransaction, type Owner, runStatement } from './connection.ts';

type NumberedNote = { readonly number: string; readonly path: string; readonly text: string };

/** Makes a note findable by the words of its path and text. */
export async function keepWords(trx: OwnedTransaction, owner: Owner, note: NumberedNote): Promise<void> {
  await runStatement(trx, KEEP, [owner.userId, note.number, searchable(note)]);
}

/** Takes back what `keepWords` did for the text that the note still has. */
export async function forgetWords(trx: OwnedTransaction, owner: Owner, note: NumberedNote): Promise<void> {
  await runStatement(trx, FORGET, [owner.userId, note.number, searchable(note)]);
}

const searchable = ({ path, text }: NumberedNote) => `${path.replaceAll(/[/_.-]/g, ' ')} ${text}`;

const KEEP = `
  with kept as (
    insert into note_words (user_id, word, note) select $1, lexeme, $2 from note_lexemes($3) as lexeme returning 1
  )
  update notes set word_count = (select count(*) from kept) where user_id = $1 and number = $2`;

const FORGET = `
  delete from note_words where user_id = $1 and note = $2 and word in (select note_lexemes($3))`;
