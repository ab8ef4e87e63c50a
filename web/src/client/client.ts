import { createClient } from '@reborn-agent/client';
import { sessionKey } from './session-key.ts';

/** The service that served this page. The browser adds the session's cookie. */
export const locate = () => ({
  url: location.origin,
  headers: sessionKey.headers(),
  protocols: sessionKey.protocols(),
});

export const client = createClient(locate, {
  messages: {
    0: 'The service cannot be reached. Check that it is running; this page tries again by itself.',
    401: 'You are signed out. Sign in to continue.',
    503: 'The database is unavailable. Nothing is lost; try again in a moment.',
  },
});
