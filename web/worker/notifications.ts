declare const self: ServiceWorkerGlobalScope;

/** What the service sends; `push-shape.ts` of the gateway makes it. */
type Message = { readonly title: string; readonly body: string; readonly path: string; readonly tag: string };

/** Browsers require that every message is shown, so one that can't be read is shown, too. */
export async function showNotification(data: PushMessageData | null): Promise<void> {
  const { title, body, path, tag } = read(data);
  // A repeated message has the same tag, and replaces the notification without a sound.
  const options = { body, tag, icon: '/icon-192.png', badge: '/badge-96.png', data: { path } };
  await self.registration.showNotification(title, options);
}

/** Opens the page of a notification, in a window that is already open if there is one. */
export async function openNotification(notification: Notification): Promise<void> {
  notification.close();
  const { path } = (notification.data ?? {}) as { path?: unknown };
  const url = new URL(isPath(path) ? path : '/', self.location.origin).href;
  const windows = await self.clients.matchAll({ type: 'window' });
  const [open] = windows.toSorted((one, other) => Number(other.focused) - Number(one.focused));
  const shown = await open?.navigate(url).catch(() => null);
  if (shown) await shown.focus();
  else await self.clients.openWindow(url);
}

function read(data: PushMessageData | null): Message {
  try {
    const { title, body, path, tag } = (data?.json() ?? {}) as Partial<Record<keyof Message, unknown>>;
    if (typeof title === 'string' && typeof body === 'string' && typeof tag === 'string' && isPath(path))
      return { title, body, path, tag };
  } catch {
    // Not JSON: a newer version of the service.
  }
  return { title: 'Reborn', body: 'Open the app to see what is new.', path: '/', tag: 'unread' };
}

const isPath = (path: unknown): path is string => typeof path === 'string' && /^\/(?!\/)[\w/?=-]*$/.test(path);
