import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import OpenAI, { toFile } from 'openai';
import { expect } from 'vitest';
import { deletedFile, fileObject, filePage } from '#channels/files/file-object.ts';
import { hashOf } from '#domain/thread/attachment.ts';
import { addUser } from '../../support/accounts.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey()
  .override('settings', { USER_STORAGE_MB: '80' })
  .override('parts', { attachmentSweep: { graceMs: 3_600_000, everyMs: 100 } });

const MIB = 1024 * 1024;
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(5000)]);
const UNKNOWN = `file-${'0'.repeat(32)}`;

const connect = (service: Service, apiKey = TOKEN) =>
  new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0 });

const send = (service: Service, form: FormData, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/api/v1/files`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
  });

function formOf(content: Blob | string, name = 'a.txt', more: Record<string, string> = {}): FormData {
  const form = new FormData();
  form.set('file', typeof content === 'string' ? new Blob([content]) : content, name);
  for (const [field, value] of Object.entries({ purpose: 'user_data', ...more })) form.set(field, value);
  return form;
}

async function refusalOf(answer: Response) {
  const { error } = (await answer.json()) as { error: { code: string; param: string | null; message: string } };
  return { status: answer.status, code: error.code, param: error.param, message: error.message };
}

test('the OpenAI client uploads, lists, retrieves, reads and deletes files', async ({ service }) => {
  const { files } = connect(service);
  const first = await files.create({ file: await toFile(Buffer.from('a,1\n'), 'costs.csv'), purpose: 'assistants' });
  const second = await files.create({ file: await toFile(PNG, 'chart.png'), purpose: 'vision' });
  const third = await files.create({ file: await toFile(Buffer.from('b'), 'b.txt'), purpose: 'user_data' });
  expect(fileObject.parse(first)).toMatchObject({ filename: 'costs.csv', bytes: 4, purpose: 'assistants' });
  expect(Math.abs(Date.now() / 1000 - first.created_at)).toBeLessThan(60);
  expect(await files.waitForProcessing(first.id)).toEqual(first);

  expect(await files.retrieve(second.id)).toEqual(second);
  expect(Buffer.from(await (await files.content(second.id)).arrayBuffer()).equals(PNG)).toBe(true);
  const listed: string[] = [];
  for await (const { id } of files.list({ limit: 2 })) listed.push(id);
  expect(listed).toEqual([third.id, second.id, first.id]);
  const page = await files.list({ order: 'asc', after: first.id, limit: 1 });
  expect(page.data).toEqual([second]);
  expect(page.hasNextPage()).toBe(true);
  expect((await files.list({ purpose: 'vision' })).data).toEqual([second]);

  expect(deletedFile.parse(await files.delete(second.id))).toMatchObject({ id: second.id, deleted: true });
  await expect(files.retrieve(second.id)).rejects.toMatchObject({ status: 404 });
  await expect(files.content(second.id)).rejects.toMatchObject({ status: 404 });
  await expect(files.delete(second.id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
  filePage.parse(await (await service.request('/api/v1/files')).json());
});

test('a browser saves the bytes of any file', async ({ service }) => {
  const { files } = connect(service);
  const page = await toFile(Buffer.from('<script>1</script>'), "it's (one).html", { type: 'text/html' });
  const { id } = await files.create({ file: page, purpose: 'user_data' });
  const { headers } = await service.request(`/v1/files/${id}/content`);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': "attachment; filename*=UTF-8''it%27s%20%28one%29.html",
    'x-content-type-options': 'nosniff',
  });
});

test.for([
  ['without a purpose', formOf('a', 'a.txt', { purpose: '' }), 'purpose'],
  ['with the purpose of a batch', formOf('a', 'a.txt', { purpose: 'batch' }), 'purpose'],
  ['that expires', formOf('a', 'a.txt', { 'expires_after[anchor]': 'created_at' }), 'expires_after'],
  ['that is empty', formOf(''), 'file'],
  ['in another field', otherField(), 'file'],
  ['beside a second one', twoFiles(), null],
  ['beside a field of any length', formOf('a', 'a.txt', { note: 'x'.repeat(5000) }), null],
] as const)('a file %s is refused', async ([, form, param], { service }) => {
  expect(await refusalOf(await send(service, form))).toMatchObject({ status: 400, code: 'invalid_request', param });
});

function otherField(): FormData {
  const form = formOf('a');
  form.set('document', new Blob(['a']), 'a.txt');
  form.delete('file');
  return form;
}

function twoFiles(): FormData {
  const form = formOf('a');
  form.append('file', new Blob(['b']), 'b.txt');
  return form;
}

test('bodies that are not a form, or end too early, are refused', async ({ service }) => {
  const post = (type: string, body: string) =>
    service.request('/v1/files', { method: 'POST', body, headers: { 'content-type': type } });
  for (const [type, body] of [
    ['application/json', '{}'],
    ['text/plain', 'a'],
    ['multipart/form-data', 'a'],
    ['multipart/form-data; boundary=x', 'no boundary at all'],
    ['multipart/form-data; boundary=x', '--x\r\n\r\n\r\n'.repeat(30)],
    ['multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf'],
  ] as const)
    expect(await refusalOf(await post(type, body))).toMatchObject({ status: 400, code: 'invalid_request' });
});

test('a file may have 64 MiB, and not one byte more; the limit of the user holds too', async ({ service }) => {
  const largest = new Blob([Buffer.alloc(64 * MIB, 'x')]);
  const stored = await send(service, formOf(largest));
  expect(stored.status).toBe(200);
  const { id, bytes } = fileObject.parse(await stored.json());
  expect(bytes).toBe(64 * MIB);
  const read = await service.request(`/v1/files/${id}/content`);
  expect((await read.arrayBuffer()).byteLength).toBe(64 * MIB);

  const refused = await send(service, formOf(new Blob([largest, 'x'])));
  expect(await refusalOf(refused)).toMatchObject({ status: 413, code: 'body_too_large' });
  expect((await sendChunks(service, 70)).status).toBe(413);
  const full = await send(service, formOf(new Blob([Buffer.alloc(20 * MIB, 'y')])));
  expect(await refusalOf(full)).toMatchObject({
    status: 400,
    param: 'file',
    message: expect.stringContaining('80 MB'),
  });
});

/** A form of unknown length, whose parts the parser passes over. */
function sendChunks(service: Service, mebibytes: number): Promise<{ status: number | undefined }> {
  const { promise, resolve } = Promise.withResolvers<{ status: number | undefined }>();
  const sent = httpRequest(`${service.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'multipart/form-data; boundary=x' },
  });
  sent.on('response', (answer) => resolve({ status: answer.statusCode }));
  sent.on('error', () => {}); // the service stops reading
  sent.write('--x\r\ncontent-disposition: attachment\r\n\r\n');
  for (let at = 0; at < mebibytes; at++) sent.write(Buffer.alloc(MIB, 'z'));
  sent.end('\r\n--x--\r\n');
  return promise;
}

