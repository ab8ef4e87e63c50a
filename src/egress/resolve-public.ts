import type { Network } from './egress.ts';
import { codeOf, EgressFailed, EgressRefused } from './egress-failure.ts';
import { findPublicAddress } from './public-address.ts';

/** The addresses of the host, looked up once. One that is not public spoils them all. */
export async function resolvePublic(network: Network, host: string, signal: AbortSignal): Promise<readonly string[]> {
  const found = await untilAborted(lookUp(network, host, signal), signal);
  const addresses = found.map(findPublicAddress).filter((address) => address !== undefined);
  if (addresses.length > 0 && addresses.length === found.length) return addresses;

  // The same words for all cases: they must not tell which names exist inside.
  throw new EgressRefused(`The host ${host} has no address, or one that is not public. Use a host on the internet.`);
}

async function lookUp(network: Network, host: string, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await network.resolve(host, signal);
  } catch (error) {
    throw new EgressFailed(`The host ${host} could not be looked up (${codeOf(error)}).`, { cause: error });
  }
}

/** A resolver need not heed the signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work, aborted]);
}
