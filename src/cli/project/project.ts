import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Project } from '@reborn-agent/client/api';
import { Argument, type Command } from 'commander';
import {
  addBudgetOptions,
  onlyGiven,
  orNull,
  toName,
  type WorkOptions,
  workFieldsOf,
} from '../assistant/work-options.ts';
import { isConfirmed } from '../confirm.ts';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine, printPiece, printTable } from '../print.ts';
import { findProject } from './find-project.ts';
import { addProjectNotes } from './project-notes.ts';

type Json = { readonly json?: true };

/** `reborn project`: threads with common instructions, files and notes. */
export function addProjectCommands(program: Command): void {
  const project = program
    .command('project')
    .description('List, create, change, share and delete projects, and fill them.');
  project
    .command('list')
    .option('--json', 'print JSON')
    .description('List your projects, and those that others share with you.')
    .addHelpText('after', '\nExample:\n  reborn project list')
    .action(listProjects);
  project
    .command('create')
    .argument('<name>', 'the name of the project')
    .description('Create a project.')
    .addHelpText('after', '\nExample:\n  reborn project create "Move to Oslo"')
    .action((name: string) =>
      withClient(async (client) => {
        const made = await client.call('POST /api/projects', { body: { name } });
        printLine(`Created the project "${made.name}".`);
      }),
    );
  project
    .command('show')
    .argument('<project>', 'the name or the id')
    .option('--json', 'print JSON')
    .description('Show a project: who answers in its new threads, and its budgets.')
    .addHelpText('after', '\nExample:\n  reborn project show "Move to Oslo"')
    .action(showProject);
  addBudgetOptions(
    project
      .command('update')
      .argument('<project>', 'the name or the id')
      .option('--name <name>', 'what you call it')
      .option('--assistant <name>', 'the assistant of new threads in it; none for the usual agent', toName)
      .option('--model <name>', 'the model of new threads in it; none for your usual one', toName),
  )
    .description('Change what is your own in a project. Settings that are left out stay as they are.')
    .addHelpText('after', '\nExample:\n  reborn project update "Move to Oslo" --assistant research --usd-per-day 0.50')
    .action(updateProject);
  project
    .command('instructions')
    .argument('<project>', 'the name or the id')
    .option('--set', 'replace them with the text from stdin; an empty text removes them')
    .description('Print or replace the instructions for the agent in the threads of a project.')
    .addHelpText(
      'after',
      '\nExamples:\n  reborn project instructions "Move to Oslo"\n  reborn project instructions "Move to Oslo" --set < instructions.md',
    )
    .action(instruct);
  project
    .command('add-file')
    .argument('<project>', 'the name or the id')
    .argument('<file>', 'the file on this machine')
    .option('--own', 'you wrote it, so that reading it does not count as reading text by others')
    .description('Add a file that the threads of a project can read.')
    .addHelpText('after', '\nExample:\n  reborn project add-file "Move to Oslo" costs.csv --own')
    .action(addFile);
  addProjectNotes(project);
  addSharing(project);
  project
    .command('delete')
    .argument('<project>', 'the name or the id')
    .option('--yes', 'delete without asking')
    .description(
      'Delete a project with its instructions, notes and files, or leave one that another person owns. Threads stay.',
    )
    .addHelpText('after', '\nExample:\n  reborn project delete "Move to Oslo"')
    .action(deleteProject);
}

function addSharing(project: Command): void {
  project
    .command('share')
    .argument('<project>', 'the name or the id')
    .argument('<person>', 'the email address or the name of a user')
    .addArgument(new Argument('[role]', 'what they may do').choices(['read', 'write']).default('read'))
    .description('Share a project with a user of this installation, or change what they may do.')
    .addHelpText('after', '\nExample:\n  reborn project share "Move to Oslo" ann@example.com write')
    .action(share);
  project
    .command('unshare')
    .argument('<project>', 'the name or the id')
    .argument('<person>', 'the name of a member')
    .description('Stop sharing a project with a user.')
    .addHelpText('after', '\nExample:\n  reborn project unshare "Move to Oslo" Ann')
    .action(unshare);
}

function listProjects({ json }: Json): Promise<void> {
  return withClient(async (client) => {
    const { projects } = await client.call('GET /api/projects');
    if (json) return printJson(projects);
    if (projects.length === 0) return printLine('No projects yet.');
    printTable([
      ['name', 'owner', 'you may', 'shared'],
      ...projects.map((each) => [each.name, nameOf(each.owner), mayOf(each), each.is_shared ? 'yes' : 'no']),
    ]);
  });
}

