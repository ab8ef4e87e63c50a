import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Call, type Payload, type ShownFile, startChatServer, wordsOf } from '../chats/chat-server.ts';
import { parseMrkdwn } from './parse-mrkdwn.ts';
import { createSharedFiles } from './shared-files.ts';
import { createSockets } from './sockets.ts';

export const APP = {
  team: 'T0TEAM',
  bot: 'U0BOT',
  name: 'reborn',
  token: 'xoxb-token-of-the-tests-1234567890',
  appToken: 'xapp-token-of-the-tests-1234567890',
  signingSecret: '8f742231b10e8888abcd99yyyzzz85a5'.replaceAll(/[yz]/g, '0'),
};

export type Posted = {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | undefined;
  /** Only this person sees it. */
  readonly onlyFor: string | undefined;
  text: string;
  mrkdwn: string;
  pings: readonly string[];
  links: readonly { readonly url: string; readonly label: string }[];
  buttons: { text: string; data: string }[];
  /** Every text that the message has had. */
  readonly texts: string[];
  readonly metadata: unknown;
  readonly file?: ShownFile | undefined;
};

type Content = Pick<Posted, 'text' | 'mrkdwn' | 'pings' | 'links' | 'buttons'>;
type Refusal = { readonly error: string };

const MAX_POSTED = 40_000;
const MAX_EDITED = 4000;
const MAX_SECTION = 3000;
const MAX_VALUE = 2000;

/**
 * A stand-in for a Slack workspace, by the documentation: the methods that the channel uses, Socket Mode and signed requests. Failures
 * answer 200 with `ok: false`, limits 429 with `Retry-After`. It keeps a ledger of all messages and calls.
 */
