import { z } from 'zod';
import { isTextType } from '#domain/text/media-type.ts';
import { WEB_FETCH } from '#domain/tool/reserved-names.ts';
import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressAnswer } from '#egress/exchange.ts';
import { isSameSite, judgeAddress } from '#safety/addresses/judge-address.ts';
import { canonicalAddress } from '#safety/addresses/links-in.ts';
import { runInWorker, unlessGivenUp } from '#safety/worker-threads/worker-pool.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { shortSchemaOf } from './short-schema.ts';
import { viewPage } from './web/page-view.ts';
import type { FetchedPage, ReadPage } from './web/read-page.ts';
import { createRobots } from './web/robots.ts';

const parameters = z.strictObject({
  url: z.string().max(2_000).describe('The full address, beginning with https://.'),
  part: z
    .enum(['main', 'all'])
    .describe('`main` when left out: without menus, asides and footers. `all`: everything, with all links.')
    .optional(),
  find: z.string().min(1).max(200).describe('Only paragraphs with all these words, and their neighbours.').optional(),
  from: z.int().min(0).max(10_000_000).describe('The byte of the text to begin with.').optional(),
  max_bytes: z
    .int()
    .min(100)
    .max(200_000)
    .describe('How much of the text to return, in bytes. 6000 when left out.')
    .optional(),
});

const MAX_REDIRECTS = 5;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const DEFAULT_TEXT_BYTES = 6_000;
const MOST_LINKS = 40;

/** Statuses with which a site refuses. What it answers then is not the page. */
const REFUSALS = [401, 402, 403, 429, 451];

/** `reborn_web_fetch`: a page as text. `judgeAddress` decides which addresses need approval. */
export function webFetchTool(egress: Pick<Egress, 'send'>): Tool {
  const mayRead = createRobots(async (url) => {
    const found = await follow(egress, url, AbortSignal.timeout(TIMEOUT_MS));
    return 'answer' in found ? found.answer : { status: 404, body: new Uint8Array() };
  });
  return {
    definition: {
      name: WEB_FETCH,
      description:
        'Fetches a public web page, JSON or XML by https and returns it as readable text. Numbers such as [12] are links, listed at the end.',
      parameters: shortSchemaOf(parameters),
      strict: null,
    },
    repeatable: true,
    source: urlOf,
    level: 'allow',
    flow: {
      reads: { foreign: true },
      from: 'page',
      runs: (argumentsJson, read, owner) => judgeAddress(urlOf(argumentsJson) ?? '', read, owner.userId),
    },
    async call(argumentsJson, context) {
      const given = parseArguments(parameters, argumentsJson);
      if ('error' in given) return JSON.stringify(given);
      try {
        return await fetchPage(egress, given.value, mayRead, context);
      } catch (error) {
        if (!(error instanceof EgressRefused || error instanceof EgressFailed)) throw error;
        return JSON.stringify({ error: error.message });
      }
    },
  };
}

function urlOf(argumentsJson: string): string | undefined {
  const given = parseArguments(parameters, argumentsJson);
  return 'value' in given ? given.value.url : undefined;
}

type Wanted = z.infer<typeof parameters>;

async function fetchPage(
  egress: Pick<Egress, 'send'>,
  wanted: Wanted,
  mayRead: (url: URL) => Promise<boolean>,
  context: ToolContext,
): Promise<string> {
  const asked = URL.parse(wanted.url);
  // What the person wrote is opened for them, as a browser would.
  const isChosen = asked !== null && context.ownLinks?.().has(canonicalAddress(asked)) !== true;
  if (isChosen && isFetchable(asked) && !(await mayRead(asked))) return JSON.stringify({ error: FORBIDDEN_BY_SITE });
  const found = await follow(egress, wanted.url, context.signal);
  if ('error' in found) return JSON.stringify(found);
  const { answer, url } = found;
  if (REFUSALS.includes(answer.status))
    return JSON.stringify({ error: `The site refused (status ${answer.status}). Use another source, or say so.` });
  const page = await readAnswer(answer, url, wanted.part ?? 'main', context.owner.userId);
  if ('error' in page) return JSON.stringify(page);
  return showPage(page, wanted, url, answer.status);
}

const FORBIDDEN_BY_SITE =
  'The site does not want programs to choose this page (robots.txt). Use another source, or ask the user for the address.';

/** Other addresses are refused without a request. */
const isFetchable = (url: URL): boolean => url.protocol === 'https:' && !url.username && !url.password;

type Followed = { readonly answer: EgressAnswer; readonly url: URL } | { readonly error: string };

async function follow(egress: Pick<Egress, 'send'>, address: URL | string, signal: AbortSignal): Promise<Followed> {
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await egress.send({
      method: 'GET',
      url,
      headers: { accept: 'text/html, text/plain, application/json, application/xml;q=0.9', 'user-agent': 'reborn' },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_PAGE_BYTES,
      signal,
    });
    const from = new URL(url);
    const to = redirectOf(answer, from);
    if (!to) return { answer, url: from };
    // An open redirect of the site could send data in the URL to a host that was not approved.
    if (!isSameSite(from, to)) return { error: `It redirects to another site. Fetch ${to.href} instead.` };
    url = to;
  }
  return { error: `It redirects more than ${MAX_REDIRECTS} times.` };
}

function redirectOf({ status, headers }: EgressAnswer, from: URL): URL | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(status) || !location) return undefined;
  return URL.parse(location, from) ?? undefined;
}

async function readAnswer(
  { headers, body }: EgressAnswer,
  url: URL,
  part: FetchedPage['part'],
  lane: string,
): Promise<ReadPage | { readonly error: string }> {
  const contentType = (headers['content-type'] ?? 'text/plain').toLowerCase();
  const type = (contentType.split(';', 1)[0] ?? '').trim();
  if (!isTextType(type))
    return { error: `It is ${type.slice(0, 100)}, and only text, HTML, JSON, XML and YAML can be read.` };

  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  const input: FetchedPage = { body, contentType, encoding, address: url.href, part, maxBytes: MAX_PAGE_BYTES };
  const job = { program: 'tools/builtin/web/read-page', run: 'readPage', input, lane } as const;
  const page = await unlessGivenUp(runInWorker<ReturnType<typeof readAnswer>>(job));
  return page ?? { error: 'The page took too long to read. It may be built to do so.' };
}

function showPage(page: ReadPage, wanted: Wanted, url: URL, status: number): string {
  const { part = 'main', find, from = 0, max_bytes = DEFAULT_TEXT_BYTES } = wanted;
  const head = [
    `Address: ${url.href}`,
    ...(status === 200 ? [] : [`Status: ${status}`]),
    ...(page.title ? [`Title: ${page.title}`] : []),
    ...(page.published ? [`Published: ${page.published}`] : []),
    ...(page.needsScripts ? ['Note: a script writes the text of this page, and scripts are not run.'] : []),
  ];
  const maxLinks = part === 'all' ? Number.POSITIVE_INFINITY : MOST_LINKS;
  return `${head.join('\n')}\n\n${viewPage(page, { find, from, maxBytes: max_bytes, maxLinks, again: '' })}`;
}
