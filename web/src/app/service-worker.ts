/** Installs the service worker, which shows the app without a connection. Not while developing: it would hide changes. */
export function installServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const register = () =>
    navigator.serviceWorker
      .register('/service-worker.js', { updateViaCache: 'none' })
      // The app works without it, for example in a private window.
      .catch((error: unknown) => console.warn('The service worker was not installed.', error));
  if (document.readyState === 'complete') void register();
  else addEventListener('load', () => void register(), { once: true });
}

/** Looks for a new version of the app. */
export async function lookForNewVersion(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  await registration?.update().catch(() => undefined); // without a connection, there is none to find
}

/** Calls back when a new version has taken over. The page still shows the old one until it is reloaded. */
export function onNewVersion(listener: () => void): () => void {
  const workers = navigator.serviceWorker;
  if (!workers?.controller) return () => undefined; // the first worker is not a new version
  workers.addEventListener('controllerchange', listener);
  return () => workers.removeEventListener('controllerchange', listener);
}
