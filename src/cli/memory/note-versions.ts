import type { Client } from '@reborn-agent/client';
import type { Note, NoteVersion } from '@reborn-agent/client/api';
import { formatMinute } from '@reborn-agent/client/format';
import { describeRead, readBeforeNote } from '@reborn-agent/client/gate-card';
import type { Command } from 'commander';
import { orMissing, withClient } from '../connect/with-client.ts';
import { printJson, printLine, printTable, printText } from '../print.ts';

type Json = { readonly json?: true };

/** The commands of `reborn memory` for the history of notes. */
export function addVersionCommands(memory: Command): void {
  memory
    .command('history')
    .argument('<path>', 'the path of the note, which may be deleted')
    .argument('[version]', 'print the text of this version', Number)
    .option('--json', 'print JSON')
    .description('List the versions of a note: when, by whom and after reading what each was written.')
    .addHelpText('after', '\nExamples:\n  reborn memory history people/ann\n  reborn memory history people/ann 2')
    .action(showHistory);
  memory
    .command('restore')
    .argument('<path>', 'the path of the note, which may be deleted')
    .argument('[version]', 'the version to restore; the one before the newest when left out', Number)
    .description('Undo a change or a deletion of a note. Its present text stays in the history.')
    .addHelpText('after', '\nExamples:\n  reborn memory restore people/ann\n  reborn memory restore people/ann 2')
    .action(restoreNote);
  memory
    .command('deleted')
    .option('--json', 'print JSON')
    .description('List the deleted notes that can be restored.')
    .addHelpText('after', '\nExample:\n  reborn memory deleted')
    .action(listDeleted);
}

function showHistory(path: string, version: number | undefined, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    const versions = await readVersions(client, path);
    if (version === undefined) return json ? printJson(versions) : printVersions(versions);
    const found = versions.find((each) => each.version === version);
    if (!found) throw new Error(`The note ${path} has no version ${version}.`);
    if (json) return printJson(found);
    if (found.text === null) return printLine('This version is a deletion.');
    printText(found.text);
  });
}

function printVersions(versions: readonly NoteVersion[]): void {
  printTable([
    ['version', 'written', 'by', 'text', 'after reading'],
    ...versions.map(({ version, written_at: at, written_by: by, text, sources }) => [
      String(version),
      formatMinute(at),
      AUTHORS[by],
      text === null ? '(deleted)' : text.trim().replace(/\s+/g, ' ').slice(0, MOST_LETTERS),
      describeRead(readBeforeNote(sources)),
    ]),
  ]);
}

const MOST_LETTERS = 60;

const AUTHORS: Record<Note['written_by'], string> = { person: 'you', agent: 'the agent', unknown: 'unknown' };

function restoreNote(path: string, version: number | undefined): Promise<void> {
  return withClient(async (client) => {
    const wanted = version ?? (await readVersions(client, path))[1]?.version;
    if (wanted === undefined) throw new Error(`The note ${path} has one version. There is nothing to undo.`);
    const restored = client.call('POST /api/note-versions/{path}', { params: { path }, body: { version: wanted } });
    await orMissing(
      restored,
      `The note ${path} has no version ${wanted}. \`reborn memory history ${path}\` lists them.`,
    );
    printLine(`Restored version ${wanted} of ${path}.`);
  });
}

function listDeleted({ json }: Json): Promise<void> {
  return withClient(async (client) => {
    const { notes } = await client.call('GET /api/deleted-notes', { query: { limit: 100 } });
    if (json) return printJson(notes);
    if (notes.length === 0) return printLine('No deleted notes.');
    printTable([
      ['path', 'deleted', 'by'],
      ...notes.map((note) => [note.path, formatMinute(note.deleted_at), AUTHORS[note.written_by]]),
    ]);
  });
}

async function readVersions(client: Client, path: string): Promise<readonly NoteVersion[]> {
  const found = client.call('GET /api/note-versions/{path}', { params: { path } });
  return (await orMissing(found, `There never was a note ${path}. \`reborn memory list\` lists the newest.`)).versions;
}
