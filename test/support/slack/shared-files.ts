import { type Payload, type ShownFile, wordsOf } from '../chats/chat-server.ts';

type Upload = {
  readonly name: string;
  readonly length: number;
  bytes: Buffer | undefined;
  readonly channels: Set<string>;
};
type Post = { readonly channel: string; readonly thread: string | undefined; readonly file: ShownFile };

/**
 * Uploads: an address is given, bytes are sent there, and completing the upload shares the file. Nothing says that Slack refuses to
 * complete an upload twice, so here that shares it twice.
 */
export function createSharedFiles(post: (shared: Post) => void) {
  const uploads = new Map<string, Upload>();

  function complete(payload: Payload): Payload {
    const asked = JSON.parse(wordsOf(payload['files'])) as { id: string; title: string }[];
    const found = asked.map(({ id }) => uploads.get(id));
    if (found.some((upload) => !upload?.bytes)) return { error: 'file_not_found' };
    const channel = wordsOf(payload['channel_id']);
    for (const upload of found) {
      if (!upload?.bytes) continue;
      upload.channels.add(channel);
      const file = { name: upload.name, mediaType: '', bytes: upload.bytes };
      post({ channel, thread: wordsOf(payload['thread_ts']) || undefined, file });
    }
    return { files: asked };
  }

  return {
    act(method: string, payload: Payload): Payload {
      if (method === 'files.getUploadURLExternal') {
        const id = `F${uploads.size + 1}`;
        const length = Number(payload['length']);
        if (!(length > 0)) return { error: 'invalid_arguments' };
        uploads.set(id, { name: wordsOf(payload['filename']), length, bytes: undefined, channels: new Set() });
        return { upload_url: `https://files.slack.com/upload/v1/${id}`, file_id: id };
      }
      if (method === 'files.completeUploadExternal') return complete(payload);
      const upload = uploads.get(wordsOf(payload['file']));
      if (!upload || upload.channels.size === 0) return { error: 'file_not_found' };
      return { file: { shares: { private: Object.fromEntries([...upload.channels].map((id) => [id, []])) } } };
    },
    /** Returns the status. */
    receive(path: string, bytes: Buffer): number {
      const upload = uploads.get(/^\/upload\/v1\/(\w+)$/.exec(path)?.[1] ?? '');
      if (!upload || upload.length !== bytes.length) return 400;
      upload.bytes = bytes;
      return 200;
    },
  };
}
