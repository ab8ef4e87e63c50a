import { t } from '@lingui/core/macro';
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
    get 0() {
      return t`The service cannot be reached. Check that it is running; this page tries again by itself.`;
    },
    get 401() {
      return t`You are signed out. Sign in to continue.`;
    },
    get 503() {
      return t`The database is unavailable. Nothing is lost; try again in a moment.`;
    },
  },
});
