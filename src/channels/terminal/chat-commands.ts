import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Chat } from './chat.ts';
import { chooseModel } from './choose-model.ts';
import { type Command, HELP } from './commands.ts';
import { formatCost } from './money.ts';
import { oneLine } from './printable.ts';

/** Does what was typed instead of a message. */
export async function runChatCommand(chat: Chat, { name, argument }: Command): Promise<void> {
  switch (name) {
    case 'new':
      chat.thread.begin();
      return chat.thread.note('A new thread. Say something.');
    case 'threads':
      return pickThread(chat);
    case 'model':
      return chooseModel(chat, argument);
    case 'memory':
      return searchMemory(chat, argument);
    case 'tools':
      return listTools(chat);
    case 'usage':
      return showUsage(chat);
    case 'export':
      return exportThread(chat, argument);
    case 'help':
      return chat.thread.note(HELP);
  }
}

async function pickThread(chat: Chat): Promise<void> {
  const threads = await chat.client.listThreads();
  if (threads.length === 0) return chat.thread.note('There are no threads yet. Say something to begin one.');
  const choices = threads.map(({ id, title, status, updated_at: updatedAt }) => ({
    value: id,
    label: oneLine(title) || 'untitled',
    description: `${status === 'idle' ? '' : `${status}, `}${relative(updatedAt)}`,
  }));
  const picked = await chat.screen.pick('Go on with (Enter opens, Esc goes back)', choices);
  if (picked) await chat.thread.open(picked);
}

async function searchMemory(chat: Chat, words: string): Promise<void> {
  const query = words ? `?limit=10&q=${encodeURIComponent(words)}` : '?limit=10';
  const { results } = (await chat.client.get(`/api/memory${query}`)) as {
    results: readonly { path: string; text: string }[];
  };
  if (results.length === 0) return chat.thread.note(words ? 'No note fits these words.' : 'There are no notes yet.');
  chat.thread.note(results.map(({ path: note, text }) => `${note}: ${oneLine(text).slice(0, 200)}`).join('\n'));
}

async function listTools(chat: Chat): Promise<void> {
  const { tools } = (await chat.client.get('/api/tools')) as {
    tools: readonly ListedTool[];
  };
  if (tools.length === 0) return chat.thread.note('There are no tools. `reborn tool install` adds one.');
  chat.thread.note(
    tools
      .map((tool) => [tool.name, firstSentence(tool.description ?? ''), stateOf(tool)].filter(Boolean).join('  '))
      .join('\n'),
  );
}

type ListedTool = {
  readonly name: string;
  readonly description: string | null;
  readonly needs_sign_in: boolean;
  readonly quarantined_until?: string | null;
};

function stateOf({ needs_sign_in: lacks, quarantined_until: until }: ListedTool): string {
  if (until) return `(crashed too often; out of use for ${Math.ceil((Date.parse(until) - Date.now()) / 60_000)} min)`;
  return lacks ? '(needs a sign-in)' : '';
}

async function showUsage(chat: Chat): Promise<void> {
  const { usage } = (await chat.client.get('/api/usage?days=7')) as {
    usage: readonly {
      day: string;
      model: string;
      input_tokens: number;
      output_tokens: number;
      cost_usd: string;
      unpriced_calls: number;
    }[];
  };
  if (usage.length === 0) return chat.thread.note('Nothing was used in the last 7 days.');
  const lines = usage.map((row) => {
    const tokens = (row.input_tokens + row.output_tokens).toLocaleString('en');
    return `${row.day}  ${row.model}  ${tokens} tokens  ${formatCost(row.unpriced_calls > 0 ? null : row.cost_usd)}`;
  });
  chat.thread.note(lines.join('\n'));
}

async function exportThread(chat: Chat, file: string): Promise<void> {
  const id = chat.thread.now().threadId;
  if (!id) return chat.thread.note('There is nothing to export yet.');
  const target = path.resolve(file || `thread-${id.slice(0, 8)}.md`);
  const text = await chat.client.get(`/api/threads/${id}/export?format=markdown`);
  // `wx`: what was written before is never lost to a slip of the fingers.
  await writeFile(target, String(text), { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST'
      ? new Error(`${target} exists. Name another file: /export name.md`)
      : error;
  });
  chat.thread.note(`Written to ${target}.`);
}

/** As much of a description as tells what it is about. */
function firstSentence(text: string): string {
  const [sentence = ''] = oneLine(text).split(/(?<=[.!?])\s/, 1);
  return sentence.length > 100 ? `${sentence.slice(0, 99)}…` : sentence;
}

function relative(time: string): string {
  const minutes = Math.round((Date.now() - Date.parse(time)) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1440)} days ago`;
}
