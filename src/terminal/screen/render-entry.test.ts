import { stripVTControlCharacters } from 'node:util';
import { visibleWidth } from '@earendil-works/pi-tui';
import type { OpenGate } from '@reborn-agent/client/api';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entry } from '../entries.ts';
import { createColours } from './colours.ts';
import type { Look } from './look.ts';
import { renderEntry } from './render-entry.ts';
import { createMarkdown } from './render-markdown.ts';
import { renderStatus } from './render-status.ts';

const colours = createColours(true);
const look = (more: Partial<Look> = {}): Look => ({
  colours,
  markdown: createMarkdown(colours),
  focused: undefined,
  unfolded: new Set(),
  ...more,
});

const anyText = fc.string({
  unit: fc.constantFrom('a', ' ', '漢', '👩‍👩‍👧', 'é', '\n', '\x1b[35m', '\t', '`', '*', '{', '"', '\u202e', '\u0007'),
});
const gate = {
  id: 'x',
  user_id: 'u',
  thread_id: 't',
  turn_id: 'n',
  kind: 'approval',
  created_at: '2026-03-01T12:00:00.000Z',
  situation: 'clean',
  because: [],
  address: null,
  mission_id: null,
} as const;
const asking = (call: { call_id: string; name: string; arguments: string }, more: Partial<OpenGate> = {}): Entry => {
  const own = { ...call, address: null, ...(more.always && { always: more.always }) };
  return {
    kind: 'gate',
    id: 'g',
    gate: { ...gate, call, calls: [own], ...more },
    unticked: new Set(),
    answer: undefined,
  };
};
test.each([
  [{ answer: 'approved', by: 'owner' }, 'Ran send  approved by you, 2026'],
  [{ answer: 'approved', by: 'operator' }, 'Ran send  approved by the operator, 2026'],
  [
    { answer: 'denied', by: 'owner', reason: 'Wait until Friday' },
    'Not run: Run send  “Wait until Friday”, denied by you, 2026',
  ],
  [{ answer: 'expired' }, 'Not run: Run send  expired after 24 hours'],
  [{ answer: 'rule' }, 'Ran send  allowed by a rule, 0.5 s'],
] as const)('a call that was asked about says who decided: %j', (decided, words) => {
  const at = decided.answer === 'rule' || decided.answer === 'expired' ? {} : { at: '2026-03-01T12:00:00.000Z' };
  const call = { kind: 'tool', id: 'x', name: 'send', arguments: '{}', state: 'running', output: 'sent' } as const;
  const lines = renderEntry({ ...call, decided: { ...decided, ...at }, began: 100, ended: 600 }, 120, look());
  const day = new Date('2026-03-01T12:00:00.000Z');
  const written = day.toLocaleString('en-GB', { hour: '2-digit', minute: '2-digit', day: 'numeric', month: 'short' });
  expect(lines.map(stripVTControlCharacters).join('')).toContain(words.replace('2026', written));
});

const anyEntry: fc.Arbitrary<Entry> = anyText.chain((text) =>
  fc.constantFrom<Entry>(
    { kind: 'said', id: 'x', role: 'user', text, state: 'done' },
    { kind: 'said', id: 'x', role: 'assistant', text, state: 'streaming' },
    {
      kind: 'tool',
      id: 'x',
      name: 'tool',
      arguments: text,
      state: 'running',
      output: text,
      began: 1,
      ended: 900,
    },
    { ...asking({ call_id: 'c', name: text, arguments: text }), id: 'x' },
    { kind: 'note', id: 'x', tone: 'failed', text },
  ),
);

test('no line is wider than the terminal, and nothing in it steers the terminal', () => {
  fc.assert(
    fc.property(anyEntry, fc.integer({ min: 4, max: 60 }), fc.boolean(), (entry, width, open) => {
      const lines = renderEntry(entry, width, look(open ? { focused: 'x', unfolded: new Set(['x']) } : {}));
      for (const line of lines) {
        expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        for (const harmful of ['\x1b[35m', '\u202e', '\n']) expect(line).not.toContain(harmful);
      }
    }),
  );
});

test('what is to be approved is a sentence with labelled values, and e shows the exact arguments', () => {
  const call = { call_id: 'c', name: 'send_mail', arguments: '{"to":"ann@example.com"}' };
  const lines = renderEntry(asking(call, { always: ['to: text'] }), 80, look({ focused: 'g' }));
  const shown = lines.join('\n');
  expect(shown).toContain('Run send_mail?');
  expect(stripVTControlCharacters(shown)).toMatch(/to +ann@example\.com/);
  expect(shown).not.toContain('"to": "ann@example.com"');
  expect(shown).toContain('y approve once   a always…   n deny   e exact arguments');
  const exact = renderEntry(asking(call), 80, look({ focused: 'g', unfolded: new Set(['x']) })).join('\n');
  expect(exact).toContain('"to": "ann@example.com"');

  expect(renderEntry(asking(call), 80, look({ focused: 'g' })).join('\n')).toContain('y approve once   n deny');
});