function showProject(called: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    const { id } = await findProject(client, called);
    const found = await client.call('GET /api/projects/{id}', { params: { id } });
    if (json) return printJson(found);
    printTable([
      ['name', found.name],
      ['owner', nameOf(found.owner)],
      ['you may', mayOf(found)],
      ['shared', found.is_shared ? 'yes' : 'no'],
      ['instructions', found.instructions ? `${found.instructions.text.length} characters` : '-'],
      ['assistant', found.assistant ?? 'the usual agent'],
      ['model', found.model ?? 'your usual one'],
      ['tokens', `${found.tokens_per_run ?? 'no limit'} per run, ${found.tokens_per_day ?? 'no limit'} per day`],
      ['US dollars', `${found.usd_per_run ?? 'no limit'} per run, ${found.usd_per_day ?? 'no limit'} per day`],
    ]);
  });
}

type Update = Omit<WorkOptions, 'tools'> & {
  readonly name?: string;
  readonly assistant?: string | null;
  readonly model?: string | null;
};

function updateProject(called: string, { name, assistant, model, ...budgets }: Update): Promise<void> {
  return withClient(async (client) => {
    const body = {
      ...onlyGiven({ name, assistant: orNull(assistant), model: orNull(model) }),
      ...workFieldsOf(budgets),
    };
    if (Object.keys(body).length === 0) throw new Error('Say what to change, for example with --assistant.');
    const { id } = await findProject(client, called);
    const changed = await client.call('PATCH /api/projects/{id}', { params: { id }, body });
    printLine(`Saved "${changed.name}".`);
  });
}

const nameOf = ({ you, name }: Project['owner']) => (you ? 'you' : (name ?? 'unknown'));
const mayOf = ({ role }: Project) => (role === 'owner' ? 'all' : role);

function instruct(called: string, { set }: { readonly set?: true }): Promise<void> {
  return withClient(async (client) => {
    const { id } = await findProject(client, called);
    if (!set) {
      const { instructions } = await client.call('GET /api/projects/{id}', { params: { id } });
      return instructions ? printPiece(`${instructions.text.trimEnd()}\n`) : printLine('No instructions yet.');
    }
    const instructions = (await text(process.stdin)).trim() || null;
    await client.call('PATCH /api/projects/{id}', { params: { id }, body: { instructions } });
    printLine(instructions ? 'Saved. They apply from the next message on.' : 'Removed.');
  });
}

function addFile(called: string, file: string, { own }: { readonly own?: true }): Promise<void> {
  return withClient(async (client) => {
    const { id } = await findProject(client, called);
    const params = { id, path: path.basename(file) };
    await client.call('PUT /api/projects/{id}/files/{path}', {
      params,
      query: { own: own ? 'true' : 'false' },
      body: new Blob([await readFile(file)]),
    });
    printLine(`Added. Threads of the project read it as project/${params.path}.`);
  });
}

function share(called: string, person: string, role: 'read' | 'write'): Promise<void> {
  return withClient(async (client) => {
    const { id, name } = await findProject(client, called);
    const { members } = await client.call('POST /api/projects/{id}/members', {
      params: { id },
      body: { person, role },
    });
    printLine(`"${name}" is shared with ${members.map((member) => `${member.name} (${member.role})`).join(', ')}.`);
  });
}

function unshare(called: string, person: string): Promise<void> {
  return withClient(async (client) => {
    const { id, name } = await findProject(client, called);
    const { members } = await client.call('GET /api/projects/{id}/members', { params: { id } });
    const found = members.find((member) => member.id === person || member.name === person);
    if (!found) throw new Error(`"${name}" is not shared with "${person}".`);
    await client.call('DELETE /api/projects/{id}/members/{member}', { params: { id, member: found.id } });
    printLine(`"${name}" is not shared with ${found.name ?? found.id} any more.`);
  });
}

function deleteProject(called: string, options: { readonly yes?: true }): Promise<void> {
  return withClient(async (client) => {
    const { id, name, role } = await findProject(client, called);
    const question =
      role === 'owner'
        ? `Delete the project "${name}" with its instructions, notes and files?`
        : `Leave the project "${name}"?`;
    if (!(await isConfirmed(question, options))) return printLine('Nothing was deleted.');
    await client.call('DELETE /api/projects/{id}', { params: { id } });
    printLine(role === 'owner' ? `Deleted "${name}". Its threads stay.` : `You have left "${name}".`);
  });
}
