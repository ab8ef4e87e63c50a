import type { Api, RawApi } from 'grammy';
import {
  type ChatConnection,
  ChatFailed,
  type ChatMessage,
  type Received,
  type SentFile,
  type Transport,
} from '#agent/chats/chat-port.ts';
import { fileUpdate } from './read-update.ts';
import { renderHtml } from './render-html.ts';

const ROOT = 'https://api.telegram.org';
const TIMEOUT_MS = 12_000;
/** How long Telegram holds a request for updates. */
const POLL_SECONDS = 20;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const MAX_FILE_BYTES = 20 * 1024 * 1024;
const UPDATES = ['message', 'callback_query'] as const;

/** A bot. grammY types the calls and parses failures; the service carries the bytes, so that a library never sends twice. */
export function connectTelegram(token: string, transport: Transport): ChatConnection {
  let client: Promise<Api> | undefined;
  /** grammY's signals are of another package, so the signal of a poll goes around it. */
  let polling: AbortSignal | undefined;
  /** grammY is loaded on first use, because few installations need it. */
  const api = () =>
    (client ??= import('grammy').then(({ Api: Client }) =>
      carryBy(new Client(token), token, transport, () => polling),
    ));

  async function call<T>(act: (bot: Api) => Promise<T>): Promise<T> {
    try {
      return await act(await api());
    } catch (error) {
      throw toFailure(error, token);
    }
  }

  /** Telegram refuses a message whose markup it can't parse; then the text is sent without any. */
  async function withMarkup<T>(message: ChatMessage, act: (text: string, mode?: 'HTML') => Promise<T>): Promise<T> {
    try {
      return await act(renderHtml(message.markdown), 'HTML');
    } catch (error) {
      if (!(error instanceof ChatFailed) || !/can't parse entities|is too long/.test(error.message)) throw error;
      return act(message.markdown.slice(0, MOST_CHARACTERS));
    }
  }

  /** A picture that Telegram can't show, for example because it is very wide, becomes a document. */
  async function showFile(chat: string, remoteId: string, file: SentFile): Promise<void> {
    const show = (type: 'photo' | 'document') =>
      call((bot) => {
        const place = { chat_id: parseChat(chat).id, message_id: Number(remoteId) };
        const asked = { ...place, media: { type, media: `attach://${UPLOAD}` }, [UPLOAD]: file };
        return bot.raw.editMessageMedia(asked);
      });
    if (!isPhoto(file)) return void (await show('document'));
    try {
      await show('photo');
    } catch (error) {
      if (!(error instanceof ChatFailed && error.result.outcome === 'refused') || isAboutMessage(error)) throw error;
      await show('document');
    }
  }

  return {
    identify: () =>
      call(async (bot) => {
        const { id, username } = await bot.getMe();
        return { remoteId: String(id), name: username };
      }),

    receive: (cursor, signal) =>
      call(async (bot): Promise<Received> => {
        const offset = cursor === null ? undefined : Number(cursor);
        const asked = { timeout: POLL_SECONDS, allowed_updates: [...UPDATES], ...(offset !== undefined && { offset }) };
        polling = signal;
        const updates = await bot.getUpdates(asked);
        const last = updates.reduce((most, { update_id: id }) => Math.max(most, id), (offset ?? 0) - 1);
        return { updates: updates.flatMap((update) => fileUpdate(update) ?? []), cursor: String(last + 1) };
      }),

    setAddress: (address) =>
      call(async (bot) => {
        if (!address) await bot.deleteWebhook();
        else
          await bot.setWebhook(address.url, {
            secret_token: address.secret,
            allowed_updates: [...UPDATES],
            max_connections: 4,
          });
      }),

    send: (chat, message) =>
      withMarkup(message, (text, mode) =>
        call(async (bot) => {
          const { id, topic } = parseChat(chat);
          const sent = await bot.sendMessage(id, text, {
            ...optionsFor(message, mode),
            ...(topic !== undefined && { message_thread_id: topic }),
            ...(message.replyTo && {
              reply_parameters: { message_id: Number(message.replyTo), allow_sending_without_reply: true },
            }),
          });
          return String(sent.message_id);
        }),
      ),

    async edit(chat, remoteId, message) {
      try {
        const [file] = message.files ?? [];
        if (file) await showFile(chat, remoteId, file);
        else
          await withMarkup(message, (text, mode) =>
            call((bot) => bot.editMessageText(parseChat(chat).id, Number(remoteId), text, optionsFor(message, mode))),
          );
        return true;
      } catch (error) {
        if (!(error instanceof ChatFailed)) throw error;
        if (/message is not modified/.test(error.message)) return true;
        if (isAboutMessage(error)) return false;
        throw error;
      }
    },

    async showTyping(chat) {
      const { id, topic } = parseChat(chat);
      await call((bot) => bot.sendChatAction(id, 'typing', topic === undefined ? {} : { message_thread_id: topic }));
    },

    async answerPress(press, text) {
      await call((bot) => bot.answerCallbackQuery(press, { text: text.slice(0, 200) }));
    },

    async download({ id }) {
      const { file_path: path } = await call((bot) => bot.getFile(id));
      // The path becomes a part of a URL that contains the token.
      if (!path || !/^[\w./-]+$/.test(path) || path.includes('..'))
        throw new ChatFailed({ outcome: 'refused', error: 'Telegram has no such file.' });
      const answer = await request(transport, {
        method: 'GET',
        url: `${ROOT}/file/bot${token}/${path}`,
        body: '',
        maxResponseBytes: MAX_FILE_BYTES,
      }).catch((error: unknown) => {
        throw toFailure(error, token);
      });
      if (answer.status !== 200)
        throw new ChatFailed({
          outcome: 'failed',
          error: `Telegram answered ${answer.status}.`,
          status: answer.status,
        });
      return new Uint8Array(answer.body);
    },
  };
}

const MOST_CHARACTERS = 4096;
const MOST_PHOTO_BYTES = 10 * 1024 * 1024;
/** The field of a request with a file. */
const UPLOAD = 'upload';

const isPhoto = ({ mediaType, bytes }: SentFile) =>
  /^image\/(?:png|jpeg|webp)$/.test(mediaType) && bytes.length <= MOST_PHOTO_BYTES;

/** The message that was to be edited is not there, or can't be edited. */
const isAboutMessage = (error: ChatFailed) =>
  /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/.test(error.message);

function optionsFor({ buttons }: ChatMessage, mode: 'HTML' | undefined) {
  const row = (buttons ?? []).map(({ label, data }) => ({ text: label, callback_data: data }));
  return {
    ...(mode && { parse_mode: mode }),
    // A preview would fetch an address that a model wrote.
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: row.length > 0 ? [row] : [] },
  };
}

