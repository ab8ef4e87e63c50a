import fc from 'fast-check';
import { type ItemId, newId } from '#domain/ids.ts';
import { wrapUntrusted } from '#domain/text/untrusted.ts';
import { type Item, type ItemBody, type OutputReads, text, textByOthers } from '#domain/thread/item.ts';
import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import type { GatedCall } from '#domain/tool/gate.ts';
import type { ToolLevel } from '#domain/tool/tool.ts';
import { memoryTools } from '#tools/builtin/memory-tools.ts';
import { webFetchTool } from '#tools/builtin/web-fetch.ts';
import { INERT, type Tool, type ToolSet } from '#tools/tool.ts';
import { type Call, call, open } from './people.ts';

/** Items that stay together: a message, or the calls of an answer with their outputs. */
export type Block = readonly ItemBody[];

const toolOf = (name: string, more: Partial<Tool>): Tool => ({
  definition: { name, description: null, parameters: null, strict: null },
  repeatable: true,
  call: async () => '',
  ...more,
});

const never = async () => {
  throw new Error('Nothing is called here.');
};
const noted = {
  text: '',
  origin: 'person' as const,
  version: 1,
  writtenBy: 'person' as const,
  sources: [],
  updatedAt: new Date(),
};
const memory = {
  search: never,
  writeByAgent: never,
  delete: never,
  find: async (_owner: unknown, path: string) => (path.startsWith('mine/') ? { ...noted, path } : undefined),
};

const TOOLS: readonly Tool[] = [
  webFetchTool({ send: never }, never),
  ...memoryTools(memory),
  toolOf('clock', { level: 'allow', flow: INERT }),
  toolOf('mailbox', { level: 'allow', flow: { reads: FOREIGN_AND_PRIVATE, runs: 'always' } }),
  toolOf('search', { level: 'allow', flow: { reads: { foreign: true }, runs: 'always' } }),
  toolOf('send', { level: 'allow' }),
  toolOf('pay', { level: 'ask' }),
  toolOf('erase', { level: 'never' }),
];
const byName = new Map(TOOLS.map((tool) => [tool.definition.name, tool]));

export const tools: ToolSet = { find: (name) => byName.get(name), definitions: () => [] };

/** The items of blocks, as a thread has them. */
export function threadOf(blocks: readonly Block[]): Item[] {
  return blocks.flat().map((body, position) => ({
    ...body,
    id: newId<ItemId>(),
    threadId: 't' as Item['threadId'],
    turnId: 'u' as Item['turnId'],
    turnSeq: 1,
    position,
    attempt: 0,
    usage: null,
    startedAt: null,
  }));
}

export const LEVELS: readonly ToolLevel[] = ['allow', 'ask', 'never'];

export const gatedCall = (given: Call): GatedCall => ({
  id: newId<ItemId>(),
  type: 'function_call',
  callId: newId<string>(),
  external: false,
  ...given,
});

const SITES = ['news.example', 'evil.example', 'wiki.example'];
const addresses = fc.constantFrom(
  ...SITES.flatMap((host) => ['/', '/a', '/a?b=c'].map((path) => `https://${host}${path}`)),
);
const words = fc.oneof(
  fc.constantFrom('Hello.', 'Look at news.example.', 'Mail Bob.'),
  addresses.map((address) => `See ${address}.`),
);

const message = (content: Extract<ItemBody, { type: 'message' }>['content']): Block => [
  { type: 'message', role: 'user', content, status: 'completed' },
];

function answer(given: Call, output: string, reads: OutputReads | undefined, external = false): Block {
  const callId = newId<string>();
  return [
    { type: 'function_call', callId, external, ...given },
    { type: 'function_call_output', callId, output: [text(output)], ...(reads && { reads }) },
  ];
}

export const ownWords = words.map((said) => message([text(said)]));

/** A message with text by others. It belongs to the beginning: like each message, it allows the agent to open pages again. */
export const foreignMessage = words.chain((said) =>
  fc.constantFrom(
    message([text('Look: '), textByOthers(said, 'forwarded')]),
    message([text(`Look: ${wrapUntrusted(said, 'forwarded')}`)]),
    message([{ type: 'file', mediaType: 'application/pdf', filename: 'a.pdf', base64: '' }]),
  ),
);

/** Foreign items that no message brings. Results of a search are left out: they are chosen by the operator's provider. */
export const foreignItem = fc.oneof(
  words.map((said) => answer(call('mailbox'), said, undefined)),
  words.map((said) => answer(call('send'), said, undefined)),
  words.map((said) => answer(call('removed_tool'), said, undefined)),
  words.map((said) => answer(call('clock'), said, { foreign: true })),
  words.map((said) => answer(call('memory_read', { path: 'a' }), said, FOREIGN_AND_PRIVATE)),
  words.map((said) => answer(call('theirs'), said, undefined, true)),
  fc.tuple(addresses, words).map(([url, said]) => answer(open(url), said, undefined)),
  words.map((said): Block => [{ type: 'compaction', summary: said, sealed: '' }]),
);

const anyBlock = fc.oneof(
  ownWords,
  foreignMessage,
  foreignItem,
  words.map((said) => answer(call('clock'), said, {})),
  words.map((said) => answer(call('memory_read', { path: 'mine/a' }), said, { private: true })),
  addresses.map((url) => answer(call('search'), `1. ${url}`, { foreign: true, results: [url] })),
  words.map((said): Block => [{ type: 'message', role: 'assistant', content: [text(said)], status: 'completed' }]),
  fc.constant<Block>([{ type: 'compaction', summary: 'in short', sealed: '', reads: {} }]),
);

/** A thread begins with what the person says. */
export const histories = fc
  .tuple(ownWords, fc.array(anyBlock, { maxLength: 12 }))
  .map(([first, rest]): Block[] => [first, ...rest]);

export const anyCall = fc.oneof(
  addresses.map(open),
  fc.constantFrom('clock', 'mailbox', 'search', 'send', 'pay', 'erase').map((name) => call(name)),
  fc
    .constantFrom('mine/a', 'new/a', 'identity/user')
    .chain((path) => fc.constantFrom(call('memory_write', { path, text: 'x' }), call('memory_delete', { path }))),
);
