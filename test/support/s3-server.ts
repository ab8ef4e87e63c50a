import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

const BUCKET = 'files';
/** The only credentials that the server knows. */
const KEY = 'S3RVER';
/** The server keeps the bytes of each object in a file with this ending. */
const ENDING = '._S3rver_object';

/** An S3-compatible store on this machine, with one bucket. It can be out of reach for a while. */
export async function startS3Server() {
  const directory = await mkdtemp(path.join(tmpdir(), 'reborn-s3-'));
  const store = new S3rver({ directory, silent: true, configureBuckets: [{ name: BUCKET }] });
  await store.configureBuckets();
  const handle = store.callback();
  let isBroken = false;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    if (isBroken) request.socket.destroy();
    else handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = path.join(directory, BUCKET, 'attachments');

  return {
    settings: { name: BUCKET, endpoint, region: 'us-east-1', accessKeyId: KEY, secretAccessKey: KEY },
    env: {
      ATTACHMENTS_BUCKET: BUCKET,
      ATTACHMENTS_ENDPOINT: endpoint,
      ATTACHMENTS_ACCESS_KEY_ID: KEY,
      ATTACHMENTS_SECRET_ACCESS_KEY: KEY,
    },
    /** Every request so far, such as `PUT /files/attachments/…`. */
    requests,
    /** The keys of all objects. */
    async keys(): Promise<string[]> {
      const files = await readdir(folder).catch(() => []);
      return files
        .filter((name) => name.endsWith(ENDING))
        .map((name) => `attachments/${name.slice(0, -ENDING.length)}`);
    },
    /** Changes the bytes of an object. */
    overwrite: (key: string, content: Buffer) => writeFile(path.join(directory, BUCKET, key + ENDING), content),
    delete: (key: string) => rm(path.join(directory, BUCKET, key + ENDING)),
    break: () => {
      isBroken = true;
      server.closeAllConnections();
    },
    repair: () => {
      isBroken = false;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
