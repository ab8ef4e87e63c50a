import OpenAI, { toFile } from 'openai';
import { expect } from 'vitest';
import { responseObject } from '#channels/responses/response/response-object.ts';
import { streamEvent } from '#channels/responses/response/stream-event.ts';
import { batchObject, searchPage, storeFileObject, storeObject } from '#channels/vector-stores/store-object.ts';
import { addUser } from '../../support/accounts.ts';
import { makePdf } from '../../support/document-files.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey()
  .override('settings', { RESPONSES_HOSTED_TOOLS: 'file_search' })
  .override('parts', { attachmentSweep: { everyMs: 100, graceMs: 3_600_000 } });

const connect = (service: Service, apiKey = TOKEN) =>
  new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0 });

const POLL = { pollIntervalMs: 100 };
const note = (text: string, name: string) => toFile(Buffer.from(text), name);
const lease = () =>
  toFile(
    makePdf([['The lease of Harbour Street 12.'], ['The deposit is 2700 euros, paid before the keys.']]),
    'lease.pdf',
  );
const search = (...queries: string[]) => `use reborn_store_search ${JSON.stringify({ queries })}`;

test('an uploaded file is added to a store, read, searched and removed', async ({ service }) => {
  const { vectorStores, files } = connect(service);
  const made = storeObject.parse(await vectorStores.create({ name: 'Contracts', metadata: { team: 'legal' } }));
  expect(made).toMatchObject({ name: 'Contracts', status: 'completed', metadata: { team: 'legal' }, expires_at: null });

  const added = storeFileObject.parse(await vectorStores.files.uploadAndPoll(made.id, await lease(), POLL));
  expect(added).toMatchObject({ status: 'completed', last_error: null, vector_store_id: made.id });
  expect(await vectorStores.retrieve(made.id)).toMatchObject({
    file_counts: { total: 1, completed: 1, in_progress: 0 },
    usage_bytes: added.usage_bytes,
  });

  const found = await vectorStores.search(made.id, { query: 'how much is the deposit?' });
  expect(found.data[0]).toMatchObject({
    file_id: added.id,
    filename: 'lease.pdf',
    attributes: { page: 2 },
    content: [{ type: 'text', text: expect.stringContaining('2700 euros') }],
  });
  const several = await service.request(`/v1/vector_stores/${made.id}/search`, {
    method: 'POST',
    body: JSON.stringify({ query: ['deposit', 'Harbour Street'], max_num_results: 2 }),
  });
  const { data, search_query: asked } = searchPage.parse(await several.json());
  expect(asked).toEqual(['deposit', 'Harbour Street']);
  expect(data.map(({ attributes }) => attributes['page'])).toEqual(expect.arrayContaining([1, 2]));

  const pages = [];
  for await (const { text } of vectorStores.files.content(added.id, { vector_store_id: made.id })) pages.push(text);
  expect(pages).toEqual([expect.stringContaining('Harbour Street'), expect.stringContaining('deposit')]);

  await vectorStores.files.delete(added.id, { vector_store_id: made.id });
  expect((await vectorStores.search(made.id, { query: 'deposit' })).data).toEqual([]);
  expect(await files.retrieve(added.id)).toMatchObject({ filename: 'lease.pdf' });
  await vectorStores.delete(made.id);
  await expect(vectorStores.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
});

test('a batch ends when all of its files are read, and says which failed', async ({ service }) => {
  const { vectorStores, files } = connect(service);
  const store = await vectorStores.create({});
  const batch = await vectorStores.fileBatches.uploadAndPoll(
    store.id,
    {
      files: [
        await note('Plant three apple trees.', 'garden.md'),
        await note('PK not a zip', 'broken.docx'),
        await note('x', 'tool.exe'),
      ],
    },
    POLL,
  );
  expect(batchObject.parse(batch)).toMatchObject({
    status: 'completed',
    file_counts: { total: 3, completed: 1, failed: 2, in_progress: 0, cancelled: 0 },
  });
  const failed = [];
  const filtered = { vector_store_id: store.id, filter: 'failed', limit: 1 } as const;
  for await (const file of vectorStores.fileBatches.listFiles(batch.id, filtered)) failed.push(file.last_error);
  expect(new Set(failed.map((error) => error?.code))).toEqual(new Set(['invalid_file', 'unsupported_file']));
  expect(failed.map((error) => error?.message).join()).toContain('not a complete file');
  const [unread] = (await vectorStores.files.list(store.id, { filter: 'failed' })).data;
  await expect(vectorStores.files.content(unread?.id ?? '', { vector_store_id: store.id })).rejects.toMatchObject({
    status: 400,
  });

  const upload = await files.create({ file: await note('Pears, too.', 'pears.txt'), purpose: 'assistants' });
  const second = await vectorStores.fileBatches.createAndPoll(
    store.id,
    { files: [{ file_id: upload.id, attributes: { fruit: 'pear' } }] },
    POLL,
  );
  expect(second).toMatchObject({ status: 'completed', file_counts: { total: 1 } });
  const cancelled = await vectorStores.fileBatches.cancel(second.id, { vector_store_id: store.id });
  expect(cancelled.status).toBe('completed'); // nothing was left to cancel
  await files.delete(upload.id);
  expect((await vectorStores.retrieve(store.id)).file_counts.total).toBe(3);
});

test('files that are still unread when their batch is cancelled are not searched', async ({ service, home }) => {
  const { vectorStores, files } = connect(service);
  const upload = await files.create({ file: await note('Zebras sleep.', 'zebra.txt'), purpose: 'assistants' });
  const store = await vectorStores.create({ file_ids: [upload.id] });
  await vectorStores.files.poll(store.id, upload.id, POLL);
  await home.query(`update documents set extractor = 0, due_at = now() + interval '1 hour'`);
  const batch = await vectorStores.fileBatches.create(store.id, { file_ids: [upload.id] });
  expect(batch).toMatchObject({ status: 'in_progress', file_counts: { in_progress: 1 } });
  expect((await vectorStores.retrieve(store.id)).status).toBe('in_progress');
  const cancelled = await vectorStores.fileBatches.cancel(batch.id, { vector_store_id: store.id });
  expect(cancelled).toMatchObject({ status: 'cancelled', file_counts: { cancelled: 1 } });
  await home.query('update documents set extractor = 1');
  expect((await vectorStores.search(store.id, { query: 'zebras' })).data).toEqual([]);
  await vectorStores.files.createAndPoll(store.id, { file_id: upload.id }, POLL);
  expect((await vectorStores.search(store.id, { query: 'zebras' })).data).toHaveLength(1);
});

test('attributes are stored, and filters choose files by them', async ({ service }) => {
  const { vectorStores, files } = connect(service);
  const store = await vectorStores.create({ name: 'reports' });
  for (const [year, region] of [
    [2024, 'eu'],
    [2025, 'eu'],
    [2025, 'us'],
  ] as const) {
    const file = await note(`The revenue in ${region} of ${year} rose.`, `${region}-${year}.txt`);
    const { id } = await files.create({ file, purpose: 'assistants' });
    await vectorStores.files.createAndPoll(store.id, { file_id: id, attributes: { year, region, final: true } }, POLL);
  }
  const names = async (filters: OpenAI.VectorStoreSearchParams['filters']) => {
    const { data } = await vectorStores.search(store.id, { query: 'revenue', ...(filters && { filters }) });
    return data.map(({ filename }) => filename).toSorted();
  };
  expect(await names(undefined)).toHaveLength(3);
  expect(await names({ type: 'eq', key: 'region', value: 'us' })).toEqual(['us-2025.txt']);
  expect(await names({ type: 'gte', key: 'year', value: 2025 })).toEqual(['eu-2025.txt', 'us-2025.txt']);
  const both = [
    { type: 'lt' as const, key: 'year', value: 2025 },
    { type: 'in' as const, key: 'region', value: ['eu', 'asia'] },
  ];
  expect(await names({ type: 'and', filters: both })).toEqual(['eu-2024.txt']);
  expect(await names({ type: 'ne', key: 'author', value: 'Ann' })).toHaveLength(3);

  const { data } = await vectorStores.search(store.id, { query: 'us', ranking_options: { score_threshold: 0.9 } });
  expect(data).toMatchObject([{ filename: 'us-2025.txt', attributes: { year: 2025, region: 'us', final: true } }]);
  const [first] = (await vectorStores.files.list(store.id, { order: 'asc', limit: 1 })).data;
  const changed = { vector_store_id: store.id, attributes: { region: 'asia' } };
  expect(await vectorStores.files.update(first?.id ?? '', changed)).toMatchObject({ attributes: { region: 'asia' } });
  expect(await names({ type: 'in', key: 'region', value: ['asia'] })).toEqual(['eu-2024.txt']);
});

test('a store refuses a field that it can not honour', async ({ service }) => {
  const { vectorStores } = connect(service);
  const store = await vectorStores.create({});
  const post = async (path: string, body: object) => {
    const answer = await service.request(`/v1/vector_stores${path}`, { method: 'POST', body: JSON.stringify(body) });
    return { status: answer.status, ...((await answer.json()) as { error: { param: string; message: string } }).error };
  };
  const nested = { type: 'and', filters: [{ type: 'and', filters: [{ type: 'and', filters: [{ type: 'and' }] }] }] };
  const many = Array.from({ length: 33 }, () => ({ type: 'eq', key: 'a', value: 1 }));
  const pairs = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v']));
  const chunks = { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 0 } };
  const refusals: [path: string, body: object, param: string][] = [
    ['', { chunking_strategy: chunks }, 'chunking_strategy.type'],
    ['', { metadata: pairs }, 'metadata'],
    ['', { expires_after: { anchor: 'created_at', days: 1 } }, 'expires_after.anchor'],
    ['/search', { query: '' }, 'query'],
    ['/search', { query: [] }, 'query'],
    ['/search', { query: 'a', max_num_results: 51 }, 'max_num_results'],
    ['/search', { query: 'a', filters: nested }, 'filters'],
    ['/search', { query: 'a', filters: { type: 'or', filters: many } }, 'filters'],
    ['/search', { query: 'a', filters: { type: 'in', key: 'a', value: 'b' } }, 'filters'],
    ['/search', { query: 'a', rewrite_query: true }, 'rewrite_query'],
    ['/search', { query: 'a', ranking_options: { score_threshold: 2 } }, 'ranking_options.score_threshold'],
    ['/search', { query: 'a', ranking_options: { ranker: 'mine' } }, 'ranking_options.ranker'],
    [
      '/search',
      { query: 'a', ranking_options: { hybrid_search: { embedding_weight: 1, text_weight: 0 } } },
      'ranking_options.hybrid_search',
    ],
    ['/files', { file_id: 'lease.pdf' }, 'file_id'],
    ['/file_batches', {}, 'file_ids'],
  ];
  for (const [path, body, param] of refusals)
    expect(await post(path && `/${store.id}${path}`, body)).toMatchObject({ status: 400, param });
  expect((await post(`/${store.id}/files`, { file_id: `file-${'0'.repeat(32)}` })).status).toBe(404);
});

