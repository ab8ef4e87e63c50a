import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import staticFiles, { type FastifyStaticOptions } from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { frameRoutes } from './frames.ts';
import { HOME_PAGE, sendPage } from './pages.ts';

/** Paths of other routes: an unknown path below these is an error, not a page of the app. */
const NOT_PAGES = /^\/(?:api|v1|login|logout|openapi\.json|docs|metrics|healthz|readyz|assets|shared)(?:\/|$)/;

/** The files of the build; others don't exist. Compressed files have the name of the original. */
const ASSET = /^[\w-][\w.-]*(?<!\.br|\.gz)$/;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/** The service worker only fetches files of the app. */
const SERVICE_WORKER_POLICY = "default-src 'none'; connect-src 'self'";

/** A worker among the assets, which colours code, only loads the grammars of languages. */
const ASSET_POLICY = "default-src 'none'; script-src 'self'";

/** The page of the app, which finds its own way; undefined when it was not built. */
export type AppPage = ((reply: FastifyReply) => FastifyReply) | undefined;

export async function readAppPage(folder: string): Promise<AppPage> {
  const html = await readFile(path.join(folder, 'index.html'), 'utf8').catch(() => undefined);
  if (html === undefined) return undefined;
  return (reply) => sendPage(reply.header('content-security-policy', POLICY), html);
}

/**
 * The browser app as it was built into `folder`, or a bare page when it was not. Names below `assets` hold a hash of
 * what is inside, so browsers may cache them permanently; every other page is the app.
 */
export function webAppRoutes(folder: string, appPage: AppPage) {
  return async (app: FastifyInstance): Promise<void> => {
    const files = new Set(await readdir(folder).catch(() => []));
    if (appPage) await app.register(staticFiles, { ...OPTIONS, root: folder });

    const sendApp = (reply: FastifyReply) =>
      appPage
        ? appPage(reply.header('cache-control', 'no-cache'))
        : sendPage(reply.header('cache-control', 'no-store'), HOME_PAGE);

    await app.register(frameRoutes(folder));

    app.get('/', async (_request, reply) => sendApp(reply));

    app.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
      if (!appPage || !ASSET.test(request.params['*'])) return reply.callNotFound();
      return reply.sendFile(`assets/${request.params['*']}`);
    });

    app.get<{ Params: { '*': string } }>('/*', async (request, reply) => {
      const name = request.params['*'];
      if (files.has(name) && /\.\w+$/.test(name)) return reply.sendFile(name);
      return wantsPage(request) ? sendApp(reply) : reply.callNotFound();
    });
  };
}

/** Only what is there is kept: an asset that another replica has yet to get is asked for again. */
const OPTIONS: Omit<FastifyStaticOptions, 'root'> = {
  serve: false,
  cacheControl: false,
  index: false,
  preCompressed: true,
  setHeaders: (reply, file) => {
    const isAsset = path.basename(path.dirname(file)) === 'assets';
    reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
    // The frame that draws diagrams has an opaque origin, and loads its modules as any other site would.
    if (isAsset) reply.header('access-control-allow-origin', '*').header('content-security-policy', ASSET_POLICY);
    if (path.basename(file).startsWith('service-worker.js'))
      reply.header('content-security-policy', SERVICE_WORKER_POLICY);
  },
};

function wantsPage(request: FastifyRequest): boolean {
  return !NOT_PAGES.test(request.url.split('?', 1)[0] ?? '') && acceptsPage(request);
}

const acceptsPage = ({ headers }: FastifyRequest) => (headers.accept ?? '').includes('text/html');
