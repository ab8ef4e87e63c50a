import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Network } from '#egress/network.ts';

export type Asked = {
  readonly method: string;
  readonly host: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
      readonly text?: string;
    }
  | 'break-off';

/** The hosts of the outside world, on loopback. Names resolve to a public address that is dialled here, so every check stays on. */
export async function startStandIn(answer: (asked: Asked) => Answer | Promise<Answer>) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const host = request.headers.host ?? '';
      const url = new URL(request.url ?? '/', `https://${host}`);
      const body = (await buffer(request)).toString('utf8');
      const seen = { method: request.method ?? '', host, url, headers: request.headers, body };
      asked.push(seen);
      const given = await answer(seen);
      if (given === 'break-off') return request.socket.destroy();
      response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers });
      response.end(given.text ?? JSON.stringify(given.json));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    port,
    network: networkOf(port),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Every name resolves to a public address, which is dialled on loopback. */
export const networkOf = (port: number): Network => ({
  resolve: async () => ['93.184.215.14'],
  dial: () => ({ host: '127.0.0.1', port, tls: false }),
});