/** A chat is `ID`, or `ID/TOPIC` in a group with topics. */
function parseChat(chat: string): { readonly id: number; readonly topic: number | undefined } {
  const [id, topic] = chat.split('/');
  return { id: Number(id), topic: topic === undefined ? undefined : Number(topic) };
}

function carryBy(bot: Api, token: string, transport: Transport, pollSignal: () => AbortSignal | undefined): Api {
  bot.config.use(async (_next, method, payload) => {
    const signal = method === 'getUpdates' ? pollSignal() : undefined;
    const answer = await request(transport, {
      method: 'POST',
      url: `${ROOT}/bot${token}/${method}`,
      ...(await bodyOf(payload)),
      maxResponseBytes: MAX_ANSWER_BYTES,
      ...(signal && { signal, timeoutMs: POLL_SECONDS * 1000 + TIMEOUT_MS }),
    });
    return parseAnswer(answer) as Awaited<ReturnType<typeof _next<typeof method & keyof RawApi>>>;
  });
  return bot;
}

/** JSON, or a form if there is a file. */
async function bodyOf(payload: object): Promise<Pick<Parameters<Transport>[0], 'body'> & Pick<Asked, 'headers'>> {
  if (!(UPLOAD in payload)) return { body: JSON.stringify(payload) };
  const form = new FormData();
  const { [UPLOAD]: file, ...fields } = payload as Record<string, unknown> & { readonly [UPLOAD]: SentFile };
  for (const [name, value] of Object.entries(fields))
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  form.set(UPLOAD, new Blob([file.bytes], { type: file.mediaType }), file.name);
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return { body: new Uint8Array(await encoded.arrayBuffer()), headers };
}

type Asked = Omit<Parameters<Transport>[0], 'headers' | 'timeoutMs'> &
  Partial<Pick<Parameters<Transport>[0], 'headers' | 'timeoutMs'>>;

const request = (transport: Transport, asked: Asked) =>
  transport({ timeoutMs: TIMEOUT_MS, headers: { 'content-type': 'application/json' }, ...asked });

/** A proxy in front of Telegram may answer with something else than JSON. */
function parseAnswer({ status, body }: Pick<Awaited<ReturnType<Transport>>, 'status' | 'body'>): unknown {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof parsed === 'object' && parsed !== null && 'ok' in parsed) return parsed;
  } catch {}
  throw new ChatFailed({ outcome: 'failed', error: `Telegram answered ${status} without a result.`, status });
}

type ApiError = {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number };
};

function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && 'error_code' in error && 'description' in error;
}

const GONE =
  /chat not found|user is deactivated|bot was kicked|bot is not a member|PEER_ID_INVALID|upgraded to a supergroup/i;
const LIMIT_SECONDS = 5;

function toFailure(error: unknown, token: string): ChatFailed {
  if (error instanceof ChatFailed) return error;
  if (!isApiError(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    return new ChatFailed({ outcome: 'failed', error: reason.replaceAll(token, '…') });
  }
  const { error_code: status, description, parameters } = error;
  const said = `Telegram: ${description.slice(0, 300).replaceAll(token, '…')}`;
  if (status === 429)
    return new ChatFailed({
      outcome: 'limited',
      error: said,
      status,
      retryAfterSeconds: parameters?.retry_after ?? LIMIT_SECONDS,
    });
  if (status === 403 || (status === 400 && GONE.test(description)))
    return new ChatFailed({ outcome: 'gone', error: said, status });
  // 401 and 404: the token; 409: another program polls. All three can be put right without a loss.
  const isTemporary = status >= 500 || status === 401 || status === 404 || status === 409;
  return new ChatFailed({ outcome: isTemporary ? 'failed' : 'refused', error: said, status });
}
