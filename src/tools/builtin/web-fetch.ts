import { z } from 'zod';
import type { Extract } from '#documents/extractor.ts';
import { isTextType } from '#domain/text/media-type.ts';
import { packNumbered, unpackNumbered } from '#domain/text/numbered-links.ts';
import { WEB_FETCH } from '#domain/tool/reserved-names.ts';
import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressAnswer, EgressRequest } from '#egress/exchange.ts';
import { isSameSite, judgeAddress } from '#safety/addresses/judge-address.ts';
import { canonicalAddress } from '#safety/addresses/links-in.ts';
import { sourceAddress } from '#safety/addresses/source-address.ts';
import { runInWorker, unlessGivenUp } from '#safety/worker-threads/worker-pool.ts';
import type { PrepareContext, Tool, ToolContext } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { shortSchemaOf } from './short-schema.ts';
import { createPageCache, type SentPage } from './web/page-cache.ts';
import { viewPage } from './web/page-view.ts';
import { createPagesAhead } from './web/pages-ahead.ts';
import { BADLY_PACKED, type FetchedPage, type PackedBody, type ReadPage } from './web/read-page.ts';
import { createPdfReader, type ReadPdf } from './web/read-pdf.ts';
import { createRobots } from './web/robots.ts';

const parameters = z.strictObject({
  url: z.string().max(2_000).describe('The full address, beginning with https://.').optional(),
  source: z.int().min(1).max(9_999).describe('Instead of url: the number of a page that was read before.').optional(),
  part: z
    .enum(['main', 'all'])
    .describe('`main` when left out: without menus, asides and footers. `all`: everything, with all links.')
    .optional(),
  find: z.string().min(1).max(200).describe('Only paragraphs with all these words, and their neighbours.').optional(),
  from: z.int().min(0).max(10_000_000).describe('The byte of the text to begin with.').optional(),
  page: z.int().min(1).max(9_999).describe('Instead of from: the page of a PDF to begin with.').optional(),
  max_bytes: z
    .int()
    .min(100)
    .max(200_000)
    .describe('How much of the text to return, in bytes. 6000 when left out.')
    .optional(),
  fresh: z.boolean().describe('Ask the site again, also for a page of the last 15 minutes.').optional(),
});

const MAX_REDIRECTS = 5;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const MAX_PDF_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const DEFAULT_TEXT_BYTES = 6_000;
const MOST_LINKS = 40;

/** How answers cite pages. What the model writes is checked. */
const CITE =
  'Each page has a source number. After each statement from a page, write its number as [s3], or as [s3, p. 7] for a page of a PDF. Put words that you take over in quotation marks, exactly as they are on the page.';

/** Statuses with which a site refuses. What it answers then is not the page. */
const REFUSALS = [401, 402, 403, 429, 451];