test('repeated keys, long numbers and invisible characters are shown as they run', () => {
  const call = {
    call_id: 'c',
    name: 'pay',
    arguments: '{"to":"ann","to":"eve","amount":10000000000000000001,"x":"\u202e"}',
  };
  const shown = renderEntry(asking(call), 90, look()).join('\n');
  for (const line of ['"to": "ann"', '"to": "eve"', '"amount": 10000000000000000001', String.raw`"x": "\u202e"`])
    expect(shown).toContain(line);
  expect(shown).toContain('The key "to" appears more than once.');
});

test('what is too long to be shown in full can only be denied', () => {
  const call = { call_id: 'c', name: 'pay', arguments: `{"x":"${'x'.repeat(50_000)}"}` };
  const shown = renderEntry(asking(call), 200, look({ focused: 'g' })).join('\n');
  expect(shown).toContain("This call can't be approved: its arguments have 50,008 characters");
  expect(shown).toContain('n deny');
  expect(shown).not.toContain('approve once');
});

test('a card with several calls says why, lists them with ticks, and marks the unshown part of an address', () => {
  const call = { call_id: 'a', name: 'send', arguments: '{}' };
  const url = 'https://news.example/rest?for=diary';
  const calls = [
    { ...call, address: null },
    { ...call, call_id: 'b', name: 'open', address: { kind: 'link', site: 'news.example' } as const },
    {
      call_id: 'c',
      name: 'open',
      arguments: JSON.stringify({ url }),
      address: { kind: 'composed', site: 'news.example', shown: url.indexOf('diary') } as const,
    },
  ];
  const because = [
    { kind: 'notes', name: null, foreign: false, private: true, item_id: null },
    { kind: 'page', name: 'https://news.example/boats', foreign: true, private: false, item_id: null },
  ] as const;
  const entry = asking(call, { calls, situation: 'both', because, always: ['x'] });
  const linesOf = (shown: Entry) =>
    stripVTControlCharacters(renderEntry(shown, 120, look({ focused: 'g' })).join('\n'));
  const shown = linesOf(entry);
  for (const words of [
    '3 things wait for you.',
    'Asked because this conversation has read news.example/boats (text by others) and your notes.',
    '[x] 1 Run send?',
    '[x] 2 Run open?',
    'Links of news.example in this turn',
    'written by the agent and goes to news.example: diary',
    'Always holds also after reading text by others.',
    'y approve all 3   a always…   n deny all   e exact arguments   1-3 tick',
  ])
    expect(shown).toContain(words);
  const some = linesOf({ ...entry, unticked: new Set(['b']) } as Entry);
  expect(some).toContain('[ ] 2 Run open?');
  expect(some).toContain('y approve 2, deny the rest   n deny all   e exact arguments   1-3 tick');
  expect(linesOf({ ...entry, unticked: new Set(['a', 'b', 'c']) } as Entry)).not.toContain('approve');
});

test('a message says whether it waits for an answer, or was never read', () => {
  const queued = { kind: 'queued', id: 'q', text: 'hi', editable: true } as const;
  const linesOf = (entry: Entry) => renderEntry(entry, 90, look()).join('\n');
  expect(linesOf({ ...queued, waitsFor: 'answer' })).toContain('read after you answer');
  expect(linesOf({ ...queued, waitsFor: 'step' })).toContain('read after this step');
  expect(linesOf({ ...queued, waitsFor: 'turn' })).toContain('next in line');
  const unread = { kind: 'said', id: 'u', role: 'user', text: 'hi', state: 'done', isRefused: true } as const;
  expect(linesOf(unread)).toContain('Tab to send again');
});

test('a step says what was done, in the words of its tool, and how long it took, also when there is little room', () => {
  const tool = { kind: 'tool', id: 't', name: 'weather', state: 'running', began: 1000 } as const;
  const line = (width: number, more: { output: string | undefined; ended: number | undefined; state?: 'unknown' }) =>
    stripVTControlCharacters(
      renderEntry({ ...tool, arguments: '{"city":"Oslo","days":5,"tags":["a","b"]}', ...more }, width, look())[0] ?? '',
    );
  expect(line(60, { output: 'sun', ended: 1800 })).toBe('> Ran weather  Oslo, 5, 2 entries  0.8 s');
  expect(line(24, { output: 'sun', ended: 1800 })).toBe('> Ran weather  O…  0.8 s');
  const open = { output: undefined, ended: undefined };
  expect(line(60, open)).toBe('> Run weather  Oslo, 5, 2 entries  running');
  expect(line(60, { ...open, state: 'unknown' })).toBe('> Run weather  Oslo, 5, 2 entries');

  const card = { templates: [{ ask: { en: 'Look at {city}?' }, did: { en: '**Looked** at {city}' } }] };
  const told = { ...tool, card, arguments: '{"city":"Oslo"}', output: 'sun', ended: 1800 } as const;
  const [shown = ''] = renderEntry(told, 60, look());
  expect(stripVTControlCharacters(shown)).toBe('> Looked at “Oslo”  0.8 s');
  expect(shown).toContain(colours.bold('Looked'));
  const [refused = ''] = renderEntry({ ...told, began: 0 }, 60, look());
  expect(stripVTControlCharacters(refused)).toBe('> Not run: Look at “Oslo”  done');
});

