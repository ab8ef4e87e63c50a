import type { AddressQuestion, ReadSoFar } from '#domain/tool/read-so-far.ts';
import { runInWorker, unlessGivenUp } from '../worker-threads/worker-pool.ts';
import { bareHost, hostsIn } from './hosts-in.ts';
import { canonicalAddress } from './links-in.ts';

/** Longer texts are searched in another thread. */
const INLINE_LENGTH = 16 * 1024;

/** Which pages are opened, and how often, tells their host something too. */
const MOST_OPENED = 10;
const MOST_OF_ONE = 2;

/**
 * Whether an address is opened without a question. An address can carry data to its host, in its letters or by being chosen:
 *
 * 1. As long as the model has read nothing by others, no text could have made it send data. Any address runs; with private
 *    data, only hosts that the person has named.
 * 2. After text by others, an address runs if the person wrote exactly this one, or named the host whose front page it is.
 * 3. So does a result of the operator's search, while nothing private was read: the provider has chosen it, not the page.
 * 4. While nothing private was read, approved research opens more results than are opened otherwise. Links on pages ask as usual.
 * 5. Everything else asks: once per site for links that were shown, and each time for addresses that the agent has written.
 */
export async function judgeAddress(address: string, read: ReadSoFar, lane = ''): Promise<'runs' | AddressQuestion> {
  const url = URL.parse(address);
  if (!url?.hostname) return 'runs'; // no request will be made
  const site = siteOf(url);
  const wanted = canonicalAddress(url);
  if (read.opened.filter((opened) => opened === wanted).length >= MOST_OF_ONE)
    return { kind: 'repeated', site, reason: 'again' };
  const isCovered = read.isResearch === true && !read.hasPrivate;
  if (!isCovered && (read.opened.length >= MOST_OPENED || read.hidesOpened))
    return { kind: 'repeated', site, reason: 'many' };
  if (url.username || url.password) return composed(site, wanted, read);
  if (read.situation === 'clean')
    return !read.hasPrivate || (await isNamed(url, read.ownTexts, lane)) ? 'runs' : composed(site, wanted, read);
  if (read.ownLinks().has(wanted)) return 'runs';
  if (isFrontPage(url) && (await isNamed(url, read.ownTexts, lane))) return 'runs';
  if (!read.hasPrivate && read.results.has(wanted)) return 'runs';
  return read.shownLinks().has(wanted) ? { kind: 'link', site } : composed(site, wanted, read);
}

/** The host as people write it, with a port that is not the usual one. */
const siteOf = (url: URL): string => bareHost(url.hostname) + (url.port && `:${url.port}`);

/** Whether both URLs have the same host, ignoring `www.`. */
export const isSameSite = (one: URL, other: URL): boolean => bareHost(one.hostname) === bareHost(other.hostname);

const isFrontPage = ({ pathname, search }: URL): boolean => pathname === '/' && search === '';

async function isNamed({ hostname }: URL, texts: readonly string[], lane: string): Promise<boolean> {
  const host = bareHost(hostname);
  if (texts.reduce((sum, { length }) => sum + length, 0) <= INLINE_LENGTH)
    return texts.some((text) => hostsIn(text).has(host));
  const search = {
    program: 'safety/worker-threads/run-rules',
    run: 'namesHost',
    input: { host, texts },
    lane,
  } as const;
  return (await unlessGivenUp(runInWorker<boolean>(search))) ?? false;
}

/** The card marks the part of the address that neither the person wrote nor anyone has shown. */
function composed(site: string, wanted: string, read: ReadSoFar): AddressQuestion {
  let shown = 0;
  for (const known of [...read.ownLinks(), ...read.shownLinks(), ...read.results])
    shown = Math.max(shown, commonLength(known, wanted));
  return { kind: 'composed', site, shown };
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
