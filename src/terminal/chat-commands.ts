import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@reborn-agent/client';
import type { AgentTool, OfferedModelList } from '@reborn-agent/client/api';
import { formatCost, formatCount } from '@reborn-agent/client/format';
import type { Socket } from '@reborn-agent/client/socket';
import { cut } from '#domain/text/cut.ts';
import { type Command, HELP } from './commands.ts';
import type { Drafts } from './drafts.ts';
import { getFile, listFiles, undoFiles } from './files/file-commands.ts';
import type { Focus } from './focus.ts';
import type { EarlierPrompts } from './history/earlier-prompts.ts';
import type { PromptHistory } from './history/prompt-history.ts';
import type { Offers } from './offers.ts';
import { oneLine } from './screen/printable.ts';
import type { Screen } from './screen/screen.ts';
import { type AssistantChoice, chooseAssistant } from './slash/choose-assistant.ts';
import { chooseProject } from './slash/choose-project.ts';
import { asksToCompact, BEGINS_WITH_SUMMARY, compactThread } from './slash/compact-thread.ts';
import { listSubagents } from './slash/list-subagents.ts';
import { runMemoryCommand } from './slash/memory-command.ts';
import { rateAnswer } from './slash/rate-answer.ts';
import { goTo, pickThread } from './slash/thread-list.ts';
import type { ThreadView } from './thread-view.ts';
import type { Versions } from './versions.ts';
import { writeServerPrompt } from './write-prompt.ts';

/** Does what was typed instead of a message. */
export async function runChatCommand(chat: Chat, command: Command): Promise<void> {
  const { argument } = command;
  switch (command.name) {
    case 'new':
      await goTo(chat, undefined, () => chat.thread.begin());
      return chat.thread.note('New thread. Type a message.');
    case 'temporary':
      await goTo(chat, undefined, () => chat.thread.begin({ temporary: true }));
      return chat.thread.note(TEMPORARY);
    case 'threads':
      return pickThread(chat);
    case 'rename':
      return renameThread(chat, argument);
    case 'copy':
      return copyAnswer(chat);
    case 'status':
      return showStatus(chat);
    case 'context':
      return showContext(chat);
    case 'compact':
      return chat.thread.note(await compactThread(chat.client, chat.thread.now().threadId, asksToCompact(argument)));
    case 'stop':
      return stopTurn(chat) ? undefined : chat.thread.note('Nothing is running.');
    case 'subagents':
      return listSubagents(chat);
    case 'now':
      return chat.sendNow(argument);
    case 'good':
    case 'bad':
      return rateAnswer(chat, command.name, argument);
    case 'edit':
      return chat.versions.editOne();
    case 'regenerate':
      return chat.versions.regenerate();
    case 'version':
      return chat.versions.focusNewest();
    case 'agent':
      return chooseAssistant(chat, argument);
    case 'project':
      return chooseProject(chat, argument);
    case 'model':
      return chooseModel(chat, argument);
    case 'memory':
      return runMemoryCommand(chat, argument);
    case 'tools':
      return listTools(chat);
    case 'usage':
      return showUsage(chat);
    case 'export':
      return exportThread(chat, argument);
    case 'files':
      return listFiles(chat);
    case 'get':
      return getFile(chat, argument);
    case 'undo':
      return undoFiles(chat);
    case 'prompt':
      return writeServerPrompt(chat, command);
    case 'help':
      return chat.thread.note(HELP);
  }
}

/** Stops the turn that runs or waits for an answer. Says whether there is one. */
export function stopTurn({ thread, socket }: Pick<Chat, 'thread' | 'socket'>): boolean {
  const { stoppable } = thread.now();
  if (stoppable !== undefined) socket.send({ type: 'cancel', turn_id: stoppable });
  return stoppable !== undefined;
}

const TEMPORARY =
  'Temporary thread: it reads and writes no memory, is in no search, and is deleted 24 hours after its last message. Type a message.';

async function renameThread(chat: Chat, title: string): Promise<void> {
  const id = chat.thread.now().threadId;
  if (!id) return chat.thread.note('The first message creates the thread; then it can be renamed.');
  if (title === '') return chat.thread.note('Say how it should be called: /rename Trip to Oslo');
  await chat.client.call('PATCH /api/threads/{id}', { params: { id }, body: { title } });
  chat.thread.note(`The thread is called ${oneLine(title)} now.`);
}

