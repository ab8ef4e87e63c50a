import { z } from 'zod';
import { isTextType } from '#domain/text/media-type.ts';
import { WEB_FETCH } from '#domain/tool/reserved-names.ts';
import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressAnswer } from '#egress/exchange.ts';
import { isSameSite, judgeAddress } from '#safety/addresses/judge-address.ts';
import { runInWorker, unlessGivenUp } from '#safety/worker-threads/worker-pool.ts';
import type { Tool } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { shortSchemaOf } from './short-schema.ts';
import type { ReadablePage } from './web/html-to-text.ts';
import type { FetchedPage } from './web/read-page.ts';

const parameters = z.strictObject({
  url: z.string().max(2_000).describe('The full address, beginning with https://.'),
  max_bytes: z
    .int()
    .min(100)
    .max(200_000)
    .describe('How much of the text to return, in bytes. 20000 when left out.')
    .optional(),
});

const MAX_REDIRECTS = 5;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const DEFAULT_TEXT_BYTES = 20_000;

/** `reborn_web_fetch`: a page as text. `judgeAddress` decides which addresses need approval. */
export function webFetchTool(egress: Pick<Egress, 'send'>): Tool {
  return {
    definition: {
      name: WEB_FETCH,
      description: 'Fetches a public web page, JSON or XML by https and returns it as readable text.',
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
    async call(argumentsJson, { owner, signal }) {
      const given = parseArguments(parameters, argumentsJson);
      if ('error' in given) return JSON.stringify(given);
      try {
        return await fetchPage(egress, given.value, owner.userId, signal);
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
  lane: string,
  signal: AbortSignal,
): Promise<string> {
  let url: URL | string = wanted.url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer: EgressAnswer = await egress.send({
      method: 'GET',
      url,
      headers: { accept: 'text/html, text/plain, application/json, application/xml;q=0.9', 'user-agent': 'reborn' },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_PAGE_BYTES,
      signal,
    });
    const from = new URL(url);
    const to = redirectOf(answer, from);
    if (!to) return readAnswer(answer, from, wanted.max_bytes ?? DEFAULT_TEXT_BYTES, lane);
    // An open redirect of the site could send data in the URL to a host that was not approved.
    if (!isSameSite(from, to))
      return JSON.stringify({ error: `It redirects to another site. Fetch ${to.href} instead.` });
    url = to;
  }
  return JSON.stringify({ error: `It redirects more than ${MAX_REDIRECTS} times.` });
}

function redirectOf({ status, headers }: EgressAnswer, from: URL): URL | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(status) || !location) return undefined;
  return URL.parse(location, from) ?? undefined;
}

async function readAnswer(
  { status, headers, body }: EgressAnswer,
  url: URL,
  maxBytes: number,
  lane: string,
): Promise<string> {
  const contentType = (headers['content-type'] ?? 'text/plain').toLowerCase();
  const type = (contentType.split(';', 1)[0] ?? '').trim();
  if (!isTextType(type))
    return JSON.stringify({
      error: `It is ${type.slice(0, 100)}, and only text, HTML, JSON, XML and YAML can be read.`,
    });

  const input: FetchedPage = { body, contentType, address: url.href, maxBytes };
  const reading = runInWorker<ReadablePage>({ program: 'tools/builtin/web/read-page', run: 'readPage', input, lane });
  const page = await unlessGivenUp(reading);
  if (!page) return JSON.stringify({ error: 'The page took too long to read. It may be built to do so.' });
  const head = [
    `Address: ${url.href}`,
    ...(status === 200 ? [] : [`Status: ${status}`]),
    ...(page.title ? [`Title: ${page.title}`] : []),
  ];
  return `${head.join('\n')}\n\n${page.text}`;
}
