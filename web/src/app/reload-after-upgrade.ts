import { isServiceThere } from '../parts/lazy-part.ts';

const KEY = 'reborn.reloaded-at';
const PAUSE_MS = 60_000;

/** After an upgrade, the service no longer has the files of an open page. The new page is loaded then; drafts are kept. */
export function installReloadAfterUpgrade(): void {
  addEventListener('vite:preloadError', () => void reload());
}

/** At most once a minute, and not while the service is away: a new page could not be loaded. */
async function reload(): Promise<void> {
  if (Date.now() - Number(sessionStorage.getItem(KEY)) < PAUSE_MS) return;
  if (!(await isServiceThere())) return;
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
}
