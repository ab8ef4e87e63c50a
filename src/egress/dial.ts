import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Network } from './network.ts';

type Route = { readonly host: string; readonly port: number; readonly tls: boolean };
type Deadline = { readonly endsAt: number; readonly signal: AbortSignal };

/** A name may have any number of addresses; its owner must not make the service try all of them. */
const MAX_TRIED = 8;

/** Connects to the first of the checked addresses that accepts. */
export async function dial(
  network: Network,
  addresses: readonly string[],
  url: URL,
  { endsAt, signal }: Deadline,
): Promise<Socket> {
  const tls = url.protocol === 'https:';
  const port = Number(url.port || (tls ? 443 : 80));
  const tried = addresses.slice(0, MAX_TRIED);
  let failure: unknown;
  for (const [index, address] of tried.entries()) {
    const route = network.dial?.(address, port) ?? { host: address, port, tls };
    const share = (endsAt - performance.now()) / (tried.length - index);
    try {
      return await connect(route, url.hostname, index === tried.length - 1 ? undefined : share, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

/** Gives up after `timeoutMs` if there is another address to try; otherwise only when the signal aborts. */
async function connect(
  { host, port, tls }: Route,
  name: string,
  timeoutMs: number | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = tls ? connectTls({ host, port, ...nameOf(name), ...TLS }) : connectPlain({ host, port });
  // The current reader handles errors; this covers the moments when there is none.
  socket.on('error', () => {});

  const timer = timeoutMs === undefined ? undefined : setTimeout(() => socket.destroy(new ConnectTimeout()), timeoutMs);
  try {
    await once(socket, tls ? 'secureConnect' : 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** An address can't be a server name: its certificate is checked for the address itself. */
const nameOf = (host: string) => (isIP(host.replace(/^\[|\]$/g, '')) > 0 ? {} : { servername: host });

/** Set explicitly, because the environment can disable the check of certificates. */
const TLS = { rejectUnauthorized: true, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] } as const;

class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';
}
