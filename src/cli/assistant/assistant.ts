import { readFile } from 'node:fs/promises';
import type { Client } from '@reborn-agent/client';
import type { Assistant, AssistantChange } from '@reborn-agent/client/api';
import { type Command, Option } from 'commander';
import { orMissing, withClient } from '../connect/with-client.ts';
import { findId } from '../find-named.ts';
import { printJson, printLine, printTable } from '../print.ts';
import {
  addBudgetOptions,
  onlyGiven,
  orNull,
  toName,
  toNames,
  type WorkOptions,
  workFieldsOf,
} from './work-options.ts';

type Json = { readonly json?: true };
type Options = WorkOptions & {
  readonly description?: string;
  readonly instructions?: string;
  readonly instructionsFile?: string;
  readonly model?: string | null;
  readonly skills?: readonly string[] | null;
  readonly memory?: 'shared' | 'read' | 'own' | 'none';
};

const EXAMPLE = 'research';

/** `reborn assistant`: the agent under names, with its own instructions and limits. */
export function addAssistantCommands(program: Command): void {
  const assistant = program
    .command('assistant')
    .description('Manage assistants: the agent under a name, with its own instructions and limits.');
  addOptions(assistant.command('create').argument('<name>', 'small letters, digits and dashes'))
    .option('--everyone', 'everybody may use it')
    .description('Create an assistant.')
    .addHelpText(
      'after',
      `\nExample:\n  reborn assistant create ${EXAMPLE} --description "Finds things out." --instructions "Name your sources." --tools reborn_web_search,reborn_web_fetch`,
    )
    .action(createAssistant);
  addOptions(assistant.command('update').argument('<assistant>', 'its name or id'))
    .description('Save a new version of an assistant. Settings that are left out stay as they are.')
    .addHelpText('after', `\nExample:\n  reborn assistant update ${EXAMPLE} --usd-per-day 0.50`)
    .action(updateAssistant);
  assistant
    .command('list')
    .option('--json', 'print JSON')
    .description('List the assistants that you may use.')
    .addHelpText('after', '\nExample:\n  reborn assistant list')
    .action(listAssistants);
  assistant
    .command('show')
    .argument('<assistant>', 'its name or id')
    .option('--json', 'print JSON, with all versions')
    .description('Show an assistant.')
    .addHelpText('after', `\nExample:\n  reborn assistant show ${EXAMPLE}`)
    .action(showAssistant);
  assistant
    .command('delete')
    .argument('<assistant>', 'its name or id')
    .description('Delete an assistant. Messages that it has accepted are still answered.')
    .addHelpText('after', `\nExample:\n  reborn assistant delete ${EXAMPLE}`)
    .action(deleteAssistant);
}

function addOptions(command: Command): Command {
  const withOptions = command
    .option('--description <text>', 'what it is for, in a sentence')
    .option('--instructions <text>', 'what it is told in every prompt')
    .option('--instructions-file <path>', 'the same from a file')
    .option('--model <name>', 'the model that answers when a message names none; none for the default', toName)
    .option('--tools <names>', 'the only tools that it may use, separated by commas; all for all', toNames)
    .option('--skills <names>', 'the only skills that it may read, separated by commas; all for all', toNames)
    .addOption(new Option('--memory <scope>', 'what it does with notes').choices(['shared', 'read', 'own', 'none']));
  return addBudgetOptions(withOptions);
}

async function toChange(options: Options): Promise<AssistantChange> {
  const { description, instructionsFile, model, skills, memory } = options;
  if (options.instructions !== undefined && instructionsFile !== undefined)
    throw new Error('Choose --instructions or --instructions-file, not both.');
  const instructions = instructionsFile === undefined ? options.instructions : await readFile(instructionsFile, 'utf8');
  return {
    ...onlyGiven({ description, instructions, model: orNull(model), skills: orNull(skills), memory }),
    ...workFieldsOf(options),
  };
}

function createAssistant(
  name: string,
  { everyone, ...options }: Options & { readonly everyone?: true },
): Promise<void> {
  return withClient(async (client) => {
    const body = { name, for: everyone ? 'everyone' : 'me', ...(await toChange(options)) } as const;
    const made = await client.call('POST /api/assistants', { body });
    printLine(`Created. Try it: reborn ask --assistant ${made.name} "Who are you?"`);
    printLine(`Clients of the Responses API send the model ${made.model_name}.`);
  });
}

function updateAssistant(given: string, options: Options): Promise<void> {
  return withClient(async (client) => {
    const params = { id: await findAssistant(client, given) };
    const body = await toChange(options);
    const changed = await orMissing(client.call('PATCH /api/assistants/{id}', { params, body }), MISSING);
    printLine(`Saved version ${changed.version} of ${changed.name}. Messages get it from now on.`);
  });
}

function listAssistants({ json }: Json): Promise<void> {
  return withClient(async (client) => {
    const { assistants } = await client.call('GET /api/assistants');
    if (json) return printJson(assistants);
    if (assistants.length === 0) return printLine('No assistants yet. `reborn assistant create` makes one.');
    printTable([
      ['name', 'for', 'version', 'model', 'tools', 'description'],
      ...assistants.map(({ name, for: whom, version, model, tools, description }) => [
        name,
        whom,
        String(version),
        model ?? 'default',
        tools === null ? 'all' : String(tools.length),
        description.slice(0, 80),
      ]),
    ]);
  });
}

function showAssistant(given: string, { json }: Json): Promise<void> {
  return withClient(async (client) => {
    const params = { id: await findAssistant(client, given) };
    const found = await orMissing(client.call('GET /api/assistants/{id}', { params }), MISSING);
    if (!json) return printTable(rowsOf(found));
    const { versions } = await client.call('GET /api/assistants/{id}/versions', { params });
    printJson({ assistant: found, versions });
  });
}

const rowsOf = (found: Assistant): string[][] => [
  ['name', found.name],
  ['for', found.for],
  ['version', `${found.version}, saved ${found.written_at}`],
  ['description', found.description],
  ['instructions', found.instructions ?? '-'],
  ['model', found.model ?? 'default'],
  ['tools', found.tools?.join(', ') ?? 'all'],
  ['skills', found.skills?.join(', ') ?? 'all'],
  ['memory', found.memory],
  ['tokens', `${found.tokens_per_run ?? 'no limit'} per run, ${found.tokens_per_day ?? 'no limit'} per day`],
  ['US dollars', `${found.usd_per_run ?? 'no limit'} per run, ${found.usd_per_day ?? 'no limit'} per day`],
];

function deleteAssistant(given: string): Promise<void> {
  return withClient(async (client) => {
    const params = { id: await findAssistant(client, given) };
    await orMissing(client.call('DELETE /api/assistants/{id}', { params }), MISSING);
    printLine('Deleted.');
  });
}

/** Of two with one name, their own one is meant, as in messages. */
function findAssistant(client: Client, given: string): Promise<string> {
  const readAll = async () => {
    const { assistants } = await client.call('GET /api/assistants');
    const own = new Set(assistants.filter((each) => each.for === 'me').map(({ name }) => name));
    return assistants.filter((each) => each.for === 'me' || !own.has(each.name));
  };
  return findId(given, readAll, { kind: 'assistant', list: 'reborn assistant list' });
}

const MISSING = 'This assistant does not exist. `reborn assistant list` shows all assistants.';
