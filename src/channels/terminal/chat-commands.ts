import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Chat } from './chat.ts';
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
      return showModel(chat);
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

async function showModel(chat: Chat): Promise<void> {
  const { model } = (await chat.client.get('/api/status')) as {
    model: { provider: string; name: string; demo: boolean };
  };
  chat.thread.note(
    model.demo
      ? 'The demo model answers, offline. `reborn init` sets a real one.'
      : `${model.name}, by ${model.provider}. \`reborn init\` sets another.`,
  );
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
    tools: readonly { name: string; description: string | null; needs_sign_in: boolean }[];
  };
  if (tools.length === 0) return chat.thread.note('There are no tools. `reborn tool install` adds one.');
  chat.thread.note(
    tools
      .map(({ name, description, needs_sign_in: lacks }) =>
        [name, oneLine(description ?? '').slice(0, 100), lacks ? '(needs a sign-in)' : ''].filter(Boolean).join('  '),
      )
      .join('\n'),
  );
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

function relative(time: string): string {
  const minutes = Math.round((Date.now() - Date.parse(time)) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h ago` : `${Math.round(minutes / 1440)} days ago`;
}
