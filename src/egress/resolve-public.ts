import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { codeOf, EgressFailed, EgressRefused } from './egress-failure.ts';
import type { Network } from './network.ts';

/** The addresses of the host, looked up once. If one is not public, the host is refused. */
export async function resolvePublic(network: Network, host: string, signal: AbortSignal): Promise<readonly string[]> {
  const found = await untilAborted(lookUp(network, host, signal), signal);
  const addresses = found.map(findPublicAddress).filter((address) => address !== undefined);
  if (addresses.length > 0 && addresses.length === found.length) return addresses;

  // The same message for all cases, so that it does not reveal which internal names exist.
  throw new EgressRefused(`The host ${host} has no address, or one that is not public. Use a host on the internet.`);
}

/** The addresses of a host that the operator allows by name. Those of cloud metadata services stay refused. */
export async function resolvePrivate(network: Network, host: string, signal: AbortSignal): Promise<readonly string[]> {
  const literal = host.replace(/^\[|\]$/g, '');
  const found = isIP(literal) > 0 ? [literal] : await findByName(network, host, signal);
  if (found.length > 0 && found.every(isReachable)) return found;
  throw new EgressRefused(`The host ${host} has no address, or one that is never allowed.`);
}

/** Name servers don't know this name. */
function findByName(network: Network, host: string, signal: AbortSignal): Promise<readonly string[]> {
  return host === 'localhost'
    ? Promise.resolve(['127.0.0.1', '::1'])
    : untilAborted(lookUp(network, host, signal), signal);
}

/** Link-local addresses and two others lead to metadata services, which give credentials to every caller. */
function isReachable(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.process(text);
  const refused = ['linkLocal', 'unspecified', 'multicast', 'broadcast', 'reserved'];
  return !refused.includes(address.range()) && ![AZURE_HOST, AWS_METADATA].includes(address.toString());
}

async function lookUp(network: Network, host: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await network.resolve(host, signal);
  } catch (error) {
    throw new EgressFailed(`The host ${host} could not be looked up (${codeOf(error)}).`, { cause: error });
  }
}

/** A resolver may ignore the signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work, aborted]);
}

/** The normalised address if it is on the public internet. An address not known to be public is treated as private. */
export function findPublicAddress(text: string): string | undefined {
  // ipaddr.js accepts more notations than Node connects to. Without this check, a text could be checked as one address and looked up as a name.
  if (isIP(text) === 0 || text.includes('%')) return undefined;

  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return undefined;
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_UNICAST)) return undefined;
  const usual = address.toString();
  return usual === AZURE_HOST ? undefined : usual;
}

/** The allocated part of IPv6. The rest would pass as unicast, including `::127.0.0.1`. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Looks public, but is the virtual machine's host on Azure. */
const AZURE_HOST = '168.63.129.16';

/** In a private range of IPv6. */
const AWS_METADATA = 'fd00:ec2::254';
