import { z } from 'zod';
import type { Egress, EgressAnswer } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import { fetchLevel, isSameSite } from '#safety/fetch-level.ts';
import type { Tool } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { decodeBody } from './web/decode-body.ts';
import { htmlToText } from './web/html-to-text.ts';

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

/** `reborn_web_fetch`: a page as text. Whom it may ask without consent is for `fetchLevel` to say. */
export function webFetchTool(egress: Pick<Egress, 'send'>): Tool {
  return {
    definition: {
      name: 'reborn_web_fetch',
      description: 'Fetches a public web page, JSON or XML by https and returns it as readable text.',
      parameters: z.toJSONSchema(parameters),
      strict: null,
    },
    repeatable: true,
    source: urlOf,
    level: (argumentsJson, { userTexts }) => fetchLevel(urlOf(argumentsJson) ?? '', userTexts()),
    async call(argumentsJson, { signal }) {
      const given = parseArguments(parameters, argumentsJson);
      if ('error' in given) return JSON.stringify(given);
      try {
        return await fetchPage(egress, given.value, signal);
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

async function fetchPage(egress: Pick<Egress, 'send'>, wanted: Wanted, signal: AbortSignal): Promise<string> {
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
    if (!to) return readAnswer(answer, from, wanted.max_bytes ?? DEFAULT_TEXT_BYTES);
    // A site's open redirect would carry what is in the address to somebody nobody has agreed to.
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

function readAnswer({ status, headers, body }: EgressAnswer, url: URL, maxBytes: number): string {
  const contentType = headers['content-type'] ?? 'text/plain';
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (!/^text\/|[/+](?:json|xml)$/.test(type))
    return JSON.stringify({ error: `It is ${type.slice(0, 100)}, and only text, HTML, JSON and XML can be read.` });

  const decoded = decodeBody(body, contentType);
  const { title, text } = /html/.test(type) ? htmlToText(decoded, url) : { title: '', text: decoded };
  const head = [
    `Address: ${url.href}`,
    ...(status === 200 ? [] : [`Status: ${status}`]),
    ...(title ? [`Title: ${title}`] : []),
  ];
  return `${head.join('\n')}\n\n${cut(text, maxBytes)}`;
}

function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const kept = new TextDecoder('utf-8').decode(bytes.subarray(0, maxBytes), { stream: true }); // no half letter at the end
  return `${kept}\n[Cut here: ${bytes.length - Buffer.byteLength(kept)} of ${bytes.length} bytes are left out.]`;
}
