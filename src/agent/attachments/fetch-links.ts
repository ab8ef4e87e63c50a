import { extname } from 'node:path/posix';
import { InvalidRequest } from '#domain/errors.ts';
import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressAnswer } from '#egress/exchange.ts';

/** An https URL in a request, and the field that has it. */
export type Link = { readonly url: string; readonly kind: 'image' | 'file'; readonly param: string };

/** The bytes of a link. */
export type Attachment = { readonly mediaType: string; readonly base64: string };

/** Fetches all links, in their order. Throws `InvalidRequest` with the field of the first one that fails. */
export type FetchLinks = (links: readonly Link[]) => Promise<Attachment[]>;

const MIB = 1024 * 1024;
const MAX_LINKS = 10;
const MAX_BYTES = 10 * MIB;
const MAX_TOTAL_BYTES = 14 * MIB;
const MAX_URL_LENGTH = 4096;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 20_000;

/** The limits are for one request: all links together, and all redirects. No link gets credentials. */
export function createLinkFetcher(egress: Pick<Egress, 'send'>, timeoutMs = TIMEOUT_MS): FetchLinks {
  return async (links) => {
    const surplus = links[MAX_LINKS];
    if (surplus) throw refuse(surplus, `A request can have at most ${MAX_LINKS} URLs.`);

    const stop = new AbortController();
    const endsAt = performance.now() + timeoutMs;
    let total = 0;
    const countBytes = (bytes: number) => {
      total += bytes;
      if (total > MAX_TOTAL_BYTES)
        throw new EgressFailed(`The URLs of a request can have at most ${MAX_TOTAL_BYTES / MIB} MiB together.`);
    };
    const send = (url: URL | string) =>
      egress.send({
        method: 'GET',
        url,
        headers: { accept: '*/*', 'user-agent': 'reborn' },
        timeoutMs: Math.max(1, Math.round(endsAt - performance.now())),
        maxResponseBytes: MAX_BYTES,
        onChunk: countBytes,
        signal: stop.signal,
      });
    try {
      return await Promise.all(links.map((link) => fetchLink(link, send)));
    } finally {
      stop.abort();
    }
  };
}

type Send = (url: URL | string) => Promise<EgressAnswer>;

async function fetchLink(link: Link, send: Send): Promise<Attachment> {
  if (link.url.length > MAX_URL_LENGTH) throw refuse(link, `A URL can have at most ${MAX_URL_LENGTH} characters.`);
  try {
    return readAnswer(link, await follow(link, send));
  } catch (error) {
    if (!(error instanceof EgressRefused || error instanceof EgressFailed)) throw error;
    throw refuse(link, `The URL could not be fetched. ${error.message}`);
  }
}

type Found = { readonly url: URL; readonly answer: EgressAnswer };

/** Every hop is checked like the first URL. */
async function follow(link: Link, send: Send): Promise<Found> {
  let url: URL | string = link.url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer: EgressAnswer = await send(url);
    const from = new URL(url);
    const { location } = answer.headers;
    const to: URL | null = REDIRECTS.has(answer.status) && location ? URL.parse(location, from) : null;
    if (!to) return { url: from, answer };
    url = to;
  }
  throw refuse(link, `The URL redirects more than ${MAX_REDIRECTS} times.`);
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function readAnswer(link: Link, { url, answer }: Found): Attachment {
  const { status, body } = answer;
  if (status !== 200) throw refuse(link, `The URL answered with status ${status}.`);
  if (body.length === 0) throw refuse(link, 'The URL answered without content.');
  const mediaType = mediaTypeOf(answer, url);
  if (link.kind === 'image' && !mediaType.startsWith('image/'))
    throw refuse(link, `The URL answered with ${mediaType}, which is not an image.`);
  return { mediaType, base64: Buffer.from(body).toString('base64') };
}

function mediaTypeOf({ headers }: EgressAnswer, { pathname }: URL): string {
  const [declared = ''] = (headers['content-type'] ?? '').split(';', 1);
  const type = declared.trim().toLowerCase();
  if (MEDIA_TYPE.test(type) && !UNSPECIFIC.has(type)) return type;
  return BY_EXTENSION[extname(pathname).toLowerCase()] ?? 'application/octet-stream';
}

const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;
const UNSPECIFIC: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream']);

/** For servers that don't know the type of their files. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
};

const refuse = ({ param }: Link, message: string) => new InvalidRequest('invalid_request', param, message);
