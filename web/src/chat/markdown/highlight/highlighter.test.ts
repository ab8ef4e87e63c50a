import { afterEach, beforeEach, expect, type Mock, test, vi } from 'vitest';
import type { CodeToColour, ColouredCode } from '../../../../worker/highlighter-messages.ts';
import { createHighlighter } from './highlighter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('code is shown at once and coloured later, and its colours are remembered', () => {
  const { highlight, workers, answer } = start();
  const seen: unknown[] = [];
  expect(rowsOf(highlight('let a\nlet b', seen))).toEqual(['let a', 'let b']);
  answer('let a\nlet b');
  expect(seen).toEqual([coloured('let a\nlet b')]);
  expect(highlight('let a\nlet b')).toEqual(coloured('let a\nlet b'));
  expect(workers.flatMap(({ asked }) => asked)).toHaveLength(1);
});

test('code that grows keeps the colours it has, and only its newest version is coloured', () => {
  const { highlight, workers, answer } = start();
  highlight('let a\nle', undefined, true);
  answer('let a\nle');
  expect(highlight('let a\nlet b', undefined, true)).toEqual({
    tokens: [...coloured('let a').tokens, [...(coloured('le').tokens[0] ?? []), { content: 't b' }]],
  });
  highlight('let a\nlet b\nl', undefined, true);
  highlight('let a\nlet b\nlet c');
  answer('let a\nlet b');
  expect(workers[0]?.asked.map(({ code }) => code)).toEqual(['let a\nle', 'let a\nlet b', 'let a\nlet b\nlet c']);
});

test('a whole block that another begins with is coloured, too', () => {
  const { highlight, workers, answer } = start();
  highlight('first');
  highlight('let a');
  highlight('let a\nlet b');
  answer('first');
  answer('let a');
  answer('let a\nlet b');
  expect(workers[0]?.asked.map(({ code }) => code)).toEqual(['first', 'let a', 'let a\nlet b']);
});

test('code whose colours take too long stays as it is, and others get theirs in a new worker', () => {
  const { highlight, workers, answer } = start();
  const seen: unknown[] = [];
  highlight('endless');
  highlight('let a', seen);
  vi.advanceTimersByTime(30_000);
  expect(workers.map(({ end }) => end.mock.calls.length)).toEqual([1, 0]);
  workers[0]?.whenAnswered(coloured('endless')); // too late
  answer('let a');
  expect(seen).toEqual([coloured('let a')]);
  expect(rowsOf(highlight('endless'))).toEqual(['endless']);
  expect(workers.flatMap(({ asked }) => asked.map(({ code }) => code))).toEqual(['endless', 'let a']);
});

test('a grammar that could not be loaded is tried again when the code is shown again', () => {
  const { highlight, workers, answer, fail } = start();
  const seen: unknown[] = [];
  highlight('let a', seen);
  fail();
  expect(seen).toEqual([]);
  highlight('let a', seen);
  expect(workers.map(({ end }) => end.mock.calls.length)).toEqual([1, 0]);
  answer('let a');
  expect(seen).toEqual([coloured('let a')]);
});

function start() {
  const workers: { asked: CodeToColour[]; end: Mock<() => void>; whenAnswered: (answer: ColouredCode) => void }[] = [];
  const plugin = createHighlighter((whenAnswered) => {
    const worker = { asked: [] as CodeToColour[], end: vi.fn<() => void>(), whenAnswered };
    workers.push(worker);
    return { ask: (job) => void worker.asked.push(job), end: worker.end };
  });
  return {
    workers,
    highlight: (code: string, seen?: unknown[], isIncomplete = false) =>
      plugin.highlight({ code, language: 'ts', isIncomplete, themes: ['', ''] }, (result) => seen?.push(result)),
    answer: (code: string) => {
      expect(workers.at(-1)?.asked.at(-1)?.code).toBe(code);
      workers.at(-1)?.whenAnswered(coloured(code));
    },
    fail: () => workers.at(-1)?.whenAnswered(undefined),
  };
}

const coloured = (code: string) => ({
  tokens: code.split('\n').map((content) => (content ? [{ content, color: '#111111' }] : [])),
});

const rowsOf = (result: ColouredCode | null) => result?.tokens.map((row) => row.map(({ content }) => content).join(''));
