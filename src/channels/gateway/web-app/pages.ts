import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyReply } from 'fastify';

/** Plain pages without the browser app. They never contain text from a request. */
export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(html);
}

/** A further page of the build, or a bare one when it was not built. */
export type ReadPage = (name: string) => Promise<string>;

export const readPageOf =
  (folder: string): ReadPage =>
  (name) =>
    readFile(path.join(folder, name), 'utf8').catch(() => NOT_BUILT);

export const HOME_PAGE = page(
  '<p>The service is running. Its API is described in <a href="/openapi.json">openapi.json</a>.</p>\n' +
    '<p><a href="/login">Sign in</a></p>',
);

/** Stores the key of the new session where the app looks for it, and opens the first page. */
export function sendLeavingPage(reply: FastifyReply, key: string): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const script = `localStorage.setItem('${SESSION_KEY_ITEM}', '${key}'); location.replace('/');`;
  reply.header('content-security-policy', `default-src 'none'; script-src 'nonce-${nonce}'; frame-ancestors 'none'`);
  return sendPage(
    reply,
    page(`<p>Signed in. <a href="/">Continue</a></p>\n<script nonce="${nonce}">${script}</script>`),
  );
}

/** Where the browser app keeps the key of its session; `web/src/client/session-key.ts` reads it. */
const SESSION_KEY_ITEM = 'reborn.session-key';

export function loginPage(hasSingleSignOn: boolean): string {
  const byLink = '<p>The browser app was not built here, so signing in with a token or link is not possible.</p>';
  return page(hasSingleSignOn ? `<p><a href="/login/oidc">Sign in with single sign-on</a></p>\n${byLink}` : byLink);
}

const NOT_BUILT = page('<p>The browser app was not built here, so this page can not be shown.</p>');

function page(body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Reborn</title>${head}</head>
<body>
<h1>Reborn</h1>
${body}
</body>
</html>
`;
}
