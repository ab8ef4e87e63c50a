import { Resolver } from 'node:dns/promises';
import { codeOf } from './egress-failure.ts';
import { type Network } from './network.ts';

/**
 * Asks the name servers themselves. `getaddrinfo` would complete names by search domains, can't be broken off, and a slow
 * name server could hold all four of the threads that files and other lookups need.
 */
export function createDns(servers?: readonly string[]): Network['resolve'] {
  return async (host, signal) => {
    // A resolver of its own: cancelling it cancels nothing else, and it knows the name servers of now.
    const resolver = new Resolver({ timeout: 2_000, tries: 3, maxTimeout: 5_000 });
    if (servers) resolver.setServers(servers);

    const cancel = () => resolver.cancel();
    signal?.addEventListener('abort', cancel);
    try {
      return gather(await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]));
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  };
}

/** IPv4 and IPv6 in turns: where one of the two leads nowhere, the second try is the other. */
function gather(answers: readonly PromiseSettledResult<readonly string[]>[]): string[] {
  const families = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const length = Math.max(...families.map((family) => family.length));
  if (length === 0) throwUnlessMissing(answers);
  return Array.from({ length }, (_, place) => families.flatMap((family) => family[place] ?? [])).flat();
}

function throwUnlessMissing(answers: readonly PromiseSettledResult<unknown>[]): void {
  for (const answer of answers)
    if (answer.status === 'rejected' && !['ENOTFOUND', 'ENODATA'].includes(codeOf(answer.reason))) throw answer.reason;
}
