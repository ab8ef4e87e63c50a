import type { Api, RawApi } from 'grammy';
import { ChatFailed, type SentFile, type Transport } from '#agent/chats/chat-port.ts';
import { toFailure } from './to-failure.ts';

const ROOT = 'https://api.telegram.org';
const TIMEOUT_MS = 12_000;
/** How long Telegram holds a request for updates. */
export const POLL_SECONDS = 20;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** The field of a request with a file. */
export const UPLOAD = 'upload';

/** A call of the Bot API. */
export type Call = <T>(act: (bot: Api) => Promise<T>) => Promise<T>;

/** The Bot API. grammY types the calls and parses failures; the service carries the bytes, so that a library never sends twice. */
export type BotApi = {
  readonly call: Call;
  /** The same for `getUpdates`, which ends early when `signal` aborts. */
  poll<T>(signal: AbortSignal, act: (bot: Api) => Promise<T>): Promise<T>;
  /** The bytes of the file with this id. */
  download(fileId: string): Promise<Uint8Array<ArrayBuffer>>;
};

export function createBotApi(token: string, transport: Transport): BotApi {
  let client: Promise<Api> | undefined;
  /** grammY's signals are of another package, so the signal of a poll goes around it. */
  let polling: AbortSignal | undefined;
  /** grammY is loaded on first use, because few installations need it. */
  const api = () =>
    (client ??= import('grammy').then(({ Api: Client }) =>
      carryBy(new Client(token), token, transport, () => polling),
    ));

  async function guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toFailure(error, token);
    }
  }

  return {
    call: (act) => guard(async () => act(await api())),
    poll: (signal, act) =>
      guard(async () => {
        const bot = await api();
        polling = signal;
        return act(bot);
      }),
    download: (fileId) =>
      guard(async () => fetchFile(transport, token, (await (await api()).getFile(fileId)).file_path)),
  };
}

async function fetchFile(
  transport: Transport,
  token: string,
  path: string | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  // The path becomes a part of a URL that contains the token.
  if (!path || !/^[\w./-]+$/.test(path) || path.includes('..'))
    throw new ChatFailed({ outcome: 'refused', error: 'Telegram has no such file.' });
  const url = `${ROOT}/file/bot${token}/${path}`;
  const { status, body } = await request(transport, { method: 'GET', url, body: '', maxResponseBytes: MAX_FILE_BYTES });
  if (status !== 200) throw new ChatFailed({ outcome: 'failed', error: `Telegram answered ${status}.`, status });
  return new Uint8Array(body);
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