export async function startWorkspace({ leastEditMs = 0, leastSendMs = 0, retryAfterMs = 500 } = {}) {
  const messages: Posted[] = [];
  const files = new Map<string, Buffer>();
  const gone = new Set<string>();
  let isRevoked = false;
  let clock = Date.now() * 1000;

  const base = await startChatServer(({ request, response, body, bytes }) => {
    const url = new URL(request.url ?? '/', `https://${request.headers.host}`);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const isUpload = url.host === 'files.slack.com' && request.method === 'POST';
    if (url.host === 'files.slack.com' && !isUpload) return answerFile(response, url.pathname, token);
    const method = isUpload ? 'upload' : (/^\/api\/([\w.]+)$/.exec(url.pathname)?.[1] ?? '');
    const payload = isUpload ? {} : Object.fromEntries(new URLSearchParams(body));
    const call = base.note(method, payload);
    const fault = base.takeFault(method);
    if (fault === 'cut') return request.socket.destroy();
    if (typeof fault === 'object' && fault.status === 200) return answer(response, { error: fault.description ?? '' });
    if (typeof fault === 'object') return refuse(response, fault, call);
    const seconds = method.startsWith('chat.') ? base.takeLimit(wordsOf(payload['channel'])) : undefined;
    if (seconds !== undefined) return refuse(response, { status: 429, retryAfter: seconds }, call);
    const result = isUpload ? shared.receive(url.pathname, bytes) : act(method, payload, token);
    if (fault === 'lost') return request.socket.destroy();
    if (fault === 'hang') return;
    if (typeof result === 'number') return response.writeHead(result).end('OK');
    if (result === 'too early') return refuse(response, { status: 429, retryAfter: 1 }, call);
    return answer(response, result);
  });
  const shared = createSharedFiles((posted) => messages.push({ ...EMPTY, ts: nextTs(), ...posted }));
  const sockets = createSockets(base.server, { retryAfterMs, isDown: base.isDown });

  function refuse(response: ServerResponse, fault: { status: number; retryAfter?: number }, call: Call): void {
    call.status = fault.status;
    const seconds = fault.retryAfter;
    response.writeHead(fault.status, {
      'content-type': 'application/json',
      ...(seconds !== undefined && { 'retry-after': String(seconds) }),
    });
    response.end(JSON.stringify({ ok: false, error: fault.status === 429 ? 'ratelimited' : 'internal_error' }));
  }

  function answerFile(response: ServerResponse, path: string, token: string): void {
    const file = files.get(path);
    if (token !== APP.token || !file) response.writeHead(302, { location: 'https://example.slack.com/' }).end();
    else response.writeHead(200).end(file);
  }

  function act(method: string, payload: Payload, token: string): Payload | Refusal | 'too early' {
    const isForApp = method === 'apps.connections.open';
    if (token !== (isForApp ? APP.appToken : APP.token)) return { error: 'invalid_auth' };
    if (isRevoked) return { error: 'token_revoked' };
    switch (method) {
      case 'auth.test':
        return { team_id: APP.team, team: 'Test', user_id: APP.bot, user: APP.name, bot_id: 'B0BOT' };
      case 'apps.connections.open':
        return { url: `wss://wss-primary.slack.com/link/?ticket=${sockets.issueTicket()}` };
      case 'chat.postMessage':
        return post(payload);
      case 'chat.postEphemeral':
        return post(payload, wordsOf(payload['user']));
      case 'chat.update':
        return edit(payload);
      case 'files.getUploadURLExternal':
      case 'files.completeUploadExternal':
      case 'files.info':
        return gone.has(wordsOf(payload['channel_id'])) ? { error: 'channel_not_found' } : shared.act(method, payload);
      case 'conversations.history':
      case 'conversations.replies':
        return read(payload, method === 'conversations.replies' ? wordsOf(payload['ts']) : undefined);
      default:
        return { error: 'unknown_method' };
    }
  }

  const nextTs = () => {
    clock = Math.max(clock + 1, Date.now() * 1000);
    return `${Math.floor(clock / 1e6)}.${String(clock % 1e6).padStart(6, '0')}`;
  };

  function contentOf(payload: Payload, most: number): Content | Refusal {
    const mrkdwn = wordsOf(payload['text']);
    const blocks = JSON.parse(wordsOf(payload['blocks']) || '[]') as Block[];
    if (mrkdwn.trim() === '' && blocks.length === 0) return { error: 'no_text' };
    if (mrkdwn.length > most) return { error: 'msg_too_long' };
    const elements = blocks.flatMap((block) => block.elements ?? []);
    const isInvalid =
      blocks.some(({ text }) => (text?.text.length ?? 0) > MAX_SECTION) ||
      elements.some(({ value }) => value.length > MAX_VALUE) ||
      new Set(elements.map(({ action_id: id }) => id)).size < elements.length;
    if (isInvalid) return { error: 'invalid_blocks' };
    const buttons = elements.map(({ text, value }) => ({ text: text.text, data: value }));
    // With blocks, the text only serves notifications.
    const shown = blocks.flatMap(({ text }) => (text ? [text.text] : [])).join('\n') || mrkdwn;
    return { mrkdwn: shown, ...parseMrkdwn(shown), buttons };
  }

  function post(payload: Payload, onlyFor?: string): Payload | Refusal | 'too early' {
    const channel = wordsOf(payload['channel']);
    if (gone.has(channel) || !/^[CDG]\w+$/.test(channel)) return { error: 'channel_not_found' };
    const content = contentOf(payload, MAX_POSTED);
    if ('error' in content) return content;
    if (base.isTooEarly(`send ${channel}`, leastSendMs)) return 'too early';
    const metadata: unknown = JSON.parse(wordsOf(payload['metadata']) || 'null');
    const thread = wordsOf(payload['thread_ts']) || undefined;
    const posted = { channel, ts: nextTs(), thread, onlyFor, ...content, texts: [content.text], metadata };
    messages.push(posted);
    return { channel, ts: posted.ts };
  }

  function edit(payload: Payload): Payload | Refusal | 'too early' {
    const message = messages.find(({ channel, ts }) => channel === payload['channel'] && ts === payload['ts']);
    if (!message || message.onlyFor) return { error: 'message_not_found' };
    if (gone.has(message.channel)) return { error: 'channel_not_found' };
    const content = contentOf(payload, MAX_EDITED);
    if ('error' in content) return content;
    if (base.isTooEarly(`edit ${message.channel}`, leastEditMs)) return 'too early';
    Object.assign(message, content);
    message.texts.push(content.text);
    return { channel: message.channel, ts: message.ts };
  }

  function read({ channel, oldest }: Payload, thread: string | undefined): Payload {
    const found = messages.filter(
      (each) => each.channel === channel && !each.onlyFor && each.thread === thread && each.ts > wordsOf(oldest),
    );
    return { messages: found.map(({ ts, text, metadata }) => ({ ts, text, ...(metadata ? { metadata } : {}) })) };
  }

  return {
    ...base,
    sockets,
    messages,
    files,
    gone,
    nextTs,
    setRevoked: (revoked: boolean) => (isRevoked = revoked),
    remove: (message: Posted) => messages.splice(messages.indexOf(message), 1),
    /** In a channel or a thread, `CHANNEL/TS`. */
    in: (chat: string) => {
      const [channel, thread] = chat.split('/');
      return messages.filter((each) => each.channel === channel && (thread === undefined || each.thread === thread));
    },
    close: async () => {
      sockets.close();
      await base.close();
    },
  };
}

const EMPTY = {
  thread: undefined,
  onlyFor: undefined,
  text: '',
  mrkdwn: '',
  pings: [],
  links: [],
  buttons: [],
  texts: [],
  metadata: null,
};

type Block = {
  readonly text?: { readonly text: string };
  readonly elements?: {
    readonly text: { readonly text: string };
    readonly value: string;
    readonly action_id: string;
  }[];
};

export type Workspace = Awaited<ReturnType<typeof startWorkspace>>;

function answer(response: ServerResponse, result: Payload | Refusal): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ok: !('error' in result), ...result }));
}

/** The headers of a request that Slack has signed. */
export function sign(body: string, { secret = APP.signingSecret, at = Date.now() } = {}): Record<string, string> {
  const time = String(Math.floor(at / 1000));
  const hex = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${hex}` };
}