test('stores are listed in pages, renamed, and deleted when they expire', async ({ service, home }) => {
  const { vectorStores } = connect(service);
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push((await vectorStores.create({ name })).id);
  const listed = [];
  for await (const { id } of vectorStores.list({ limit: 1, order: 'asc' })) if (ids.includes(id)) listed.push(id);
  expect(listed).toEqual(ids);
  const [first = '', , last = ''] = ids;
  expect((await vectorStores.list({ before: last, after: first, order: 'asc' })).data).toMatchObject([{ id: ids[1] }]);

  const expiry = { anchor: 'last_active_at', days: 1 } as const;
  const renamed = await vectorStores.update(first, { name: 'brief', expires_after: expiry });
  expect(renamed).toMatchObject({ name: 'brief', expires_after: expiry, metadata: {} });
  expect(renamed.expires_at).toBe((renamed.last_active_at ?? 0) + 86_400);
  expect((await vectorStores.update(last, { metadata: { a: 'b' } })).name).toBe('c');
  await home.query(`update vector_stores set last_active_at = now() - interval '25 hours' where name = 'brief'`);
  await expect(vectorStores.retrieve(first)).rejects.toMatchObject({ status: 404 });
  await waitFor(
    'the sweep',
    async () => (await home.query(`select from vector_stores where name = 'brief'`)).length === 0,
  );
});

