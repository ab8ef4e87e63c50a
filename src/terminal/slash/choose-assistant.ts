import type { Client } from '@reborn-agent/client';
import type { Assistant, Thread } from '@reborn-agent/client/api';
import { oneLine } from '../screen/printable.ts';
import type { Screen } from '../screen/screen.ts';
import type { ThreadView } from '../thread-view.ts';

/** Which assistant answers what is sent from here on; null for the usual agent, undefined for that of the thread. */
export type AssistantChoice = {
  get(): string | null | undefined;
  set(name: string | null): void;
  /** Who answers next in a thread; undefined for the usual agent. */
  of(thread: Pick<Thread, 'assistant'> | undefined): string | undefined;
};

export function createAssistantChoice(): AssistantChoice {
  let chosen: string | null | undefined;
  return {
    get: () => chosen,
    set(name) {
      chosen = name;
    },
    of: (thread) => (chosen === undefined ? thread?.assistant : chosen) ?? undefined,
  };
}

type Chat = {
  readonly client: Client;
  readonly screen: Pick<Screen, 'pick'>;
  readonly thread: Pick<ThreadView, 'note'>;
  readonly assistant: AssistantChoice;
};

const USUAL = '';
const OFF = ['off', 'none'];

/** `/agent`: what is sent from here on is for another assistant, or for the usual agent. */
export async function chooseAssistant(chat: Chat, given: string): Promise<void> {
  const { assistants } = await chat.client.call('GET /api/assistants');
  if (assistants.length === 0)
    return chat.thread.note('There are no assistants yet. `reborn assistant create` makes one, or the browser does.');
  const name = given === '' ? await pick(chat, assistants) : given.replace(/^@/, '').toLowerCase();
  if (name === undefined) return;
  if (name === USUAL || OFF.includes(name)) {
    chat.assistant.set(null);
    return chat.thread.note('From here on the usual agent answers.');
  }
  if (!assistants.some((each) => each.name === name)) {
    const names = [...new Set(assistants.map((each) => each.name))].join(', ');
    return chat.thread.note(`The assistant "${oneLine(name)}" does not exist. Available assistants: ${names}.`);
  }
  chat.assistant.set(name);
  chat.thread.note(`From here on the assistant ${name} answers.`);
}

function pick(chat: Chat, assistants: readonly Assistant[]): Promise<string | undefined> {
  const byName = new Map(assistants.map(({ name, description }) => [name, description]));
  const choices = Array.from(byName, ([value, description]) => ({
    value,
    label: value,
    description: oneLine(description),
  }));
  const usual = { value: USUAL, label: 'the usual agent', description: '' };
  return chat.screen.pick('Choose an assistant (Enter chooses, Esc goes back)', [usual, ...choices]);
}
