import { text } from 'node:stream/consumers';
import { ApiError, type Client } from '@reborn-agent/client';
import type { Note } from '@reborn-agent/client/api';
import type { Command } from 'commander';
import { editText } from './chat/edit-text.ts';
import { isConfirmed } from './confirm.ts';
import { orMissing, withClient } from './connect/with-client.ts';
import { addForgetCommand } from './memory/forget.ts';
import { addVersionCommands } from './memory/note-versions.ts';
import { printJson, printLine, printTable, printText } from './print.ts';

type Json = { readonly json?: true };

const MOST_LETTERS = 100;

/** `reborn memory`: the operator's notes, which the agent reads and writes. */
export function addMemoryCommands(program: Command): void {
  const memory = program.command('memory').description('List, search, show, edit, delete and restore notes.');
  memory
    .command('list')
    .option('--json', 'print JSON')
    .description('List the newest notes.')
    .addHelpText('after', '\nExample:\n  reborn memory list')
    .action((options: Json) => searchNotes([], options));
  memory
    .command('search')
    .argument('<words...>', 'what to search for')
    .option('--json', 'print JSON')
    .description('Search the notes, by words and by meaning.')
    .addHelpText('after', '\nExample:\n  reborn memory search birthday of Ann')
    .action(searchNotes);
  memory
    .command('show')
    .argument('<path>', 'the path of the note')
    .option('--json', 'print JSON')
    .description('Print a note.')
    .addHelpText('after', '\nExample:\n  reborn memory show people/ann')
    .action(showNote);
  memory
    .command('edit')
    .argument('<path>', 'the path of the note; it is created if it does not exist')
    .description('Edit a note with $VISUAL or $EDITOR, or replace it with the text from stdin.')
    .addHelpText(
      'after',
      '\nExamples:\n  reborn memory edit people/ann\n  reborn memory edit identity/user < about-me.txt',
    )
    .action(editNote);
  memory
    .command('keep')
    .argument('[paths...]', 'the paths of the notes')
    .option('--all', 'all notes of unknown origin; what was written after text by others needs its path')
    .description('Make notes your own, so that reading them no longer counts as reading text by others.')
    .addHelpText('after', '\nExamples:\n  reborn memory keep people/ann trips/oslo\n  reborn memory keep --all')
    .action(keepNotes);
  memory
    .command('delete')
    .argument('<path>', 'the path of the note')
    .option('--permanent', 'with all of its versions, so that nothing can be restored')
    .option('--yes', 'delete without asking')
    .description('Delete a note. `reborn memory restore` brings it back.')
    .addHelpText('after', '\nExample:\n  reborn memory delete people/ann')
    .action(deleteNote);
  addVersionCommands(memory);
  addForgetCommand(memory);
}

function searchNotes(words: readonly string[], { json }: Json): Promise<void> {
  return withClient(async (client) => {
    const { results } = await client.call('GET /api/memory', { query: { q: words.join(' ') } });
    if (json) return printJson(results);
    if (results.length === 0) return printLine(words.length > 0 ? 'Nothing was found.' : 'No notes yet.');
    printTable([
      ['path', 'origin', 'text'],
      ...results.map((note) => [
        note.path,
        ORIGINS[note.origin],
        note.text.trim().replace(/\s+/g, ' ').slice(0, MOST_LETTERS),
      ]),
    ]);
  });
}

const ORIGINS: Record<Note['origin'], string> = {
  person: 'yours',
  foreign: 'after text by others',
  unknown: 'unknown',
};

function showNote(notePath: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    const found = client.call('GET /api/memory/{path}', { params: { path: notePath } });
    const note = await orMissing(found, missing(notePath));
    if (json) return printJson(note);
    printText(note.text);
  });
}

function editNote(notePath: string): Promise<void> {
  return withClient(async (client) => {
    const before = await findText(client, notePath);
    const after = process.stdin.isTTY ? await editText(before ?? '', 'note') : await text(process.stdin);
    if (after === before) return printLine('Nothing was changed.');
    if (after.trim() === '') throw new Error('The text is empty, so the note stays as it was.');
    await client.call('PUT /api/memory/{path}', { params: { path: notePath }, body: { text: after } });
    printLine(before === undefined ? `Created ${notePath}.` : `Saved ${notePath}.`);
  });
}

function keepNotes(paths: readonly string[], { all }: { readonly all?: true }): Promise<void> {
  if (paths.length > 0 === (all === true)) throw new Error('Name the notes to keep, or give --all.');
  return withClient(async (client) => {
    const { kept } = await client.call('POST /api/memory/keep', { body: all ? { all } : { paths } });
    if (kept === 0) return printLine(all ? 'No note has an unknown origin.' : 'They were yours already.');
    printLine(kept === 1 ? 'One more note is yours.' : `${kept} more notes are yours.`);
  });
}

type DeleteOptions = { readonly yes?: true; readonly permanent?: true };

function deleteNote(notePath: string, { permanent, ...options }: DeleteOptions): Promise<void> {
  return withClient(async (client) => {
    const call = { params: { path: notePath } };
    await orMissing(client.call('GET /api/note-versions/{path}', call), missing(notePath));
    const question = permanent
      ? `Delete the note ${notePath} and its history for good?`
      : `Delete the note ${notePath}?`;
    if (!(await isConfirmed(question, options))) return printLine('Nothing was deleted.');
    const query = permanent && { permanent: 'true' as const };
    await orMissing(client.call('DELETE /api/memory/{path}', { ...call, ...(query && { query }) }), missing(notePath));
    printLine(permanent ? `Deleted ${notePath} and its history.` : `Deleted ${notePath}.`);
  });
}

const missing = (notePath: string) => `The note ${notePath} does not exist. \`reborn memory list\` lists the newest.`;

async function findText(client: Client, notePath: string): Promise<string | undefined> {
  try {
    return (await client.call('GET /api/memory/{path}', { params: { path: notePath } })).text;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
