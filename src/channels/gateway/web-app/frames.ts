import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { sendPage } from './pages.ts';

/**
 * Pages for frames of the app that show or draw what a model wrote. Each has an opaque origin, also when it is opened
 * on its own: it has no session, no storage and no access to the app. A frame can't load anything from other hosts, and
 * the policy of the app keeps it from leaving for another page. Scripts that a person runs can still reach the network: by WebRTC in a
 * nested frame, and by an attempt to leave, for which a browser connects before it refuses.
 */
export function frameRoutes(folder: string) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/frames/preview', async (_request, reply) => sendFrame(reply, PREVIEW_PAGE, PREVIEW_POLICY));
    app.get('/frames/preview-with-scripts', async (_request, reply) => sendFrame(reply, PREVIEW_PAGE, SCRIPTS_POLICY));
    const diagramPage = await readFile(path.join(folder, 'frames/diagram.html'), 'utf8').catch(() => NOT_BUILT);
    app.get('/frames/diagram', async (_request, reply) => sendFrame(reply, diagramPage, DIAGRAM_POLICY));
  };
}

function sendFrame(reply: FastifyReply, html: string, policy: string): FastifyReply {
  reply.header('content-security-policy', policy);
  reply.header('x-frame-options', 'SAMEORIGIN');
  reply.header('x-dns-prefetch-control', 'off');
  reply.header('cache-control', 'no-cache');
  return sendPage(reply, html);
}

/** Waits for the page to show, and becomes it. Makes WebRTC, which no policy forbids, harder to reach. */
const PREVIEW_SCRIPT = `
delete self.RTCPeerConnection;
delete self.webkitRTCPeerConnection;
addEventListener('message', ({ source, data }) => {
  if (source !== parent) return;
  document.open();
  document.write(data);
  document.close();
}, { once: true });
parent.postMessage('ready', '*');
`;

const PREVIEW_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Preview</title></head>
<body><script>${PREVIEW_SCRIPT}</script></body>
</html>
`;

const NOT_BUILT = '<!doctype html>\n<title>Diagram</title>\n';

const framePolicy = (...directives: readonly string[]) =>
  [
    'sandbox allow-scripts',
    "default-src 'none'",
    ...directives,
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const SHOWN_PAGE = ["style-src 'unsafe-inline'", 'img-src data:', 'font-src data:', 'media-src data:'];

const scriptHash = createHash('sha256').update(PREVIEW_SCRIPT).digest('base64');

const PREVIEW_POLICY = framePolicy(`script-src 'sha256-${scriptHash}'`, ...SHOWN_PAGE);

const SCRIPTS_POLICY = framePolicy("script-src 'unsafe-inline'", ...SHOWN_PAGE);

/** The library that draws puts styles into its drawings and measures them in the page. */
const DIAGRAM_POLICY = framePolicy("script-src 'self'", "style-src 'self' 'unsafe-inline'", 'img-src data:');
