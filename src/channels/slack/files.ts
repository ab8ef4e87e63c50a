import { ChatFailed, type SentFile, type Transport } from '#agent/chats/chat-port.ts';
import { failed } from './socket-link.ts';
import type { Call } from './web-api.ts';

const FILE_HOST = 'files.slack.com';
const TIMEOUT_MS = 12_000;
const MAX_FILE_BYTES = 20 * 1024 * 1024;

type Share = {
  readonly id: string;
  readonly title: string;
  readonly channel: string;
  readonly thread: string | undefined;
};

export type SlackFiles = ReturnType<typeof createSlackFiles>;

/** Files that go out. An upload is seen by no one until it is shared, and whether it was shared can be asked. */
export function createSlackFiles(call: Call, transport: Transport) {
  return {
    async upload({ name, bytes }: SentFile): Promise<string> {
      const made = await asFile(
        call((slack) => slack.files.getUploadURLExternal({ filename: name, length: bytes.length })),
      );
      const url = URL.parse(made.upload_url ?? '');
      if (!made.file_id || url?.protocol !== 'https:' || url.host !== FILE_HOST)
        throw failed('Slack sent no address for the upload.');
      const answer = await transport({
        method: 'POST',
        url: url.href,
        headers: { 'content-type': 'application/octet-stream' },
        body: bytes,
        timeoutMs: TIMEOUT_MS,
        maxResponseBytes: 64 * 1024,
      }).catch((error: unknown) => {
        throw failed(`Slack: the upload has failed: ${error instanceof Error ? error.message : String(error)}`);
      });
      if (answer.status !== 200) throw failed(`Slack answered ${answer.status} to an upload.`);
      return made.file_id;
    },

    async share({ id, title, channel, thread }: Share): Promise<void> {
      if (await isShared(id, channel)) return;
      const destination = thread ? { channel_id: channel, thread_ts: thread } : { channel_id: channel };
      await asFile(call((slack) => slack.files.completeUploadExternal({ files: [{ id, title }], ...destination })));
    },
  };

  async function isShared(id: string, channel: string): Promise<boolean> {
    try {
      const { file } = await asFile(call((slack) => slack.files.info({ file: id })));
      const { public: open = {}, private: closed = {} } = (file?.shares ?? {}) as Shares;
      return channel in open || channel in closed;
    } catch (error) {
      // Slack sometimes does not know a file before its upload is completed.
      if (error instanceof ChatFailed && /file_not_found/.test(error.message)) return false;
      throw error;
    }
  }
}

/** A file that has come in. The token goes with the request, so the address must be Slack's. */
export async function downloadFile(
  transport: Transport,
  token: string,
  address: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' || url.host !== FILE_HOST) throw noFile();
  const answer = await transport({
    method: 'GET',
    url: url.href,
    headers: { authorization: `Bearer ${token}` },
    body: '',
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_FILE_BYTES,
  });
  // Without the right to read files, Slack redirects to its sign-in page.
  if (answer.status >= 300 && answer.status < 500 && answer.status !== 429) throw noFile();
  if (answer.status !== 200)
    throw new ChatFailed({ outcome: 'failed', error: `Slack answered ${answer.status}.`, status: answer.status });
  return new Uint8Array(answer.body);
}

const noFile = () => new ChatFailed({ outcome: 'refused', error: 'Slack has no such file.' });

type Shares = { readonly public?: object; readonly private?: object };

/** Without the right to upload, words are shown instead: the messages behind the file must not wait for an operator. */
async function asFile<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ChatFailed && REFUSED.test(error.message))
      throw new ChatFailed({ outcome: 'refused', error: error.message }, { cause: error });
    throw error;
  }
}

const REFUSED =
  /missing_scope|not_allowed_token_type|file_uploads|storage_limit|file_size|blocked_file|invalid_channel/;
