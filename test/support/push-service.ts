import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Network } from '#egress/network.ts';

/**
 * How the push service answers a message. `slow`: late. `half-open`: never. `cut`: the connection breaks after it was taken.
 * A promise: once it is kept.
 */
export type PushAnswer =
  | { readonly status: number; readonly retryAfter?: string }
  | 'slow'
  | 'half-open'
  | 'cut'
  | Promise<void>;

/** A message that the push service has taken, as the browser decrypts it. */
export type Taken = {
  readonly at: number;
  readonly subscription: string;
  readonly message: { readonly title: string; readonly body: string; readonly path: string; readonly tag: string };
  readonly ttl: number;
  readonly urgency: string;
  readonly topic: string;
  readonly contact: string;
};

const MAX_BYTES = 4096;

/**
 * Replaces a browser vendor's push service and the browser behind it, as RFC 8030, 8291 and 8292 describe them: it refuses a
 * message that is too long, not encrypted, without a lifetime, or not signed with the key of the subscription. It keeps a
 * ledger of what it has taken. A topic replaces an earlier message with that topic.
 */
export async function startPushService() {
  const subscriptions = new Map<string, ReturnType<typeof newKeys> & { serverKey: string; answers: PushAnswer[] }>();
  const taken: Taken[] = [];
  const refused: { readonly subscription: string; readonly status: number; readonly reason: string }[] = [];

  const server = createServer((request, response) => {
    void (async () => {
      const host = request.headers.host ?? '';
      const name = (request.url ?? '').slice('/push/'.length);
      const body = await buffer(request);
      const header = (field: string) => String(request.headers[field] ?? '');
      const end = (status: number, reason = '', retryAfter?: string) => {
        if (status >= 300) refused.push({ subscription: name, status, reason });
        response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(reason);
      };
      const known = subscriptions.get(name);
      if (!known) return end(404, 'This subscription does not exist.');
      const answer = known.answers.shift() ?? { status: 201 };
      if (answer === 'half-open') return;
      if (answer === 'slow') await new Promise((resolve) => setTimeout(resolve, 1500).unref());
      else if (answer instanceof Promise) await answer;
      else if (answer !== 'cut' && answer.status !== 201) return end(answer.status, 'As asked.', answer.retryAfter);
      if (body.length > MAX_BYTES) return end(413, 'The message is too long.');
      if (header('content-encoding') !== 'aes128gcm') return end(400, 'The message is not encrypted.');
      if (!/^\d+$/.test(header('ttl'))) return end(400, 'TTL is missing.');
      if (!/^[\w-]{1,32}$/.test(header('topic'))) return end(400, 'The topic is malformed.');
      const contact = verifyVapid(header('authorization'), `https://${host}`, known.serverKey);
      if (contact === undefined) return end(403, 'The signature does not fit the subscription.');
      taken.push({
        at: Date.now(),
        subscription: name,
        message: JSON.parse(decrypt(body, known)) as Taken['message'],
        ttl: Number(header('ttl')),
        urgency: header('urgency'),
        topic: header('topic'),
        contact,
      });
      if (answer === 'cut') return request.socket.destroy();
      return end(201);
    })().catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const network: Network = {
    resolve: async (host) => [host.startsWith('private.') ? '10.0.0.5' : '93.184.215.14'],
    dial: () => ({ host: '127.0.0.1', port, tls: false }),
  };
  return {
    network,
    port,
    taken,
    refused,
    takenBy: (subscription: string) => taken.filter((each) => each.subscription === subscription),
    /** What `PushManager.subscribe` does: the keys stay in the browser, and the rest is for the service. */
    subscribe(serverKey: string, answers: PushAnswer[] = [], host = 'push.example') {
      const name = randomBytes(12).toString('base64url');
      const keys = newKeys();
      subscriptions.set(name, { ...keys, serverKey, answers });
      const p256dh = keys.browser.getPublicKey().toString('base64url');
      return {
        name,
        endpoint: `https://${host}/push/${name}`,
        keys: { p256dh, auth: keys.auth.toString('base64url') },
        /** What the service is answered from now on. */
        answer: (...coming: PushAnswer[]) => void answers.push(...coming),
        unsubscribe: () => void subscriptions.delete(name),
      };
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function newKeys() {
  const browser = createECDH('prime256v1');
  browser.generateKeys();
  return { browser, auth: randomBytes(16) };
}

/** Decrypts as RFC 8291 defines it, written from the receiver's side. */
function decrypt(body: Buffer, { browser, auth }: ReturnType<typeof newKeys>): string {
  const salt = body.subarray(0, 16);
  const length = body.readUInt8(20);
  const sender = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const derive = (key: Buffer, from: Buffer, info: Buffer | string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', key, from, info, bytes));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender]);
  const secret = derive(browser.computeSecret(sender), auth, info, 32);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const opened = createDecipheriv('aes-128-gcm', key, derive(secret, salt, 'Content-Encoding: nonce\0', 12));
  opened.setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([opened.update(sealed.subarray(0, -16)), opened.final()]);
  return text.subarray(0, text.lastIndexOf(2)).toString();
}

/** Returns the contact in the token, or undefined when it is not signed with `serverKey` for this service. */
function verifyVapid(header: string, audience: string, serverKey: string): string | undefined {
  const [, token = '', key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  if (key !== serverKey) return undefined;
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, 'base64url')))
    return undefined;
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  const left = Number(exp) - Date.now() / 1000;
  return aud === audience && left > 0 && left <= 24 * 3600 ? String(sub) : undefined;
}