test('where a crash was, the line says for how long nothing happened', () => {
  const lineOf = (gapMs: number | undefined) =>
    stripVTControlCharacters(renderEntry({ kind: 'pick-up', id: 'p', gapMs }, 60, look())[0] ?? '');
  expect(lineOf(420)).toBe('- - Picked up after 0.4 s, nothing was lost - -');
  expect(lineOf(undefined)).toBe('- - Picked up, nothing was lost - -');
});

test('the columns of a table are aligned as its Markdown says, also where words are styled', () => {
  const text = '| item | price | state |\n|---|--:|:-:|\n| tea | 4 | **x** |\n| coffee beans | 12.50 | late |';
  const lines = createMarkdown(colours)(text, 60, false).map(stripVTControlCharacters);
  expect(lines).toContain('│ item         │ price │ state │');
  expect(lines).toContain('│ tea          │     4 │   x   │');
  expect(lines).toContain('│ coffee beans │ 12.50 │ late  │');
});

test('code is shown without its fences, and as it was typed', () => {
  const text = 'So:\n\n```ts\nif (a) {\n  b();\n}\n```\n\nDone.';
  const lines = createMarkdown(createColours(false))(text, 40, false).map(stripVTControlCharacters);
  expect(lines).toEqual(['So:', '', 'ts', '  if (a) {', '    b();', '  }', '', 'Done.']);
});

test('the status line fits, and tells the truth about the line and the price', () => {
  const status = {
    model: 'm',
    cost: null,
    context: { tokens: 1234, window: 8000 },
    connection: 'lost',
    lostFor: 3,
    running: false,
    stoppable: false,
    workedFor: 0,
    written: 0,
    trouble: undefined,
    editing: false,
    searching: false,
    scrolled: false,
  } as const;
  const line = renderStatus(status, 100, createColours(false));
  expect(stripVTControlCharacters(line)).toContain('m  15 % of the context  –');
  expect(line).toContain('–');
  expect(line).toContain('not connected, trying again (3 s)');
  expect(stripVTControlCharacters(renderStatus(status, 39, createColours(false)))).toBe(
    'm  –  not connected, trying again (3 s)',
  );
  const working = {
    ...status,
    connection: 'live',
    running: true,
    stoppable: true,
    workedFor: 12,
    written: 1500,
  } as const;
  expect(stripVTControlCharacters(renderStatus(working, 100, createColours(false)))).toMatch(
    /working 12 s, ~1\.5k tokens +Esc stops$/,
  );
  for (const width of [5, 20, 40, 79])
    expect(visibleWidth(renderStatus(status, width, colours))).toBeLessThanOrEqual(width);
});

test('the subagents of a call are lines below it, further in for each level', () => {
  const subagent = {
    call: 'c',
    parent_id: 'p',
    thread_id: 't',
    depth: 1,
    task: 'Compare prices',
    state: 'waiting',
    outcome: null,
    gate: null,
    tokens_limit: 100,
    tokens: 15,
    usd: 0,
    started_at: '2026-03-01T12:00:00.000Z',
    ended_at: null,
    level: 0,
  } as const;
  const ended = { state: 'ended', outcome: 'completed', ended_at: '2026-03-01T12:00:02.500Z' } as const;
  const entry: Entry = {
    kind: 'tool',
    id: 'x',
    name: 'reborn_agent_run',
    arguments: '{}',
    state: 'running',
    output: undefined,
    subagents: [subagent, { ...subagent, ...ended, level: 1, task: 'Read\nthe list', usd: 0.5 }],
    began: 1,
    ended: undefined,
  };
  const [, ...lines] = renderEntry(entry, 60, look()).map(stripVTControlCharacters);
  expect(lines).toEqual([
    '  Compare prices  waits for you · 15 tokens',
    expect.stringMatching(/^ {4}Read the list {2}done · 2\.5 s · .*0\.50/),
    '',
  ]);
  for (const line of renderEntry(entry, 12, look())) expect(visibleWidth(line)).toBeLessThanOrEqual(12);
});