/** `reborn_web_fetch`: a page as text. `judgeAddress` decides which addresses need approval. `extract` reads PDFs. */
export function webFetchTool(egress: Pick<Egress, 'send'>, extract: Extract): Tool {
  const readPdf = createPdfReader(extract);
  const mayRead = createRobots(async (url) => {
    const found = await follow(egress, url, AbortSignal.timeout(TIMEOUT_MS));
    return 'answer' in found ? found.answer : { status: 404, body: new Uint8Array() };
  });
  const parts: FetchParts = { egress, mayRead, readPdf, cache: createPageCache(), ahead: createPagesAhead() };
  return {
    definition: {
      name: WEB_FETCH,
      description:
        'Fetches a public web page, PDF, JSON or XML by https and returns it as readable text. Numbers such as [12] are links, listed at the end. ' +
        CITE,
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
    async prepare(argumentsJson, context) {
      const url = URL.parse(urlOf(argumentsJson) ?? '');
      if (url && isFetchable(url) && !parts.cache.find(context.owner.userId, url))
        parts.ahead.begin(context.signal, url, () => requestPage(parts, url, context));
    },
    async call(argumentsJson, context) {
      const given = parseArguments(parameters, argumentsJson);
      if ('error' in given) return JSON.stringify(given);
      try {
        const { url, source } = given.value;
        if ((url === undefined) === (source === undefined))
          return JSON.stringify({ error: 'Give a url, or a source.' });
        return url === undefined
          ? await readAgain(given.value, context)
          : await fetchPage(parts, { ...given.value, url }, context);
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

/** More of a page whose text is stored. Nothing is requested. */
async function readAgain(wanted: Wanted, { sources, onReads }: ToolContext): Promise<string> {
  const stored = await sources?.find(wanted.source ?? 0);
  if (!stored || stored.how !== 'read') {
    onReads?.({});
    return JSON.stringify({ error: `Source ${wanted.source} was not read in this thread. Fetch its url.` });
  }
  const { url, title, published, number, text } = stored;
  return showPage({ ...unpackNumbered(text), title, published, needsScripts: false }, wanted, { url, number });
}

type FetchParts = {
  readonly egress: Pick<Egress, 'send'>;
  readonly mayRead: (url: URL) => Promise<boolean>;
  readonly readPdf: ReadPdf;
  readonly cache: ReturnType<typeof createPageCache>;
  readonly ahead: ReturnType<typeof createPagesAhead<Followed>>;
};

async function fetchPage(
  parts: FetchParts,
  wanted: Wanted & { readonly url: string },
  context: ToolContext,
): Promise<string> {
  const found = await findPage(parts, wanted, context);
  if ('error' in found) return JSON.stringify(found);
  const { answer, url, ageMs } = found;
  if (REFUSALS.includes(answer.status))
    return JSON.stringify({ error: `The site refused (status ${answer.status}). Use another source, or say so.` });
  const page = isPdf(answer)
    ? await openPdf(parts.readPdf, answer, url, context)
    : await readAnswer(answer, url, wanted.part ?? 'main', context.owner.userId);
  if ('error' in page) return JSON.stringify(page);
  const number = answer.status === 200 ? await addSource(page, url, context) : undefined;
  return showPage(page, wanted, { url: url.href, number, status: answer.status, ageMs });
}

type FoundPage = (SentPage & { readonly ageMs?: number }) | { readonly error: string };

/** The page as it was requested ahead, as it was sent some minutes ago, or as it is now. */
async function findPage(
  parts: FetchParts,
  { url: address, fresh = false }: Wanted & { readonly url: string },
  context: ToolContext,
): Promise<FoundPage> {
  const url = URL.parse(address);
  if (!url) return follow(parts.egress, address, context.signal);
  const begun = parts.ahead.take(context.signal, url);
  if (begun) return begun;
  const kept = fresh || !isFetchable(url) ? undefined : parts.cache.find(context.owner.userId, url);
  return kept ?? requestPage(parts, url, context);
}

async function requestPage(
  { egress, mayRead, cache }: FetchParts,
  url: URL,
  { owner, ownLinks, signal }: PrepareContext,
): Promise<Followed> {
  // What the person wrote is opened for them, as a browser would.
  const isChosen = ownLinks?.().has(canonicalAddress(url)) !== true;
  if (isChosen && isFetchable(url) && !(await mayRead(url))) return { error: FORBIDDEN_BY_SITE };
  const found = await follow(egress, url, signal);
  if (!('error' in found)) cache.keep(owner.userId, url, found);
  return found;
}

/** The number by which the page is cited. What is stored is the whole text, so that a quotation can be checked against it. */
async function addSource(page: ReadPage, url: URL, { sources }: ToolContext): Promise<number | undefined> {
  const { title, published } = page;
  const source = {
    url: sourceAddress(url),
    title: title || url.hostname,
    published,
    how: 'read',
    text: packNumbered(page),
  } as const;
  return (await sources?.add([source]))?.[0];
}

const FORBIDDEN_BY_SITE =
  'The site does not want programs to choose this page (robots.txt). Use another source, or ask the user for the address.';

/** Other addresses are refused without a request. */
const isFetchable = (url: URL): boolean => url.protocol === 'https:' && !url.username && !url.password;

type Followed = SentPage | { readonly error: string };

async function follow(egress: Pick<Egress, 'send'>, address: URL | string, signal: AbortSignal): Promise<Followed> {
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await egress.send({
      method: 'GET',
      url,
      headers: {
        accept: 'text/html, text/plain, application/json, application/pdf, application/xml;q=0.9',
        'user-agent': 'reborn',
      },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_PDF_BYTES,
      ...limitBody(URL.parse(url)?.host ?? ''),
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

/** Only a PDF may be larger than other pages. */
function limitBody(host: string): Pick<EgressRequest, 'onHead' | 'onChunk'> {
  let most = MAX_PAGE_BYTES;
  let bytes = 0;
  return {
    onHead: (head) => {
      if (MAYBE_PDF.includes(typeOf(head))) most = MAX_PDF_BYTES;
    },
    onChunk: (added) => {
      bytes += added;
      if (bytes > most) throw new EgressFailed(`The answer of ${host} is larger than ${most} bytes.`);
    },
  };
}

const typeOf = ({ headers }: Pick<EgressAnswer, 'headers'>): string =>
  ((headers['content-type'] ?? 'text/plain').toLowerCase().split(';', 1)[0] ?? '').trim();

/** Many servers don't know what they send. */
const MAYBE_PDF = ['application/pdf', 'application/x-pdf', 'application/octet-stream'];

const isPdf = (answer: EgressAnswer): boolean =>
  MAYBE_PDF.includes(typeOf(answer)) &&
  (typeOf(answer) !== 'application/octet-stream' || Buffer.from(answer.body.subarray(0, 5)).toString() === '%PDF-');

async function openPdf(readPdf: ReadPdf, answer: EgressAnswer, url: URL, { owner, signal }: ToolContext) {
  const encoding = encodingOf(answer);
  const input: PackedBody = { body: answer.body, encoding, maxBytes: MAX_PDF_BYTES };
  const job = { program: 'tools/builtin/web/read-page', run: 'unpack', input, lane: owner.userId } as const;
  const bytes = encoding === '' ? answer.body : await unlessGivenUp(runInWorker<Uint8Array | undefined>(job));
  return bytes ? readPdf(bytes, url, signal) : { error: BADLY_PACKED };
}

const encodingOf = ({ headers }: EgressAnswer): string => (headers['content-encoding'] ?? '').trim().toLowerCase();

function redirectOf({ status, headers }: EgressAnswer, from: URL): URL | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(status) || !location) return undefined;
  return URL.parse(location, from) ?? undefined;
}

async function readAnswer(
  answer: EgressAnswer,
  url: URL,
  part: FetchedPage['part'],
  lane: string,
): Promise<ReadPage | { readonly error: string }> {
  const { headers, body } = answer;
  const contentType = (headers['content-type'] ?? 'text/plain').toLowerCase();
  const type = typeOf(answer);
  if (!isTextType(type))
    return { error: `It is ${type.slice(0, 100)}, and only text, HTML, PDF, JSON, XML and YAML can be read.` };

  const encoding = encodingOf(answer);
  const input: FetchedPage = { body, contentType, encoding, address: url.href, part, maxBytes: MAX_PAGE_BYTES };
  const job = { program: 'tools/builtin/web/read-page', run: 'readPage', input, lane } as const;
  const page = await unlessGivenUp(runInWorker<ReturnType<typeof readAnswer>>(job));
  return page ?? { error: 'The page took too long to read. It may be built to do so.' };
}

type Shown = {
  readonly url: string;
  readonly number: number | undefined;
  readonly status?: number;
  readonly ageMs?: number | undefined;
};

/** A younger page is taken for what the site would send now. */
const OLD_MS = 60_000;

function showPage(page: ReadPage, wanted: Wanted, { url, number, status = 200, ageMs = 0 }: Shown): string {
  const { part = 'main', find, from = 0, page: first, max_bytes = DEFAULT_TEXT_BYTES } = wanted;
  const head = [
    `Address: ${url}`,
    ...(number === undefined ? [] : [`Source: [s${number}]`]),
    ...(status === 200 ? [] : [`Status: ${status}`]),
    ...(page.title ? [`Title: ${page.title}`] : []),
    ...(page.published ? [`Published: ${page.published}`] : []),
    ...(ageMs < OLD_MS
      ? []
      : [
          `Note: this is the page of ${Math.round(ageMs / 60_000)} min ago; ask with fresh: true for what it says now.`,
        ]),
    ...(page.needsScripts ? ['Note: a script writes the text of this page, and scripts are not run.'] : []),
  ];
  const again = number === undefined ? '' : `source: ${number}, `;
  const maxLinks = part === 'all' ? Number.POSITIVE_INFINITY : MOST_LINKS;
  return `${head.join('\n')}\n\n${viewPage(page, { find, from, page: first, maxBytes: max_bytes, maxLinks, again })}`;
}
