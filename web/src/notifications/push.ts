import { t } from '@lingui/core/macro';
import type { Device } from '@reborn-agent/client/api';
import { client } from '../client/client.ts';

/** Whether this browser can show notifications, and if not, what is in the way. */
export function whyNoPush(): string | undefined {
  if (!window.isSecureContext) return t`Notifications need an https address of the service.`;
  if (!('serviceWorker' in navigator) || !('PushManager' in window))
    return t`This browser shows no notifications. On an iPhone or iPad, install the app first: Share, Add to Home Screen.`;
  if (Notification.permission === 'denied')
    return t`The browser blocks notifications of this site. Allow them in its settings for this site.`;
  return undefined;
}

/** The subscription of this browser. */
export async function findSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker?.getRegistration();
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** Asks for permission, subscribes this browser, and adds it as a device of the user. */
export async function turnOn(serverKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error(t`The browser did not allow notifications.`);
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: serverKey });
  await putDevice(subscription, {});
}

/** Removes the device, and ends the subscription if it is this browser's. */
export async function turnOff({ id, endpoint }: Device): Promise<void> {
  await client.call('DELETE /api/notifications/devices/{id}', { params: { id } });
  const own = await findSubscription();
  if (own?.endpoint === endpoint) await own.unsubscribe();
}

/** Changes this browser's device. */
export async function changeDevice({ name, events, details }: Pick<Device, 'name' | 'events' | 'details'>) {
  const own = await findSubscription();
  if (own) await putDevice(own, { name, events, details });
}

async function putDevice(subscription: PushSubscription, more: Partial<Pick<Device, 'name' | 'events' | 'details'>>) {
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const body = {
    name: nameOf(navigator.userAgent),
    endpoint,
    keys: { p256dh: keys['p256dh'] ?? '', auth: keys['auth'] ?? '' },
    ...more,
  };
  await client.call('POST /api/notifications/devices', { body });
}

/** Ends a subscription that is not a device of this user: it belongs to another user of this browser, or was removed elsewhere. */
export async function endForeignSubscription(): Promise<void> {
  const own = await findSubscription();
  if (!own) return;
  const { devices } = await client.call('GET /api/notifications/devices');
  if (!devices.some(({ endpoint }) => endpoint === own.endpoint)) await own.unsubscribe();
}

/** Such as "Chrome on Android". */
export function nameOf(agent: string): string {
  const find = (names: readonly (readonly [RegExp, string])[]) => names.find(([sign]) => sign.test(agent))?.[1];
  const browser = find(BROWSERS) ?? t`Browser`;
  const system = find(SYSTEMS) ?? t`a device`;
  return t`${browser} on ${system}`;
}

/** The first that fits: later signs are also in the names of earlier browsers. */
const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(?:e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const;
