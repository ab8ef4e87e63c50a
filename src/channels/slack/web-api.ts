import type { FetchFunction, WebClient } from '@slack/web-api';
import type { Transport } from '#agent/chats/chat-port.ts';
import type { SlackCredentials } from './credentials.ts';
import { toFailure } from './to-failure.ts';

const TIMEOUT_MS = 12_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** A call of the Web API. */
export type Call = <T>(act: (slack: WebClient) => Promise<T>) => Promise<T>;

/** The Web API of a workspace. Slack's library types the calls and parses failures; the service carries the bytes, so that it never sends twice. */
export type SlackApi = {
  readonly call: Call;
  /** Asks for the address of a socket. */
  askAddress(appToken: string): Promise<string>;
  /** Turns failures into `ChatFailed`, without secrets in their texts. */
  guard<T>(work: () => Promise<T>): Promise<T>;
};

export function createSlackApi(credentials: SlackCredentials, transport: Transport): SlackApi {
  const { token, signingSecret, appToken } = credentials;
  const secrets = [token, signingSecret, appToken].filter((secret) => secret !== undefined);
  let client: Promise<WebClient> | undefined;

  async function guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toFailure(error, secrets);
    }
  }
  return {
    call: (act) => guard(async () => act(await (client ??= createClient(token, transport)))),
    askAddress: (asking) =>
      guard(async () => {
        const slack = await createClient(asking, transport);
        return (await slack.apps.connections.open({})).url ?? '';
      }),
    guard,
  };
}

/** The library is loaded on first use, because few installations need it. */
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
