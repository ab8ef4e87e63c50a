import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { networkOf } from '../stand-in.ts';

/** What happens to a coming request. `lost`: done, but the answer never arrives. `cut`: not even done. `hang`: done, and the line stays open. */
export type Fault =
  | 'lost'
  | 'cut'
  | 'hang'
  | { readonly status: number; readonly retryAfter?: number; readonly description?: string };

export type Payload = Record<string, unknown>;
export type Call = { readonly method: string; readonly payload: Payload; status: number; readonly at: number };

/** What the stand-ins for chat platforms have in common: a server that can be down, planned faults, and a ledger of calls. */
export async function startChatServer(
  answer: (asked: {
    request: IncomingMessage;
    response: ServerResponse;
    body: string;
    bytes: Buffer<ArrayBuffer>;
  }) => unknown,
) {
  const calls: Call[] = [];
  const faults: { method: RegExp; fault: Fault; times: number }[] = [];
  const lastUse = new Map<string, number>();
  const limits = new Map<string, { readonly endsAt: number; refusals: number }>();
  let isDown = false;
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) =>
      isDown ? request.socket.destroy() : answer({ request, response, body: bytes.toString('utf8'), bytes }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    server,
    port,
    network: networkOf(port),
    calls,
    isDown: () => isDown,
    setDown: (down: boolean) => (isDown = down),
    note(method: string, payload: Payload): Call {
      const call = { method, payload, status: 200, at: performance.now() };
      calls.push(call);
      return call;
    },
    fail: (method: RegExp, fault: Fault, times = 1) => faults.push({ method, fault, times }),
    /** Drops what is left of the planned faults. */
    failNoMore: () => void faults.splice(0),
    takeFault(method: string): Fault | undefined {
      const found = faults.find((planned) => planned.method.test(method));
      if (!found) return undefined;
      if (--found.times <= 0) faults.splice(faults.indexOf(found), 1);
      return found.fault;
    },
    /** From now on the chat is refused with 429, for so long or until it is lifted. */
    limit(chat: string, seconds: number) {
      const limit = { endsAt: performance.now() + seconds * 1000, refusals: 0 };
      limits.set(chat, limit);
      return { refusals: () => limit.refusals, lift: () => void limits.delete(chat) };
    },
    /** The seconds that a chat has to wait; undefined if it is not limited. */
    takeLimit(chat: string): number | undefined {
      const limit = limits.get(chat);
      if (!limit || limit.endsAt < performance.now()) return undefined;
      limit.refusals++;
      return Math.ceil((limit.endsAt - performance.now()) / 1000);
    },
    /** One use of `key` in `leastMs`. Returns whether it comes too early. */
    isTooEarly(key: string, leastMs: number): boolean {
      const now = performance.now();
      if (now - (lastUse.get(key) ?? -Infinity) < leastMs) return true;
      lastUse.set(key, now);
      return false;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A file as people get it. */
export type ShownFile = { readonly name: string; readonly mediaType: string; readonly bytes: Buffer };

/** The fields of a form, with its files. */
export async function readForm(bytes: Buffer<ArrayBuffer>, contentType: string): Promise<Payload> {
  // oxlint-disable-next-line typescript/no-deprecated -- the form comes from the service
  const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
  const fields = [...form].map(async ([name, value]): Promise<[string, unknown]> => {
    if (typeof value === 'string') return [name, value];
    const content = Buffer.from(await value.arrayBuffer());
    return [name, { name: value.name, mediaType: value.type, bytes: content } satisfies ShownFile];
  });
  return Object.fromEntries(await Promise.all(fields));
}
