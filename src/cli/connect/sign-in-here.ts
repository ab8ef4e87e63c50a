import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { equalsSecret, hashSecret } from '#domain/secret-hash.ts';
import { AuthFailure } from '#tools/auth/auth-failure.ts';

/** What the provider sent back with the browser. */
export type SignInAnswer = { readonly state: string; readonly code: string; readonly iss?: string };

type Options = {
  /** A free one when it is not given. */
  readonly port?: number | undefined;
  readonly signal: AbortSignal;
  /** Returns the address where the person goes, which has the state of the sign-in. */
  readonly begin: (redirectUri: string) => Promise<string>;
  readonly finish: (answer: SignInAnswer) => Promise<unknown>;
};

export type SignInHere = {
  /** Where the person goes with a browser on this machine. */
  readonly url: string;
  /** Resolves when the sign-in is finished. */
  readonly done: Promise<void>;
  cancel(): void;
};

/** Signs in with a browser on this machine. It comes back to a listener on loopback, once, with the state that `begin` chose. */
export async function signInHere({ port, signal, begin, finish }: Options): Promise<SignInHere> {
  signal.throwIfAborted();
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  done.catch(() => {}); // it can fail before it is awaited
  let state: string | undefined;
  let used = false;

  const complete = async (query: URLSearchParams, response: ServerResponse) => {
    try {
      const iss = query.get('iss');
      await finish({ state: query.get('state') ?? '', code: getCode(query), ...(iss !== null && { iss }) });
      resolve();
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
    if (state === undefined || !equalsSecret(url.searchParams.get('state') ?? '', hashSecret(state)))
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
  try {
    const url = await begin(redirectUri);
    state = new URL(url).searchParams.get('state') ?? undefined;
    return { url, done, cancel: close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Aborted by Ctrl+C. */
export function stoppedByPerson(): AbortSignal {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('Stopped; nothing was stored.')));
  return stop.signal;
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