test("another user's file is not found: not by its id, not in the list, not in a request", async ({ service }) => {
  const ann = await addUser(service, 'Ann');
  const { id } = await connect(service).files.create({ file: await toFile(PNG, 'mine.png'), purpose: 'user_data' });
  const { files, responses, chat } = connect(service, ann.token);
  for (const ask of [() => files.retrieve(id), () => files.content(id), () => files.delete(id)])
    await expect(ask()).rejects.toMatchObject({ status: 404, error: { message: 'This file does not exist.' } });
  expect((await files.list()).data).toEqual([]);
  for (const file_id of [id, UNKNOWN, 'file-abc', '../x']) {
    const refused = { status: 400, code: 'invalid_request', param: 'input[0].content[0].file_id' };
    for (const part of [
      { type: 'input_file', file_id } as const,
      { type: 'input_image', file_id, detail: 'auto' } as const,
    ])
      await expect(responses.create({ model: 'm', input: [{ role: 'user', content: [part] }] })).rejects.toMatchObject(
        refused,
      );
    const messages = [{ role: 'user' as const, content: [{ type: 'file' as const, file: { file_id } }] }];
    await expect(chat.completions.create({ model: 'm', messages })).rejects.toMatchObject({
      ...refused,
      param: 'messages[0].content[0].file.file_id',
    });
  }
  expect((await connect(service).files.retrieve(id)).id).toBe(id);
});

