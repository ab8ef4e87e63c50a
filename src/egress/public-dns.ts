import { Resolver } from 'node:dns/promises';
import { codeOf } from './egress-failure.ts';
import type { Network } from './network.ts';

/**
 * Queries the name servers directly. `getaddrinfo` would add search domains, can't be cancelled, and a slow name server
 * could block all four threads that files and other lookups need.
 */
export function createDns(servers?: readonly string[]): Network['resolve'] {
  return async (host, signal) => {
    // A separate resolver for each lookup: cancelling it affects no other, and it uses the current name servers.
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

/** Alternates IPv4 and IPv6: if one of them does not work, the second try uses the other. */
function gather(answers: readonly PromiseSettledResult<readonly string[]>[]): string[] {
  const families = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const length = Math.max(...families.map((family) => family.length));
  if (length === 0) throwUnlessMissing(answers);
  return Array.from({ length }, (_, index) => families.flatMap((family) => family[index] ?? [])).flat();
}

function throwUnlessMissing(answers: readonly PromiseSettledResult<unknown>[]): void {
  for (const answer of answers)
    if (answer.status === 'rejected' && !['ENOTFOUND', 'ENODATA'].includes(codeOf(answer.reason))) throw answer.reason;
}
