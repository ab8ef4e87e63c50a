import { judgeAddress } from '#safety/addresses/judge-address.ts';
import type { Tool } from '#tools/tool.ts';
import { type Answer, followScript, type SeenPrompt } from '../support/scripted-model.ts';
import { createMailTool } from './mail-tool.ts';

const definition = { description: null, parameters: { type: 'object' }, strict: null };

const urlOf = (json: string) => (JSON.parse(json) as { url: string }).url;

/** A page by others, a tool that opens its links, and one that sends mails. */
export function createReadingTools() {
  const { tool: mail, sent } = createMailTool();
  const opened: string[] = [];
  const read: Tool = {
    definition: { ...definition, name: 'read_news' },
    repeatable: true,
    level: 'allow',
    flow: { reads: { foreign: true }, from: 'page', runs: 'always' },
    source: () => 'https://news.example/boats',
    call: async () => 'Boats for sale: https://news.example/boats/7 and https://news.example/rest?for=',
  };
  const open: Tool = {
    definition: { ...definition, name: 'open_page' },
    repeatable: true,
    level: 'allow',
    flow: { reads: { foreign: true }, from: 'page', runs: (json, before) => judgeAddress(urlOf(json), before) },
    source: urlOf,
    call: async (json) => {
      opened.push(urlOf(json));
      return 'A boat with two masts.';
    },
  };
  return { tools: [read, open, mail], sent, opened };
}

/** Addresses that the person has written are opened at once, so the model has to find them itself. */
export function decideByWords(prompt: SeenPrompt): Answer {
  const { messages } = prompt;
  const asked = messages.map(({ role }) => role).lastIndexOf('user');
  const words = messages[asked]?.text ?? '';
  const calls = CALLS.filter(({ when }) => words.includes(when)).map(({ call }) => call);
  const isAnswered = messages.slice(asked + 1).some(({ role }) => role === 'tool');
  if (words.includes('Where can I order')) return { pieces: [ORDER] };
  if (words.includes('the Oslo fjord')) return { pieces: [FJORD] };
  return calls.length === 0 || isAnswered ? followScript(prompt) : { pieces: [], calls };
}

const FJORD = 'About 100 km, from Oslo to Færder (Store norske leksikon). I found no exact length.';
const ORDER = 'Order [here](https://news.example/rest?for=diary), or see [the boat](https://news.example/boats/7).';

const call = (name: string, input: object) => ({ name, arguments: JSON.stringify(input) });
const CALLS = [
  { when: 'boats', call: call('read_news', {}) },
  { when: 'tell Ann', call: call('send_mail', { to: 'ann@example.com', subject: 'A boat with two masts' }) },
  { when: 'look at the first one', call: call('open_page', { url: 'https://news.example/boats/7' }) },
  { when: 'order the list', call: call('open_page', { url: 'https://news.example/rest?for=Dear%20diary' }) },
];