test('users see only their stores, files and batches', async ({ service }) => {
  const mine = connect(service);
  const upload = await mine.files.create({ file: await note('secret', 'secret.txt'), purpose: 'assistants' });
  const { id } = await mine.vectorStores.create({ name: 'mine' });
  const batch = await mine.vectorStores.fileBatches.create(id, { file_ids: [upload.id] });
  const other = connect(service, (await addUser(service, 'ann')).token);
  const theirs = other.vectorStores;
  const own = await theirs.create({ name: 'theirs' });
  const missing = { status: 404 };
  await expect(theirs.create({ file_ids: [upload.id] })).rejects.toMatchObject(missing);
  await expect(theirs.search(id, { query: 'secret' })).rejects.toMatchObject(missing);
  for (const vector_store_id of [id, own.id]) {
    await expect(theirs.files.create(vector_store_id, { file_id: upload.id })).rejects.toMatchObject(missing);
    await expect(theirs.files.retrieve(upload.id, { vector_store_id })).rejects.toMatchObject(missing);
    await expect(theirs.files.content(upload.id, { vector_store_id })).rejects.toMatchObject(missing);
    await expect(theirs.files.delete(upload.id, { vector_store_id })).rejects.toMatchObject(missing);
    await expect(theirs.fileBatches.retrieve(batch.id, { vector_store_id })).rejects.toMatchObject(missing);
    await expect(theirs.fileBatches.cancel(batch.id, { vector_store_id })).rejects.toMatchObject(missing);
  }
  expect((await theirs.list()).data.map(({ name }) => name)).toEqual(['theirs']);
  const tools = [{ type: 'file_search' as const, vector_store_ids: [own.id, id] }];
  await expect(other.responses.create({ model: 'm', input: 'say hi', tools })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_tool',
  });
});

