import { createClient } from '@reborn-agent/client';
import { sessionKey } from './session-key.ts';

/** Calls the service that served this page. The session's cookie goes along by itself. */
export const client = createClient(() => ({ url: '', headers: sessionKey.headers() }), {
  messages: {
    0: 'The service cannot be reached. Check that it is running; this page tries again by itself.',
    401: 'You are signed out. Sign in to continue.',
    503: 'The database is unavailable. Nothing is lost; try again in a moment.',
  },
});
