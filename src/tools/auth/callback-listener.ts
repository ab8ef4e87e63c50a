import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { equalsSecret, hashSecret } from '#domain/secret-hash.ts';
import { AuthFailure } from './auth-failure.ts';
import type { AuthorizationAnswer } from './authorization-server.ts';

export type CallbackListener<T> = {
  readonly redirectUri: string;
  /** What `complete` made of the code. */
  readonly outcome: Promise<T>;
  close(): void;
};

type Options<T> = {
  /** A free one when it is not given. */
  readonly port?: number | undefined;
  readonly state: string;
  readonly signal: AbortSignal;
  complete(answer: AuthorizationAnswer, redirectUri: string): Promise<T>;
};

/** Waits on loopback for the browser to return from the provider, once. Requests without the right `state` are refused. */
export async function listenForCallback<T>(options: Options<T>): Promise<CallbackListener<T>> {
  const { port, state, signal } = options;
  signal.throwIfAborted();
  const { promise: outcome, resolve, reject } = Promise.withResolvers<T>();
  outcome.catch(() => {}); // it can fail before it is awaited
  let used = false;

  const complete = async (query: URLSearchParams, response: ServerResponse) => {
    try {
      resolve(await options.complete({ code: getCode(query), iss: query.get('iss') ?? undefined }, redirectUri));
      answer(response, 200, undefined);
    } catch (error) {
      reject(error);
      answer(response, 400, error instanceof Error ? error.message : String(error));
    }
    server.close();
  };
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || url?.pathname !== '/callback') return answer(response, 404, 'Nothing is here.');
    if (!equalsSecret(url.searchParams.get('state') ?? '', hashSecret(state)))
      return answer(response, 400, 'This address does not belong to the sign-in that is under way. Start it again.');
    if (used) return answer(response, 410, 'This sign-in is already done.');

    used = true;
    void complete(url.searchParams, response);
  });

  await listen(server, port);
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const close = () => {
    server.close();
    server.closeAllConnections();
    reject(new AuthFailure('The browser did not return from the sign-in page in time. Start again.'));
  };
  signal.addEventListener('abort', close, { once: true });
  server.once('close', () => signal.removeEventListener('abort', close));
  return { redirectUri, outcome, close };
}

async function listen(server: ReturnType<typeof createServer>, port = 0): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new AuthFailure(`Port ${port} on 127.0.0.1 is taken, and the sign-in must come back there. Free it first.`, {
      cause: error,
    });
  }
}

function getCode(query: URLSearchParams): string {
  const error = query.get('error');
  if (error) {
    const description = query.get('error_description');
    const words = [error, ...(description ? [description] : [])].join(': ').slice(0, 300);
    throw new AuthFailure(`The provider refused the sign-in (${words}).`, { code: error });
  }
  const code = query.get('code');
  if (!code) throw new AuthFailure('The provider sent the browser back without a code. Start again.');
  return code;
}

function answer(response: ServerResponse, status: number, failure: string | undefined): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(renderCallbackPage(failure));
}

/** What the browser shows at the end of a sign-in. */
function renderCallbackPage(failure: string | undefined): string {
  const [title, text] =
    failure === undefined
      ? ['Signed in', 'You can close this window and go back to the terminal.']
      : ['The sign-in failed', failure];
  return [
    '<!doctype html>',
    `<html lang="en"><meta charset="utf-8"><title>${title}</title>`,
    `<h1>${title}</h1><p>${escapeHtml(text)}</p></html>`,
    '',
  ].join('\n');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