test('a request names a file by its id, the model reads the bytes, and the id comes back', async ({
  service,
  model,
}) => {
  const { files, responses, conversations, chat } = connect(service);
  const text = await files.create({
    file: await toFile(Buffer.from('the code is 4711'), 'code.txt'),
    purpose: 'user_data',
  });
  const image = await files.create({ file: await toFile(PNG, 'chart.png'), purpose: 'vision' });
  const input = [
    {
      role: 'user' as const,
      content: [
        { type: 'input_text' as const, text: 'say seen' },
        { type: 'input_file' as const, file_id: text.id },
        { type: 'input_image' as const, file_id: image.id, detail: 'auto' as const },
      ],
    },
  ];
  const { input_tokens: tokens } = await responses.inputTokens.count({ model: 'm', input });
  expect(tokens).toBeGreaterThan(10);
  const response = await responses.create({ model: 'm', input });
  expect(response.output_text).toContain('the code is 4711');
  expect(model.seen.at(-1)?.bytes).toBeGreaterThan((PNG.length * 4) / 3);
  expect(model.seen.at(-1)?.messages.at(-1)?.text).toContain('the code is 4711');

  const echoed = [
    { type: 'input_text', text: 'say seen' },
    { type: 'input_file', file_id: text.id, filename: 'code.txt' },
    { type: 'input_image', detail: 'auto', file_id: image.id },
  ];
  const [item] = (await responses.inputItems.list(response.id)).data;
  expect(item).toMatchObject({ content: echoed });
  const kept = await conversations.create({ items: input });
  expect((await conversations.items.list(kept.id)).data[0]).toMatchObject({ content: echoed });

  const completion = await chat.completions.create({
    model: 'm',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'say read' },
          { type: 'file', file: { file_id: text.id } },
        ],
      },
    ],
  });
  expect(completion.choices[0]?.message.content).toContain('the code is 4711');
  expect(model.seen.at(-1)?.messages.at(-1)?.text).toContain('the code is 4711');

  const wrong = [
    { role: 'user' as const, content: [{ type: 'input_image' as const, file_id: text.id, detail: 'auto' as const }] },
  ];
  await expect(responses.create({ model: 'm', input: wrong })).rejects.toMatchObject({
    param: 'input[0].content[0].file_id',
    message: expect.stringContaining('text/plain, which is not an image'),
  });
});

/** Makes all attachments look as if they had been unused for long. */
const age = (home: Home) => home.query(`update attachments set idle_since = now() - interval '2 hours'`);

test('the bytes stay as long as the file or a message has them', async ({ service, home }) => {
  const { files, responses } = connect(service);
  const [shown, plain] = [randomBytes(2000), randomBytes(2000)];
  const hashes = [shown, plain].map(hashOf);
  const swept = (...kept: string[]) =>
    waitFor('the sweep', async () => {
      const left = await home.query<{ sha256: string; idle: boolean }>(
        `select sha256, idle_since is not null as idle from attachments where sha256 in ('${hashes.join("', '")}')`,
      );
      return left.length === kept.length && left.every(({ sha256, idle }) => kept.includes(sha256) && !idle);
    });
  const used = await files.create({ file: await toFile(shown, 'used.png'), purpose: 'vision' });
  const idle = await files.create({ file: await toFile(plain, 'idle.bin'), purpose: 'user_data' });
  await age(home);
  await swept(...hashes);

  const content = [{ type: 'input_image' as const, file_id: used.id, detail: 'auto' as const }];
  const { id } = await responses.create({ model: 'm', input: [{ role: 'user', content }] });
  await files.delete(used.id);
  await files.delete(idle.id);
  await age(home);
  await swept(hashOf(shown));
  const again = await responses.create({ model: 'm', input: 'say there', previous_response_id: id });
  expect(again.output_text).toBe('there');
});

test('any name of a file becomes one visible part of a path', async ({ service }) => {
  const parts = ['..', '/', '\\', 'a', '"', "'", '\r\n', '\u0000', '\u202e', '%00', ';', ' ', 'é', '\ud800', '.', 'C:'];
  const hostile = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((pieces) => pieces.join(''));
  await fc.assert(
    fc.asyncProperty(fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 400 })), async (name) => {
      const answer = await send(service, formOf('x', name || 'a'));
      expect([200, 400]).toContain(answer.status); // a name with a line break is invalid
      const { id, filename = 'refused' } = (await answer.json()) as { id?: string; filename?: string };
      expect(filename).toMatch(/^[^/\\\p{Cc}\p{Cf}\p{Cs}]+$/u);
      expect(filename).not.toMatch(/^\.*$/);
      expect(Buffer.byteLength(filename)).toBeLessThanOrEqual(256);
      const read = await service.request(`/v1/files/${id ?? UNKNOWN}/content`);
      expect(read.status).toBe(id ? 200 : 404);
    }),
    { numRuns: 60 },
  );
});