async function copyAnswer(chat: Chat): Promise<void> {
  const answer = chat.thread.now().entries.findLast((entry) => entry.kind === 'said' && entry.role === 'assistant');
  if (answer?.kind !== 'said') return chat.thread.note('There is no answer yet.');
  chat.screen.copy(answer.written ?? answer.text);
  chat.thread.note('Copied, if your terminal lets programs use the clipboard.');
}

async function showContext(chat: Chat): Promise<void> {
  const { context } = chat.thread.now();
  const { model, thread } = await findModel(chat);
  const next =
    thread && thread.compact_asked ? BEGINS_WITH_SUMMARY : 'What is older is summed up when the context gets full.';
  const window = model ? ` of ${formatCount(model.context_tokens, 'token')}` : '';
  chat.thread.note(
    context === undefined
      ? 'No prompt was sent yet.'
      : `${formatCount(context, 'token')}${window} were in the last prompt and its answer. ${next}`,
  );
}

async function findModel(chat: Chat) {
  const { threadId } = chat.thread.now();
  const thread = threadId && (await chat.client.call('GET /api/threads/{id}', { params: { id: threadId } }));
  const { models } = await chat.client.call('GET /api/models');
  const route = chat.model.get() ?? (thread ? thread.model : null) ?? DEFAULT;
  return { thread, route, model: models.find(({ id }) => id === route) };
}

async function showStatus(chat: Chat): Promise<void> {
  const { usage, project: next } = chat.thread.now();
  const { thread, route, model } = await findModel(chat);
  const project = await findProject(chat, thread ? thread.project_id : next);
  chat.thread.note(
    [
      ...(thread ? [`thread   ${oneLine(thread.title)} (${thread.id})`] : ['thread   a new one']),
      ...(project ? [`project  ${oneLine(project.name)}`] : []),
      `agent    ${chat.assistant.of(thread || undefined) ?? 'the usual one'}`,
      `model    ${model ? `${describe(model)}, ${formatCount(model.context_tokens, 'token')} of context` : route}`,
      `used     ${formatCount(usage.input_tokens + usage.output_tokens, 'token')}, ${formatCost(usage.cost_usd)}`,
    ].join('\n'),
  );
}

async function findProject({ client }: Chat, id: string | null | undefined) {
  if (!id) return undefined;
  return (await client.call('GET /api/projects')).projects.find((project) => project.id === id);
}

async function listTools(chat: Chat): Promise<void> {
  const { tools } = await chat.client.call('GET /api/tools');
  if (tools.length === 0) return chat.thread.note('No tools yet. `reborn tool install` adds one.');
  chat.thread.note(
    tools
      .map((tool) => [tool.name, firstSentence(tool.description ?? ''), stateOf(tool)].filter(Boolean).join('  '))
      .join('\n'),
  );
}

function stateOf({ level, needs_sign_in: lacks, quarantined_until: until }: AgentTool): string {
  if (until) return `(crashed too often; out of use for ${Math.ceil((Date.parse(until) - Date.now()) / 60_000)} min)`;
  return lacks ? '(needs a sign-in)' : LEVELS[level];
}

const LEVELS: Record<AgentTool['level'], string> = {
  allow: '',
  ask: '(asks first)',
  depends: '(asks first for some calls)',
  never: '(never runs)',
};

async function showUsage(chat: Chat): Promise<void> {
  const { usage } = await chat.client.call('GET /api/usage', { query: { days: 7 } });
  if (usage.length === 0) return chat.thread.note('Nothing was used in the last 7 days.');
  const lines = usage.map((row) => {
    const tokens = formatCount(row.input_tokens + row.output_tokens, 'token');
    return `${row.day}  ${row.model}  ${tokens}  ${formatCost(row.unpriced_calls > 0 ? null : row.cost_usd)}`;
  });
  chat.thread.note(lines.join('\n'));
}

