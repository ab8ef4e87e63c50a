import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newObjectKey } from '#domain/bucket.ts';
import { type S3Server, startS3Server } from '../../test/support/s3-server.ts';
import { type BucketSettings, openBucket } from './bucket.ts';

let server: S3Server;
const opened: ReturnType<typeof openBucket>[] = [];

beforeAll(async () => {
  server = await startS3Server();
});

afterAll(async () => {
  for (const bucket of opened) await bucket.close();
  await server.close();
});

function open(more: Partial<BucketSettings> = {}) {
  const bucket = openBucket({ ...server.settings, ...more });
  opened.push(bucket);
  return bucket;
}

test('an object is written, read, cut at the expected length, and removed twice', async () => {
  const bucket = open();
  const key = newObjectKey();
  const content = Buffer.alloc(200_000, 'content');
  await bucket.put(key, content);
  await bucket.put(key, content);
  expect((await bucket.get(key, content.length))?.equals(content)).toBe(true);
  expect(await bucket.get(key, 10)).toEqual(content.subarray(0, 11));
  expect(await server.keys()).toEqual([key]);
  await bucket.remove(key);
  await bucket.remove(key);
  expect(await bucket.get(key, content.length)).toBeUndefined();
});

test('keys of the same bytes differ, and say nothing about them', () => {
  const keys = Array.from({ length: 100 }, newObjectKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) expect(key).toMatch(/^attachments\/[0-9a-f-]{36}$/);
});

test('a missing bucket and a store that does not answer are errors, not missing objects', async () => {
  const key = newObjectKey();
  await expect(open({ name: 'other' }).get(key, 1)).rejects.toThrow('bucket does not exist');
  await expect(open({ endpoint: 'http://127.0.0.1:1' }).get(key, 1)).rejects.toThrow('ECONNREFUSED');
  server.break();
  await expect(open().put(key, Buffer.from('x'))).rejects.toThrow();
  server.repair();
});

test('requests go to the endpoint only, also when it redirects elsewhere', async () => {
  const asked: string[] = [];
  const elsewhere = createServer((request, response) => {
    asked.push(`elsewhere ${request.url}`);
    response.end();
  }).listen(0, '127.0.0.1');
  const redirecting = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url?.split('?')[0]}`);
    const { port } = elsewhere.address() as { port: number };
    response.writeHead(307, { location: `http://127.0.0.1:${port}/`, 'x-amz-bucket-region': 'eu-west-1' }).end();
  }).listen(0, '127.0.0.1');
  const { port } = await new Promise<{ port: number }>((resolve) =>
    redirecting.once('listening', () => resolve(redirecting.address() as { port: number })),
  );
  const key = newObjectKey();
  // What the SDK would otherwise look at.
  const machine = {
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    AWS_USE_DUALSTACK_ENDPOINT: 'true',
    AWS_REGION: 'us-west-2',
  };
  Object.assign(process.env, machine);
  try {
    await expect(open({ endpoint: `http://127.0.0.1:${port}` }).get(key, 1)).rejects.toThrow();
  } finally {
    for (const name of Object.keys(machine)) delete process.env[name];
    elsewhere.close();
    redirecting.close();
  }
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked)).toEqual(new Set([`GET 127.0.0.1:${port} /files/${key}`]));
});
