import { openNotification, showNotification } from './notifications.ts';
import { keepShell, openPage, openShellFile, removeOldShells, shell } from './shell.ts';

declare const self: ServiceWorkerGlobalScope;

self.addEventListener('install', (event) => event.waitUntil(keepShell().then(() => self.skipWaiting())));

self.addEventListener('activate', (event) => event.waitUntil(removeOldShells().then(() => self.clients.claim())));

/** Requests that are not handled here, such as all requests to the API, reach the service as if there were no worker. */
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') {
    if (request.destination === 'document' && !NOT_PAGES.test(pathname)) event.respondWith(openPage(request));
  } else if (shell.files.includes(pathname)) event.respondWith(openShellFile(request, pathname));
});

self.addEventListener('push', (event) => event.waitUntil(showNotification(event.data)));

self.addEventListener('notificationclick', (event) => event.waitUntil(openNotification(event.notification)));

/** Addresses that the service answers itself, and signing in, which needs the service. */
const NOT_PAGES = /^\/(?:api|v1|login|logout|openapi\.json|docs|metrics|healthz|readyz|assets|shared|frames)(?:\/|$)/;
