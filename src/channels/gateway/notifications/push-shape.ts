import type { Notice } from '#domain/notification/notice.ts';

/** What the service worker shows, and the page that a tap opens. `web/worker/notifications.ts` reads it. */
type PushMessage = { readonly title: string; readonly body: string; readonly path: string };

/** Without `details`, the text names nothing: it can be read on a locked screen. */
export function renderPush(notice: Notice, details: boolean): PushMessage {
  switch (notice.type) {
    case 'gate.opened': {
      const { threadId, gateId, tool } = notice;
      const body = details ? `${WAITS[notice.kind]}: ${tool}` : `${WAITS[notice.kind]}.`;
      return { title: 'Reborn needs you', body, path: `/threads/${threadId}?gate=${gateId}` };
    }
    case 'turn.ended': {
      const body = details && notice.failure ? `A job failed: ${notice.failure.code}` : 'A job failed.';
      return { title: 'Reborn', body, path: `/threads/${notice.threadId}` };
    }
    case 'mission.completed':
    case 'mission.failed': {
      const ended = notice.type === 'mission.failed' ? 'failed' : 'is completed';
      const path = notice.threadId ? `/threads/${notice.threadId}` : '/missions';
      return { title: 'Reborn', body: details ? `${shorten(notice.name)} ${ended}.` : `A mission ${ended}.`, path };
    }
    case 'mission.paused':
      return {
        title: 'Reborn',
        body: details ? `${shorten(notice.name)} was paused.` : 'A mission was paused.',
        path: '/missions',
      };
    case 'limit.requested':
      return { title: 'Reborn', body: 'A user asks for a higher limit.', path: '/settings/users' };
    case 'endpoint.test':
    case 'device.test':
      return { title: 'Reborn', body: 'Notifications reach this device.', path: '/notifications' };
  }
}

const WAITS = {
  approval: 'A thread waits for your approval',
  auth: 'A thread waits until you sign in to a tool',
  pairing: 'A chat waits for a pairing',
  input: 'A tool asks you a question',
  'external-tool': 'A thread waits for a result',
} as const;

const shorten = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