async function exportThread(chat: Chat, file: string): Promise<void> {
  const id = chat.thread.now().threadId;
  if (!id) return chat.thread.note('There is nothing to export yet.');
  const target = path.resolve(file || `thread-${id.slice(0, 8)}.md`);
  const exported = await chat.client.fetch(`/api/threads/${id}/export?format=markdown`);
  // `wx`: what was written before is never lost to a slip of the fingers.
  await writeFile(target, await exported.text(), { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST'
      ? new Error(`${target} exists. Name another file: /export name.md`)
      : error;
  });
  chat.thread.note(`Written to ${target}.`);
}

/** The beginning of a description. */
function firstSentence(text: string): string {
  const [sentence = ''] = oneLine(text).split(/(?<=[.!?])\s/, 1);
  return cut(sentence, 100);
}

/** What the keys and commands of the chat work with. */
export type Chat = {
  readonly screen: Screen;
  readonly client: Client;
  readonly socket: Socket;
  readonly offers: Offers;
  readonly thread: ThreadView;
  readonly drafts: Drafts;
  readonly focus: Focus;
  readonly model: ModelChoice;
  readonly assistant: AssistantChoice;
  readonly versions: Versions;
  /** The earlier messages of the thread. */
  readonly earlier: EarlierPrompts;
  readonly prompts: PromptHistory;
  /** Opens a text in the person's editor. */
  readonly editText: (text: string) => Promise<string>;
  /** Does what the text says, as if it was typed. */
  submit(text: string): void;
  /** Sends this message, or the first one that waits, and stops the running step. */
  sendNow(text: string): Promise<void>;
  /** Does the work, and shows why it failed. */
  attempt(work: () => Promise<void>): void;
  quit(): void;
};

/** Which model route answers what is sent from here on; undefined until one is chosen. */
export type ModelChoice = {
  get(): string | undefined;
  set(route: string): void;
  /** How the default model is called. */
  setDefault(name: string): void;
  /** What the operator offers now. */
  learn(models: readonly Model[]): void;
  /** How many tokens the model that answers next can have; undefined until it is known. */
  window(): number | undefined;
  /** What the status line calls the model that answers next. */
  name(): string;
};

type Model = OfferedModelList['models'][number];

/** The route of the default model. It has to be named: a thread continues with the model that answered last. */
const DEFAULT = 'default';

/** `/model`: what is sent from here on is answered by another of the operator's models. */
async function chooseModel(chat: Chat, name: string): Promise<void> {
  const offered = (await chat.client.call('GET /api/models')).models;
  chat.model.learn(offered);
  const [usual, ...others] = offered;
  const models = new Map([...others, ...(usual ? [usual] : [])].map((model) => [model.id, model]));
  if (name === '' && models.size === 1 && usual)
    return chat.thread.note(
      `The only model is ${describe(usual)}. \`reborn init\` sets another; more are added in the browser, under Models.`,
    );
  const picked = name || (await pick(chat, models));
  if (picked === undefined) return;
  const found = models.get(picked) ?? (usual?.route === picked ? usual : undefined);
  if (!found)
    return chat.thread.note(
      `The model "${oneLine(picked)}" does not exist. Available models: ${[...models.keys()].join(', ')}.`,
    );
  chat.model.set(found.id);
  chat.thread.note(`From here on ${describe(found)} answers.`);
}

function pick(chat: Chat, models: ReadonlyMap<string, Model>): Promise<string | undefined> {
  const current = chat.model.get() ?? DEFAULT;
  const choices = Array.from(models, ([name, route]) => ({
    value: name,
    label: oneLine(name),
    description: `${describe(route)}${name === current ? ', answers now' : ''}`,
  }));
  return chat.screen.pick('Choose a model (Enter chooses, Esc goes back)', choices);
}

export function createModelChoice(draw: () => void): ModelChoice {
  let usual = '';
  let chosen: string | undefined;
  let offered: readonly Model[] = [];
  return {
    get: () => chosen,
    set(route) {
      chosen = route;
      draw();
    },
    setDefault(name) {
      usual = name;
    },
    learn(models) {
      offered = models;
      draw();
    },
    window: () => offered.find(({ id }) => id === (chosen ?? DEFAULT))?.context_tokens,
    name: () => (chosen === undefined || chosen === DEFAULT ? usual : chosen),
  };
}

const describe = ({ provider, name }: Model) =>
  provider === 'demo' ? 'the offline demo model' : oneLine(`${name} by ${provider}`);
