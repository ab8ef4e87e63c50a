import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address in its usual form if it is one on the public internet. What is not known to be public is not. */
export function findPublicAddress(text: string): string | undefined {
  // ipaddr.js reads more spellings than Node dials. Without this, a text could be checked as one address and looked up as a name.
  if (isIP(text) === 0 || text.includes('%')) return undefined;

  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return undefined;
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_UNICAST)) return undefined;
  const usual = address.toString();
  return usual === AZURE_HOST ? undefined : usual;
}

/** The part of IPv6 that is given out at all. The rest would pass as unicast, `::127.0.0.1` among it. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Looks public, and is the machine's own host on Azure. */
const AZURE_HOST = '168.63.129.16';
