import type { FetchFunction, WebClient } from '@slack/web-api';
import { type ChatConnection, ChatFailed, type ChatMessage, type Transport } from '#agent/chats/chat-port.ts';
import { isSigned, type SlackCredentials } from './credentials.ts';
import { createSlackFiles, FILE_HOST } from './files.ts';
import { renderMrkdwn } from './render-mrkdwn.ts';
import { failed } from './socket-link.ts';
import type { SocketSession } from './socket-session.ts';
import { toFailure } from './to-failure.ts';

const TIMEOUT_MS = 12_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** How far back a message is searched whose request had no answer. */
const SEARCH_SECONDS = 3600;
const EVENT = 'reborn_message';

/** A workspace. Slack's library types the calls and parses failures; the service carries the bytes, so that it never sends twice. */
export function connectSlack(
  credentials: SlackCredentials,
  transport: Transport,
  sessionFor: (appToken: string, askAddress: () => Promise<string>) => SocketSession,
): ChatConnection {
  const { token, signingSecret, appToken } = credentials;
  const secrets = [token, signingSecret, appToken].filter((secret) => secret !== undefined);
  let client: Promise<WebClient> | undefined;
  /** The library is loaded on first use, because few installations need it. */
  const api = () => (client ??= createClient(token, transport));

  async function call<T>(act: (slack: WebClient) => Promise<T>, given = api): Promise<T> {
    try {
      return await act(await given());
    } catch (error) {
      throw toFailure(error, secrets);
    }
  }

  const files = createSlackFiles(call, transport);

  return {
    identify: () =>
      call(async (slack) => {
        const { team_id: team, user_id: self, user = '' } = await slack.auth.test();
        if (!team || !self) throw failed('Slack: the token belongs to no workspace.');
        return { remoteId: `${team}:${self}`, name: user };
      }),

    async receive(cursor, signal) {
      if (appToken === undefined) throw failed('Socket Mode needs an app-level token. Add the channel again with one.');
      const askAddress = () =>
        call(
          async (slack) => (await slack.apps.connections.open({})).url ?? '',
          () => createClient(appToken, transport),
        );
      return sessionFor(appToken, askAddress)
        .receive(cursor, signal)
        .catch((error: unknown) => {
          throw toFailure(error, secrets);
        });
    },

    isGenuine: (request) => isSigned(request, signingSecret),

    /** An operator sets the address in the settings of the app; there is no call for it. */
    async setAddress() {},

    send: (chat, message, key) =>
      call(async (slack) => {
        const { channel, thread } = parseChat(chat);
        const asked = {
          channel,
          ...contentOf(message),
          // A preview would fetch an address that a model wrote.
          unfurl_links: false,
          unfurl_media: false,
          ...(thread && { thread_ts: thread }),
          ...(key && { metadata: { event_type: EVENT, event_payload: { key } } }),
        };
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a message of Slack, not of a window
        const sent = await slack.chat.postMessage(asked);
        return sent.ts ?? '';
      }),

    async edit(chat, remoteId, message) {
      try {
        const { channel, thread } = parseChat(chat);
        const [file] = message.files ?? [];
        if (file) await files.share({ id: remoteId, title: file.name, channel, thread });
        else await call((slack) => slack.chat.update({ channel, ts: remoteId, ...contentOf(message) }));
        return true;
      } catch (error) {
        if (
          error instanceof ChatFailed &&
          /message_not_found|cant_update_message|edit_window_closed|file_not_found|file_deleted/.test(error.message)
        )
          return false;
        throw error;
      }
    },

    upload: (file) => files.upload(file),

    findSent: (chat, key) =>
      call(async (slack) => {
        const { channel, thread } = parseChat(chat);
        const asked = {
          channel,
          oldest: String(Math.floor(Date.now() / 1000) - SEARCH_SECONDS),
          limit: 200,
          include_all_metadata: true,
        };
        const { messages = [] } = await (thread
          ? slack.conversations.replies({ ...asked, ts: thread })
          : slack.conversations.history(asked));
        const isOurs = (made: (typeof messages)[number]) => {
          const { event_type: type, event_payload: payload } = made.metadata ?? {};
          return type === EVENT && payload !== undefined && 'key' in payload && payload['key'] === key;
        };
        return messages.find(isOurs)?.ts;
      }),

    /** The placeholder shows that an answer is being written. `assistant.threads.setStatus` works in threads of assistants alone. */
    async showTyping() {},

    /** Slack does not wait for an answer. If the press counts, its message changes; otherwise only the person who pressed sees why. */
    async answerPress(press, text, counted) {
      if (counted) return;
      const [chat = '', user = ''] = press.split(' ');
      const { channel, thread } = parseChat(chat);
      await call((slack) =>
        slack.chat.postEphemeral({
          channel,
          user,
          ...contentOf({ markdown: text }),
          ...(thread && { thread_ts: thread }),
        }),
      );
    },

    async download({ id }) {
      // The token goes with the request, so the address must be Slack's.
      const url = URL.parse(id);
      if (url?.protocol !== 'https:' || url.host !== FILE_HOST) throw refused();
      const answer = await transport({
        method: 'GET',
        url: url.href,
        headers: { authorization: `Bearer ${token}` },
        body: '',
        timeoutMs: TIMEOUT_MS,
        maxResponseBytes: MAX_FILE_BYTES,
      }).catch((error: unknown) => {
        throw toFailure(error, secrets);
      });
      // Without the right to read files, Slack redirects to its sign-in page.
      if (answer.status >= 300 && answer.status < 500 && answer.status !== 429) throw refused();
      if (answer.status !== 200)
        throw new ChatFailed({ outcome: 'failed', error: `Slack answered ${answer.status}.`, status: answer.status });
      return new Uint8Array(answer.body);
    },
  };
}

const refused = () => new ChatFailed({ outcome: 'refused', error: 'Slack has no such file.' });

/** Nothing is linked that is not marked up, and no mention is guessed from a name. */
function contentOf({ markdown, buttons = [] }: ChatMessage) {
  const text = renderMrkdwn(markdown);
  const section = { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } } as const;
  const elements = buttons.map(
    ({ label, data }, index) =>
      ({
        type: 'button',
        text: { type: 'plain_text', text: label },
        value: data,
        action_id: `answer-${index}`,
      }) as const,
  );
  // An empty list removes the buttons of an edited message.
  const blocks = elements.length > 0 ? [section, { type: 'actions', elements } as const] : [];
  return { text, blocks, parse: 'none', link_names: false } as const;
}

/** A chat is `CHANNEL`, or `CHANNEL/TS` for a thread. */
function parseChat(chat: string): { readonly channel: string; readonly thread: string | undefined } {
  const [channel = '', thread] = chat.split('/');
  return { channel, thread };
}

async function createClient(token: string, transport: Transport): Promise<WebClient> {
  const { LogLevel, WebClient: Client } = await import('@slack/web-api');
  return new Client(token, {
    fetch: fetchBy(transport),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: { ...SILENT, getLevel: () => LogLevel.ERROR },
  });
}

const fetchBy =
  (transport: Transport): FetchFunction =>
  async (url, { method = 'POST', headers = {}, body } = {}) => {
    const answer = await transport({
      method,
      url: String(url),
      headers,
      body: typeof body === 'string' ? body : '',
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    return new Response(new Uint8Array(answer.body), { status: answer.status, headers: answer.headers });
  };

const ignore = () => {};
/** The library would write to the terminal. */
const SILENT = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  setLevel: ignore,
  setName: ignore,
} as const;
