import type { FastifyReply } from 'fastify';

/** Bare pages, until there is an app for the browser. Nothing a caller sent ever stands in one. */
export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(html);
}

export const HOME_PAGE = page(
  '<p>The service is running. Its API is described in <a href="/openapi.json">openapi.json</a>.</p>\n' +
    '<p><a href="/login">Sign in</a></p>',
);

/** Goes on to the first page by itself. */
export const LEAVING_PAGE = page(
  '<p>Signed in. <a href="/">Go on</a></p>',
  '<meta http-equiv="refresh" content="0;url=/">',
);

export function loginPage(hasSingleSignOn: boolean): string {
  const byLink = '<p>Open the sign-in link that the service wrote to its log, or /login?token= with your token.</p>';
  return page(hasSingleSignOn ? `<p><a href="/login/oidc">Sign in with single sign-on</a></p>\n${byLink}` : byLink);
}

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