test('file_search finds passages of its stores alone, and its call is in the output', async ({ service, model }) => {
  const { vectorStores, responses } = connect(service);
  const store = await vectorStores.create({ name: 'contracts' });
  const elsewhere = await vectorStores.create({ name: 'others' });
  const { id: file } = await vectorStores.files.uploadAndPoll(store.id, await lease(), POLL);
  await vectorStores.files.uploadAndPoll(elsewhere.id, await note('The deposit is a secret.', 'other.txt'), POLL);
  const tool = { type: 'file_search' as const, vector_store_ids: [store.id] };
  const asked = { model: 'm', input: search('deposit', 'keys'), tools: [tool] };

  const plain = await responses.create(asked);
  expect(plain.output.map(({ type }) => type)).toEqual(['file_search_call', 'message']);
  expect(plain.output[0]).toMatchObject({ status: 'completed', queries: ['deposit', 'keys'], results: null });
  expect(plain.tools).toEqual([
    { ...tool, max_num_results: 10, filters: null, ranking_options: { ranker: 'auto', score_threshold: 0 } },
  ]);
  expect(model.seen.at(-1)?.tools).toContain('reborn_store_search');

  const full = await responses.create({ ...asked, include: ['file_search_call.results'] });
  expect(full.output[0]).toMatchObject({
    results: [{ file_id: file, filename: 'lease.pdf', attributes: { page: 2 }, text: expect.stringContaining('2700') }],
  });
  expect(JSON.stringify(full.output)).not.toContain('secret');
  const stored = await (await service.request(`/v1/responses/${full.id}`)).json();
  expect(responseObject.parse(stored).output).toEqual(full.output);
  const filters = { type: 'eq' as const, key: 'final', value: true };
  const none = await responses.create({
    ...asked,
    tools: [{ ...tool, filters }],
    include: ['file_search_call.results'],
  });
  expect(none.output[0]).toMatchObject({ status: 'completed', results: [] });

  const history = [...full.output, { role: 'user' as const, content: 'say yes' }] as OpenAI.Responses.ResponseInput;
  expect((await responses.create({ ...asked, input: history })).output_text).toBe('yes');
  await responses.create({ model: 'm', input: 'say no tools' });
  expect(model.seen.at(-1)?.tools).not.toContain('reborn_store_search');
  const unnamed = await responses.create({ model: 'm', input: search('deposit') });
  expect(unnamed.output_text).toContain('This request names no documents');
});

