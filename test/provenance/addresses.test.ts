import { expect, test } from 'vitest';
import { judgeCall } from '#agent/gates/judge-call.ts';
import { readBefore } from '#agent/gates/read-so-far.ts';
import { text } from '#domain/thread/item.ts';
import { type Block, gatedCall, threadOf, tools } from './histories.ts';
import { open } from './people.ts';

/** A link that a page has shown, in the parts of which there are other spellings. */
type Link = { scheme: string; host: string; port: string; path: string; query: string; fragment: string };

const SHOWN = 'https://bücher.example/Boats/a%20b?q=1&r=%C3%A9';
const HOSTS = [
  'bücher.example',
  'BÜCHER.example',
  'Bücher.EXAMPLE',
  'xn--bcher-kva.example',
  'XN--BCHER-KVA.Example',
  'ｂücher.example',
  'bücher。example',
];
const SAME: { [part in keyof Link]: readonly string[] } = {
  scheme: ['https', 'HTTPS', 'http', 'hTTps'],
  host: HOSTS,
  port: ['', ':443'],
  path: [
    '/Boats/a%20b',
    '/./Boats/a%20b',
    '/x/../Boats/a%20b',
    '/Boats/./a%20b',
    '/Boats/y/%2e%2e/a%20b',
    '/Boats/a b',
  ],
  query: ['?q=1&r=%C3%A9', '?q=1&r=é'],
  fragment: ['', '#top', '#?q=2', '#/../..', '#@evil.example'],
};
const OTHER: { [part in keyof Link]: readonly string[] } = {
  scheme: ['https://ann', 'https://ann:secret', 'ftp', 'https://www'],
  host: [
    'bücher.example.',
    'www.bücher.example',
    'a.bücher.example',
    'bucher.example',
    'bücher.example.evil.example',
    'xn--bcher-kva.evil',
  ],
  port: [':8443', ':80', ':444'],
  path: [
    '/boats/a%20b',
    '/Boats/a%20b/',
    '/Boats/a%2520b',
    '/Boats/%61%20b',
    '/Boats',
    '/Boats//a%20b',
    '/Boats/a+b',
    '/Boats/a%20b;x',
    '/Boats/a%20b.',
  ],
  query: ['', '?', '?q=1', '?q=1&r=%c3%a9', '?r=%C3%A9&q=1', '?q=1&r=%C3%A9&', '?q=1&r=secret', '?Q=1&r=%C3%A9'],
  fragment: [],
};

const written = ({ scheme, host, port, path, query, fragment }: Link): string => {
  const start = scheme.includes('://') ? `${scheme}${scheme.endsWith('www') ? '.' : '@'}` : `${scheme}://`;
  return start + host + port + path + query + fragment;
};

/** Every combination of the spellings of each part. */
function combine(spellings: typeof SAME): Link[] {
  let links: Partial<Link>[] = [{}];
  for (const [part, values] of Object.entries(spellings))
    links = links.flatMap((link) => values.map((value) => ({ ...link, [part]: value })));
  return links as Link[];
}

const isPlausible = ({ scheme, port }: Link) => !(scheme === 'http' && port === ':443');
const EQUAL = combine(SAME).filter(isPlausible).map(written);
const DIFFERENT = Object.entries(OTHER).flatMap(([part, values]) =>
  values.flatMap((value) =>
    combine({ ...SAME, [part]: [value] })
      .filter((link) => isPlausible(link) && !(link.scheme === 'http' && link.port === ':80'))
      .map(written),
  ),
);

/** Every n-th, so that all parts vary. */
const some = (list: readonly string[], count: number) =>
  Array.from({ length: count }, (_, index) => list[Math.floor((index * list.length) / count)] ?? '');

const PAGE: Block[] = [
  [{ type: 'message', role: 'user', content: [text('What is new?')], status: 'completed' }],
  [
    { type: 'function_call', callId: 'c1', name: 'search', arguments: '{}', external: false },
    { type: 'function_call_output', callId: 'c1', output: [text(`Read ${SHOWN} today.`)] },
  ],
];

/** All links of the site are approved for this run. */
async function judge(url: string): Promise<string> {
  const tool = tools.find('reborn_web_fetch');
  if (!tool) throw new Error('This tool does not exist.');
  const read = readBefore(undefined, { history: threadOf(PAGE), tools, summary: null, isCut: false });
  const judged = await judgeCall(tool, gatedCall(open(url)), {
    owner: { userId: 'ann' },
    read,
    operatorLevel: async () => undefined,
    isAlwaysApproved: async () => false,
    isResearch: async () => false,
    isSiteGranted: async (site) => site === 'xn--bcher-kva.example',
  });
  return judged.level;
}

test('500 spellings of a shown link of an approved site run', async () => {
  const asked: string[] = [];
  for (const url of some(EQUAL, 500)) if ((await judge(url)) !== 'allow') asked.push(url);
  expect(asked).toEqual([]);
});

test('500 addresses that differ from it ask', async () => {
  const ran: string[] = [];
  for (const url of some(DIFFERENT, 500)) if ((await judge(url)) !== 'ask') ran.push(url);
  expect(ran).toEqual([]);
});
