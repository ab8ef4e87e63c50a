import { z } from 'zod';
import type { Attachment, FetchLinks, Link } from '#agent/attachments/fetch-links.ts';
import { InvalidRequest } from '#domain/errors.ts';

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/]+={0,2})$/;

/** The published schemas of images and files. */
export const dataUrl = z.string().regex(DATA_URL);
export const linkOrDataUrl = z
  .union([z.string().regex(/^https:\/\//i), dataUrl])
  .describe('An https URL, which the service fetches, or a data URL.');

export function parseDataUrl(url: unknown, param: string): Attachment {
  const parts = typeof url === 'string' ? DATA_URL.exec(url) : null;
  if (!parts?.[1] || !parts[2]) throw new InvalidRequest('invalid_request', param, `Send ${BYTES}`);
  return { mediaType: parts[1], base64: parts[2] };
}

/** A field that may also hold an https URL, which `parseWithLinks` has replaced with the bytes. */
export function parseLinkOrDataUrl(url: unknown, param: string): Attachment {
  if (isLink(url)) throw notFetched(param);
  if (typeof url !== 'string' || !DATA_URL.test(url))
    throw new InvalidRequest('invalid_request', param, `Send an https URL, or ${BYTES}`);
  return parseDataUrl(url, param);
}

const BYTES = 'the bytes as a data URL: data:<media type>;base64,<bytes>.';

const notFetched = (param: string) =>
  new InvalidRequest('invalid_request', param, `URLs are not fetched here. Send ${BYTES}`);

/** For a request that does not count as a send: without a rate limit, it fetches nothing. */
export const refuseLinks: FetchLinks = ([link]) => Promise.reject(notFetched(link?.param ?? 'input'));

/** A field of a body that holds an https URL: `holder[key]`. */
export type LinkField = Omit<Link, 'url'> & { readonly holder: Record<string, unknown>; readonly key: string };

export const isLink = (value: unknown): value is string => typeof value === 'string' && /^https:\/\//i.test(value);

/**
 * Parses a body whose https URLs are replaced with the bytes that they lead to. Nothing is fetched for a body that the
 * checks refuse anyway, so it is parsed twice. The body belongs to this request, and is changed in place.
 */
export async function parseWithLinks<T>(
  fields: readonly LinkField[],
  parse: () => Promise<T>,
  fetchLinks: FetchLinks,
): Promise<T> {
  if (fields.length === 0) return parse();
  const links = fields.map(({ holder, key, kind, param }) => ({ url: String(holder[key]), kind, param }));
  for (const { holder, key } of fields) holder[key] = PLACEHOLDER;
  await parse();
  const fetched = await fetchLinks(links);
  fields.forEach(({ holder, key, kind }, index) => {
    const { mediaType, base64 } = fetched[index] as Attachment;
    holder[key] = `data:${mediaType};base64,${base64}`;
    if (kind === 'file' && typeof holder['filename'] !== 'string') holder['filename'] = nameOf(links[index] as Link);
  });
  return parse();
}

const PLACEHOLDER = 'data:image/png;base64,AAAA';

/** The last part of the path. */
const nameOf = ({ url }: Link): string | null => URL.parse(url)?.pathname.split('/').at(-1) || null;
