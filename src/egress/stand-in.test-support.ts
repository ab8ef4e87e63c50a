import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createEgress, type Egress } from './egress.ts';
import type { EgressRequest } from './exchange.ts';
import type { Network } from './network.ts';

/** A public address that is never connected to: the test's `dial` leads elsewhere. */
export const PUBLIC = '93.184.215.14';

export type StandIn = { readonly port: number; readonly requests: string[]; readonly open: Set<Socket> };

/** A server on loopback that writes raw bytes, so that it can misbehave. It answers once a request's headers have arrived. */
export async function startStandIn(answer: (socket: Socket, request: string) => void): Promise<StandIn> {
  const requests: string[] = [];
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    open.add(socket);
    let received = '';
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    socket.on('data', (chunk) => {
      const before = received.includes('\r\n\r\n');
      received += chunk.toString('latin1');
      if (before || !received.includes('\r\n\r\n')) return;
      requests.push(received);
      answer(socket, received);
    });
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return { port, requests, open };
}

export async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Every public address leads to the stand-in, by plain http. */
export function networkTo(port: number, network: Partial<Network> = {}): Network {
  return { resolve: async () => [PUBLIC], dial: () => ({ host: '127.0.0.1', port, tls: false }), ...network };
}

export function openEgress(network: Network): Egress {
  const egress = createEgress(network);
  onTestFinished(() => egress.close());
  return egress;
}

export function get(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  return { method: 'GET', url, timeoutMs: 5_000, maxResponseBytes: 100_000, ...more };
}
