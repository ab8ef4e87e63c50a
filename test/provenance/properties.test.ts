import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeCall } from '#agent/gates/judge-call.ts';
import { readBefore } from '#agent/gates/read-so-far.ts';
import { type Item, text } from '#domain/thread/item.ts';
import { coversSituation, SITUATIONS, type Situation } from '#domain/thread/origin.ts';
import {
  anyCall,
  type Block,
  foreignItem,
  foreignMessage,
  gatedCall,
  histories,
  LEVELS,
  ownWords,
  threadOf,
  tools,
} from './histories.ts';
import type { Call } from './people.ts';

/** What the person has allowed before. */
type Allowed = { readonly always: Situation | 'no'; readonly granted: boolean };
const allowances = fc.record<Allowed>({ always: fc.constantFrom('no', ...SITUATIONS), granted: fc.boolean() });

/** The level of a call that follows the blocks, as a number. */
async function levelAfter(blocks: readonly Block[], wanted: Call, { always, granted }: Allowed): Promise<number> {
  const tool = tools.find(wanted.name);
  if (!tool) throw new Error(`The tool ${wanted.name} does not exist.`);
  const read = readBefore(undefined, { history: threadOf(blocks), tools, summary: null, isCut: false });
  const { level } = await judgeCall(tool, gatedCall(wanted), {
    owner: { userId: 'ann' },
    read,
    operatorLevel: async () => undefined,
    isAlwaysApproved: async () => always !== 'no' && coversSituation(always, read.situation),
    isResearch: async () => false,
    isSiteGranted: async () => granted,
  });
  return LEVELS.indexOf(level);
}

const insert = (blocks: readonly Block[], block: Block, at: number) => blocks.toSpliced(at, 0, block);
const RUNS = { numRuns: 2000 };

/** Without an approved site: there, a link may be opened once a text by others shows it. */
test('a foreign item never lowers the level of any call, wherever it is', async () => {
  const inserted = fc.oneof(
    fc.tuple(foreignItem, fc.nat()).map(([block, at]) => ({ block, at })),
    foreignMessage.map((block) => ({ block, at: 0 })),
  );
  await fc.assert(
    fc.asyncProperty(histories, inserted, anyCall, allowances, async (history, { block, at }, wanted, allowed) => {
      const given = { ...allowed, granted: false };
      const before = await levelAfter(history, wanted, given);
      const after = await levelAfter(insert(history, block, at % (history.length + 1)), wanted, given);
      expect(after).toBeGreaterThanOrEqual(before);
    }),
    RUNS,
  );
});

test('words of the person never raise the level of any call, wherever they are', async () => {
  await fc.assert(
    fc.asyncProperty(histories, ownWords, fc.nat(), anyCall, allowances, async (history, said, at, wanted, allowed) => {
      const before = await levelAfter(history, wanted, allowed);
      const after = await levelAfter(insert(history, said, at % (history.length + 1)), wanted, allowed);
      expect(after).toBeLessThanOrEqual(before);
    }),
    RUNS,
  );
});

test('a long thread is searched once: judging the next call by 2,000 items and 4 MiB takes a fraction of the time', () => {
  const history = longThread(2000, 4 * 1024 * 1024);
  const judge = () => {
    const startedAt = performance.now();
    const read = readBefore(undefined, { history, tools, summary: null, isCut: false });
    read.ownLinks();
    expect(read.shownLinks().size).toBeGreaterThan(100);
    return performance.now() - startedAt;
  };
  const first = judge();
  const later = Math.min(...Array.from({ length: 21 }, judge)); // the one that other work has disturbed least
  expect(later).toBeLessThan(first / 4);
});

/** Messages with files and quotes, and outputs of pages, by turns. */
function longThread(count: number, bytes: number): Item[] {
  const size = Math.floor((bytes / count) * 2);
  const filler = (n: number) => `See https://news.example/${n}. ${'All about boats. '.repeat(size / 17)}`;
  const blocks = Array.from({ length: count / 4 }, (_, n): Block[] => [
    [{ type: 'message', role: 'user', content: contentOf(n, filler(n)), status: 'completed' }],
    [
      { type: 'function_call', callId: `c${n}`, name: 'search', arguments: '{}', external: false },
      { type: 'function_call_output', callId: `c${n}`, output: [text(filler(n))] },
    ],
    [{ type: 'message', role: 'assistant', content: [text('done')], status: 'completed' }],
  ]);
  return threadOf(blocks.flat());
}

function contentOf(n: number, words: string): Extract<Block[number], { type: 'message' }>['content'] {
  if (n % 2 === 0) return [text(words)];
  const base64 = Buffer.from(words).toString('base64');
  return [text('Look'), { type: 'file', mediaType: 'text/plain', filename: 'a.txt', base64 }];
}
