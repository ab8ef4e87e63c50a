import type { ServerResponse } from 'node:http';
import { type Payload, readForm, type ShownFile, startChatServer, wordsOf } from '../chats/chat-server.ts';
import { parseHtml } from './parse-html.ts';

export const BOT = { id: 4242, username: 'reborn_bot', token: '4242:AAH-token-of-the-tests_1234567890abc' };

export type Shown = {
  readonly chat: number;
  readonly id: number;
  text: string;
  html: string;
  buttons: { text: string; callback_data: string }[];
  readonly replyTo: number | undefined;
  /** Every text that the message has had. */
  readonly texts: string[];
  /** The photo or document that has replaced the text. */
  file?: ShownFile & { readonly kind: string };
};

type Update = { update_id: number } & Payload;
type Refusal = { readonly status: number; readonly description: string; readonly retryAfter?: number };

const MAX_TEXT = 4096;
const MAX_DOCUMENT = 50 * 1024 * 1024;

/**
 * A stand-in for Telegram's Bot API, by its documentation: updates are kept until an offset confirms them, the older of two polls
 * ends with 409, long or badly marked up texts are refused, and limits answer 429 with `retry_after`. It keeps a ledger of all
 * messages and calls.
 */
export async function startBotApi({
  leastEditMs = 0,
  leastSendMs = 0,
}: {
  leastEditMs?: number;
  leastSendMs?: number;
} = {}) {
  const updates: Update[] = [];
  const messages: Shown[] = [];
  const blocked = new Set<number>();
  const files = new Map<string, Buffer>();
  const answered = new Set<string>();
  const conflicts: number[] = [];
  let webhook: { url: string; secret: string } | undefined;
  let nextUpdate = 1000;
  let nextMessage = 1;
  let poll: { response: ServerResponse; end: () => void } | undefined;
  let wake = () => {};

  const base = await startChatServer(async ({ request, response, body, bytes }) => {
    const url = request.url ?? '';
    const file = new RegExp(`^/file/bot${BOT.token}/(.+)$`).exec(url)?.[1];
    if (file !== undefined) return response.writeHead(files.has(file) ? 200 : 404).end(files.get(file));
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(url) ?? [];
    const type = request.headers['content-type'] ?? '';
    const payload = type.startsWith('multipart/')
      ? await readForm(bytes, type)
      : ((body === '' ? {} : JSON.parse(body)) as Payload);
    const call = base.note(method, payload);
    const fault = base.takeFault(method);
    if (fault === 'cut') return request.socket.destroy();
    if (typeof fault === 'object') return refuse(response, { description: 'Internal Server Error', ...fault }, call);
    if (token !== BOT.token) return refuse(response, { status: 401, description: 'Unauthorized' }, call);
    if (method === 'getUpdates') return answerPoll(response, payload, call);
    const seconds = /^(?:send|edit)Message/.test(method) ? base.takeLimit(String(payload['chat_id'])) : undefined;
    if (seconds !== undefined) {
      const description = `Too Many Requests: retry after ${seconds}`;
      return refuse(response, { status: 429, description, retryAfter: seconds }, call);
    }
    const result = act(method, payload);
    if (fault === 'lost') return request.socket.destroy();
    if (fault === 'hang') return;
    if (isRefusal(result)) return refuse(response, result, call);
    return reply(response, result);
  });

  function refuse(
    response: ServerResponse,
    { status, description, retryAfter }: Refusal,
    call: { status: number },
  ): void {
    call.status = status;
    const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: false, error_code: status, description, ...parameters }));
  }

  function answerPoll(response: ServerResponse, { offset, timeout = 0 }: Payload, call: { status: number }): void {
    if (webhook)
      return refuse(
        response,
        { status: 409, description: "Conflict: can't use getUpdates method while webhook is active" },
        call,
      );
    if (poll && !poll.response.destroyed) {
      conflicts.push(performance.now());
      poll.end();
    }
    if (typeof offset === 'number') while (updates[0] && updates[0].update_id < offset) updates.shift();
    const timer = setTimeout(() => give(), Number(timeout) * 1000);
    const stop = () => {
      clearTimeout(timer);
      if (wake === give) wake = () => {};
      if (poll?.response === response) poll = undefined;
    };
    const give = () => {
      stop();
      if (!response.destroyed) reply(response, updates.slice(0, 100));
    };
    const end = () => {
      stop();
      const description =
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
      refuse(response, { status: 409, description }, call);
    };
    poll = { response, end };
    response.on('close', stop);
    wake = give;
    if (updates.length > 0) give();
  }

  function act(method: string, payload: Payload): unknown {
    switch (method) {
      case 'getMe':
        return { id: BOT.id, is_bot: true, first_name: 'Reborn', username: BOT.username };
      case 'setWebhook':
        webhook = { url: String(payload['url']), secret: wordsOf(payload['secret_token']) };
        return true;
      case 'deleteWebhook':
        webhook = undefined;
        return true;
      case 'sendMessage':
        return sendMessage(payload);
      case 'editMessageText':
        return editMessage(payload);
      case 'editMessageMedia':
        return editMedia(payload);
      case 'sendChatAction':
        return true;
      case 'answerCallbackQuery': {
        const id = String(payload['callback_query_id']);
        if (answered.has(id)) return badRequest('query is too old and response timeout expired or query ID is invalid');
        answered.add(id);
        return true;
      }
      case 'getFile':
        return files.has(String(payload['file_id']))
          ? { file_id: payload['file_id'], file_path: payload['file_id'] }
          : badRequest('wrong file_id or the file is temporarily unavailable');
      default:
        return { status: 404, description: 'Not Found' };
    }
  }

  const badRequest = (what: string): Refusal => ({ status: 400, description: `Bad Request: ${what}` });

  const checkPace = (key: string, leastMs: number): Refusal | undefined =>
    base.isTooEarly(key, leastMs)
      ? { status: 429, description: 'Too Many Requests: retry after 1', retryAfter: 1 }
      : undefined;

  function contentOf({ text, parse_mode: mode }: Payload): { html: string; text: string } | Refusal {
    const html = wordsOf(text);
    const parsed = mode === 'HTML' ? parseHtml(html) : { text: html };
    if ('problem' in parsed) return badRequest(`can't parse entities: ${parsed.problem}`);
    if (parsed.text.trim() === '') return badRequest('message text is empty');
    if (parsed.text.length > MAX_TEXT) return badRequest('message is too long');
    return { html, text: parsed.text };
  }

  function buttonsOf({ reply_markup: markup }: Payload): Shown['buttons'] | Refusal {
    const rows = (markup as { inline_keyboard?: Shown['buttons'][] } | undefined)?.inline_keyboard ?? [];
    const buttons = rows.flat();
    return buttons.some(({ callback_data: data }) => Buffer.byteLength(data) > 64)
      ? badRequest('BUTTON_DATA_INVALID')
      : buttons;
  }

  function sendMessage(payload: Payload): unknown {
    const chat = Number(payload['chat_id']);
    if (!Number.isInteger(chat)) return badRequest('chat not found');
    if (blocked.has(chat)) return { status: 403, description: 'Forbidden: bot was blocked by the user' };
    const content = contentOf(payload);
    const buttons = buttonsOf(payload);
    if ('description' in content) return content;
    if ('description' in buttons) return buttons;
    const early = checkPace(`send ${chat}`, leastSendMs);
    if (early) return early;
    const replyTo = (payload['reply_parameters'] as { message_id: number } | undefined)?.message_id;
    const message: Shown = { chat, id: nextMessage++, ...content, buttons, replyTo, texts: [content.text] };
    messages.push(message);
    return { message_id: message.id, date: 0, chat: { id: chat, type: 'private' } };
  }

  function editMessage(payload: Payload): unknown {
    const message = messages.find(({ chat, id }) => chat === payload['chat_id'] && id === payload['message_id']);
    if (!message) return badRequest('message to edit not found');
    if (blocked.has(message.chat)) return { status: 403, description: 'Forbidden: bot was blocked by the user' };
    const content = contentOf(payload);
    const buttons = buttonsOf(payload);
    if ('description' in content) return content;
    if ('description' in buttons) return buttons;
    const early = checkPace(`edit ${message.chat}`, leastEditMs);
    if (early) return early;
    if (content.html === message.html && JSON.stringify(buttons) === JSON.stringify(message.buttons))
      return badRequest('message is not modified: specified new message content and reply markup are exactly the same');
    Object.assign(message, content, { buttons });
    message.texts.push(content.text);
    return { message_id: message.id, date: 0, chat: { id: message.chat, type: 'private' } };
  }

  /** Replaces a message by a photo or a document. Telegram processes photos, and refuses bytes that are none. */
  function editMedia(payload: Payload): unknown {
    const [chat, id] = [Number(payload['chat_id']), Number(payload['message_id'])];
    const message = messages.find((each) => each.chat === chat && each.id === id);
    if (!message) return badRequest('message to edit not found');
    if (blocked.has(chat)) return { status: 403, description: 'Forbidden: bot was blocked by the user' };
    const { type: kind, media } = JSON.parse(wordsOf(payload['media'])) as { type: string; media: string };
    const file = payload[media.replace(/^attach:\/\//, '')] as ShownFile | undefined;
    if (!file || file.bytes.length === 0) return badRequest('file must be non-empty');
    if (kind === 'photo' && !/^(?:\x89PNG|\xff\xd8|RIFF)/.test(file.bytes.toString('latin1', 0, 4)))
      return badRequest('IMAGE_PROCESS_FAILED');
    if (file.bytes.length > MAX_DOCUMENT) return { status: 413, description: 'Request Entity Too Large' };
    const early = checkPace(`edit ${chat}`, leastEditMs);
    if (early) return early;
    Object.assign(message, { text: '', html: '', buttons: [], file: { ...file, kind } });
    message.texts.push(file.name);
    return { message_id: id, date: 0, chat: { id: chat, type: 'private' } };
  }

  function push(content: Payload): Update {
    const update = { update_id: nextUpdate++, ...content };
    updates.push(update);
    wake();
    return update;
  }

  return {
    ...base,
    updates,
    messages,
    files,
    blocked,
    conflicts,
    push,
    webhook: () => webhook,
    /** Numbers an update without queueing it, for a webhook. */
    number: (content: Payload): Update => ({ update_id: nextUpdate++, ...content }),
    remove: (message: Shown) => messages.splice(messages.indexOf(message), 1),
    in: (chat: number) => messages.filter((message) => message.chat === chat),
  };
}

export type BotApi = Awaited<ReturnType<typeof startBotApi>>;

const isRefusal = (result: unknown): result is Refusal =>
  typeof result === 'object' && result !== null && 'description' in result;

function reply(response: ServerResponse, result: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ok: true, result }));
}
