/** The files of this version of the app that show its first page. The build fills it in. */
declare const __SHELL__: { readonly version: string; readonly entry: string; readonly files: readonly string[] };

export const shell = __SHELL__;

const PREFIX = 'shell-';
const CACHE = `${PREFIX}${shell.version}`;

/**
 * Keeps the shell for times without a connection. Nothing else is ever kept: every user gets the same shell, and it has no data.
 * Fails when the service has another version than this worker, as during a deployment; the browser then tries again later.
 */
export async function keepShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  const page = await fetch('/', { cache: 'no-store' });
  if (!page.ok || !(await page.clone().text()).includes(shell.entry))
    throw new Error('The page belongs to another version of the app.');
  await cache.put('/', page);
  await cache.addAll(shell.files);
}

export async function removeOldShells(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)),
  );
}

/** The page as the service has it now, or the stored one when the service can't be reached. */
export async function openPage(request: Request): Promise<Response> {
  try {
    const page = await fetch(request);
    return isFromProxy(page) ? ((await find('/')) ?? page) : page;
  } catch (error) {
    const stored = await find('/');
    if (!stored) throw error;
    return stored;
  }
}

/** A proxy answers so for a service that is down. */
const isFromProxy = ({ status }: Response) => status >= 502 && status <= 504;

/** Names of files contain a hash of their content, so a stored one is never out of date. */
export const openShellFile = async (request: Request, path: string): Promise<Response> =>
  (await find(path)) ?? fetch(request);

const find = (path: string) => caches.match(path, { cacheName: CACHE, ignoreVary: true });
