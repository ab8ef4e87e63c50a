import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { withClient } from '../connect/with-client.ts';
import { printLine, printTable, printText } from '../print.ts';
import { findProject } from './find-project.ts';

/** `reborn project notes`: texts that the threads of a project read as files. */
export function addProjectNotes(project: Command): void {
  project
    .command('notes')
    .argument('<project>', 'the name or the id')
    .argument('[path]', 'the path of a note; lists all when left out')
    .option('--set', 'write the note from stdin')
    .option('--delete', 'delete the note')
    .description('List the notes of a project, or print, write or delete one.')
    .addHelpText(
      'after',
      '\nExamples:\n  reborn project notes "Move to Oslo"\n  reborn project notes "Move to Oslo" people/carrier --set < carrier.md',
    )
    .action(runNotes);
}

type Options = { readonly set?: true; readonly delete?: true };

function runNotes(called: string, path: string | undefined, options: Options): Promise<void> {
  return withClient(async (client) => {
    const { id } = await findProject(client, called);
    if (path === undefined) {
      if (options.set || options.delete) throw new Error('Name the note to write or to delete.');
      const { notes } = await client.call('GET /api/projects/{id}/notes', { params: { id } });
      if (notes.length === 0) return printLine('No notes yet.');
      return printTable([
        ['path', 'by', 'changed'],
        ...notes.map((note) => [
          note.path,
          note.written_by.you ? 'you' : (note.written_by.name ?? 'unknown'),
          note.updated_at.slice(0, 16).replace('T', ' '),
        ]),
      ]);
    }
    const params = { id, path };
    if (options.delete) {
      await client.call('DELETE /api/projects/{id}/notes/{path}', { params });
      return printLine(`Deleted ${path}.`);
    }
    if (options.set) {
      const note = await client.call('PUT /api/projects/{id}/notes/{path}', {
        params,
        body: { text: await text(process.stdin) },
      });
      return printLine(`Saved ${note.path}.`);
    }
    const note = await client.call('GET /api/projects/{id}/notes/{path}', { params });
    printText(note.text);
  });
}