test('the events of a file search come in the order of the reference format, and again', async ({ service }) => {
  const { vectorStores, responses } = connect(service);
  const store = await vectorStores.create({});
  await vectorStores.files.uploadAndPoll(store.id, await lease(), POLL);
  const tools = [{ type: 'file_search' as const, vector_store_ids: [store.id] }];
  const include = ['file_search_call.results' as const];
  const stream = responses.stream({ model: 'm', input: search('deposit'), tools, include });
  const events = [];
  for await (const event of stream) events.push(event);
  const call = events.filter((event) => 'output_index' in event && event.output_index === 0);
  expect(call.map(({ type }) => type)).toEqual([
    'response.output_item.added',
    'response.file_search_call.in_progress',
    'response.file_search_call.searching',
    'response.file_search_call.completed',
    'response.output_item.done',
  ]);
  const { id, output } = await stream.finalResponse();
  expect(call.at(-1)).toMatchObject({ item: output[0] });
  const again = await (await service.request(`/v1/responses/${id}?stream=true`)).text();
  const replayed = again
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => streamEvent.parse(JSON.parse(line.slice(6))).type);
  expect(replayed).toEqual(events.map(({ type }) => type));
});

test('a result of a store is text by others, and a page that the answer cites is checked', async ({ service }) => {
  const { vectorStores, responses } = connect(service);
  const store = await vectorStores.create({});
  await vectorStores.files.uploadAndPoll(store.id, await lease(), POLL);
  const tools = [{ type: 'file_search' as const, vector_store_ids: [store.id] }];
  const conversation = await connect(service).conversations.create();
  const read = await responses.create({ model: 'm', input: search('deposit'), tools, conversation: conversation.id });
  const said = 'say It is "2700 euros, paid before the keys" [lease.pdf, p. 2], not [lease.pdf, p. 9].';
  await responses.create({ model: 'm', input: said, tools, conversation: conversation.id });
  const thread = conversation.id.replace('conv_', '').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const { items } = (await (await service.request(`/api/threads/${thread}/items`)).json()) as {
    items: { type: string; reads?: object; citations?: { files: object[] } }[];
  };
  expect(read.output[0]).toMatchObject({ type: 'file_search_call', status: 'completed' });
  expect(items.find(({ type }) => type === 'function_call_output')).toMatchObject({
    reads: { foreign: true, private: true },
  });
  expect(items.at(-1)?.citations?.files).toMatchObject([{ check: 'quoted' }, { check: 'unknown' }]);
});

test('a file search that can not be made is refused with its field', async ({ service }) => {
  const { vectorStores, responses } = connect(service);
  const store = await vectorStores.create({});
  const refusals: [more: object, param: string][] = [
    [{ vector_store_ids: [] }, 'tools[0].vector_store_ids'],
    [{ vector_store_ids: ['vs_1'] }, 'tools[0].vector_store_ids[0]'],
    [{ vector_store_ids: [`vs_${'0'.repeat(32)}`] }, 'tools'],
    [{ max_num_results: 0 }, 'tools[0].max_num_results'],
    [{ filters: { type: 'like', key: 'a', value: 'b' } }, 'tools[0].filters'],
    [{ ranking_options: { hybrid_search: {} } }, 'tools[0].ranking_options.hybrid_search'],
  ];
  for (const [more, param] of refusals) {
    const tools = [{ type: 'file_search', vector_store_ids: [store.id], ...more } as OpenAI.Responses.Tool];
    const refused = { status: 400, code: 'invalid_tool', param };
    await expect(responses.create({ model: 'm', input: 'say no', tools })).rejects.toMatchObject(refused);
  }
  const tool = { type: 'file_search' as const, vector_store_ids: [store.id] };
  await expect(responses.create({ model: 'm', input: 'say no', tools: [tool, tool] })).rejects.toMatchObject({
    param: 'tools[1]',
  });
});
