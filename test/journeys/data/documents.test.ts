import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';
import OpenAI from 'openai';
import { expect } from 'vitest';
import { fileList } from '#channels/gateway/files/file-shape.ts';
import { pictureTypeOf } from '#domain/text/media-type.ts';
import { makeDocx, makePdf, makeScan } from '../../support/document-files.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey();

/** Sends a message, and resolves to the thread and the answer, which repeats what the last tool returned. */
async function chat(service: Service, message: string, thread?: string, files: Record<string, Buffer> = {}) {
  const attachments = Object.entries(files).map(([name, bytes]) => ({
    name,
    media_type: 'application/octet-stream',
    data: bytes.toString('base64'),
  }));
  const sent = await service.request('/api/chat', {
    method: 'POST',
    body: JSON.stringify({ message, ...(thread && { thread_id: thread }), attachments }),
  });
  const { thread_id: id, message: text } = (await sent.json()) as { thread_id: string; message: string };
  return { id, text };
}

const use = (tool: string, given: object) => `use reborn_${tool} ${JSON.stringify(given)}`;

async function settled(service: Service, id: string, path: string) {
  let found: { state: string; reason: string | null } | undefined;
  await waitFor(
    `the text of ${path}`,
    async () => {
      const { files } = fileList.parse(await (await service.request(`/api/threads/${id}/files`)).json());
      found = files.find((file) => file.path === path)?.document ?? undefined;
      return found !== undefined && found.state !== 'waiting';
    },
    30_000,
  );
  return found;
}

const LEASE = makePdf([
  ['The lease of Harbour Street 12.', 'It begins on 1 May 2026.'],
  ['The deposit is 2700 euros, to be paid before the keys are handed over.'],
  ['Notice must be given three months before the end.'],
]);

test('a PDF that came with a message is found by its words, and read by page', async ({ service }) => {
  const { id } = await chat(service, 'say thanks', undefined, { 'lease.pdf': LEASE });
  expect(await settled(service, id, 'lease.pdf')).toMatchObject({ state: 'ready', reason: null });

  const found = await chat(service, use('document_search', { query: 'how much is the deposit?' }), id);
  expect(found.text).toContain('## lease.pdf, p. 2\nThe deposit is 2700 euros');
  expect(found.text).toContain('read them whole');
  const nothing = await chat(service, use('document_search', { query: 'zebra' }), id);
  expect(nothing.text).toContain('It may be in the documents all the same');
  const page = await chat(service, use('document_read', { file: 'lease.pdf', pages: '3' }), id);
  expect(page.text).toContain('## lease.pdf, p. 3\nNotice must be given three months');
  expect(page.text).not.toContain('deposit');
  const whole = await chat(service, use('file_read', { path: 'lease.pdf' }), id);
  expect(whole.text).toMatch(/p\. 1\nThe lease of Harbour[^]*p\. 3\nNotice/);
  expect((await chat(service, use('document_read', { file: 'lease.pdf', pages: '9' }), id)).text).toContain(
    'lease.pdf has the pages 1 to 3.',
  );
});

test('a file that can’t be read says why, and other files are found', async ({ service }) => {
  const { id } = await chat(service, 'say thanks', undefined, {
    'broken.docx': Buffer.from('PK not a zip'),
    'plan.docx': makeDocx([{ heading: 'Garden' }, { text: 'Plant three apple trees.' }]),
  });
  expect(await settled(service, id, 'broken.docx')).toMatchObject({ state: 'failed', reason: /not a complete file/ });
  expect(await settled(service, id, 'plan.docx')).toMatchObject({ state: 'ready' });

  const { text } = await chat(service, use('document_search', { query: 'apple tree' }), id);
  expect(text).toContain('plan.docx, p. 1 (Garden), Garden\n');
  expect(text).toContain("broken.docx: its text can't be read. It is not a complete file");
  expect((await chat(service, use('file_list', {}), id)).text).toContain(
    "broken.docx (12 bytes, version 1): its text can't be read",
  );
});

test('documents of another thread or another person are not found', async ({ service }) => {
  const mine = await chat(service, 'say thanks', undefined, { 'lease.pdf': LEASE });
  await settled(service, mine.id, 'lease.pdf');
  const other = await chat(service, 'say thanks', undefined, { 'a.txt': Buffer.from('Something else.') });
  await settled(service, other.id, 'a.txt');

  expect((await chat(service, use('document_search', { query: 'deposit' }), other.id)).text).toContain(
    'Nothing was found',
  );
});

test('the tools for documents are offered in threads that have some', async ({ service, model }) => {
  const offered = async (files: Record<string, Buffer> = {}) => {
    await chat(service, 'say hello', undefined, files);
    return model.seen.at(-1)?.tools.includes('reborn_document_search');
  };

  expect(await offered()).toBe(false);
  expect(await offered({ 'lease.pdf': LEASE })).toBe(true);
});

test('a model gets the text of a Word file in a message', async ({ service, model }) => {
  await chat(service, 'say hello', undefined, {
    'plan.docx': makeDocx([{ text: 'Plant three apple trees.' }, { text: 'x '.repeat(1000) }]),
  });

  expect(JSON.stringify(model.seen.at(-1))).toContain('Plant three apple trees.');
});

test('an answer cites a page of a document, which the service checks', async ({ service }) => {
  const { id } = await chat(service, 'say thanks', undefined, { 'lease.pdf': LEASE });
  await settled(service, id, 'lease.pdf');
  const said =
    'They wrote “The deposit is 2700 euros” [lease.pdf, p. 2], “the deposit is 2700 euros” [lease.pdf, p. 3]';
  await chat(service, `say ${said}, [lease.pdf, p. 9], [rent.pdf, p. 1] and [a book, p. 3].`, id);
  const page = await service.request(`/api/threads/${id}/items`);
  const { items } = (await page.json()) as { items: { citations?: { files?: object[] } }[] };
  expect(items.at(-1)?.citations).toMatchObject({
    marks: [],
    sources: [],
    files: [
      { file: 'lease.pdf', page: 2, check: 'quoted', quotation: 'The deposit is 2700 euros' },
      { file: 'lease.pdf', page: 3, check: 'missing' },
      { file: 'lease.pdf', page: 9, check: 'unknown' },
      { file: 'rent.pdf', page: 1, check: 'unknown' },
    ],
  });
  const text = await service.request(`/api/threads/${id}/file-pages?path=lease.pdf&page=2`);
  expect(await text.json()).toMatchObject({ page: 2, pages: 3, text: expect.stringContaining('The deposit is 2700') });
  expect((await service.request(`/api/threads/${id}/file-pages?path=lease.pdf&page=9`)).status).toBe(404);
});

test('pages of a scan are shown to the model four at a time, and words from them count as not checked', async ({
  service,
  model,
}) => {
  const page = { pictures: [{ width: 30, points: Buffer.alloc(30 * 40, 128) }] };
  const scan = makeScan([...Array.from({ length: 5 }, () => page), { pictures: [] }]);
  const { id } = await chat(service, 'say thanks', undefined, { 'scan.pdf': scan });
  await settled(service, id, 'scan.pdf');

  const { text } = await chat(service, use('document_read', { file: 'scan.pdf' }), id);
  expect(text).toContain('## scan.pdf, p. 1\nNo text. The picture of this page is attached.');
  expect(text).toContain('Continue with the pages 5-6.');
  expect(text).toContain(
    '6 pages, 6 of them without text, such as scans. reborn_document_read shows them as pictures.',
  );
  const given = model.seen.at(-1)?.messages.at(-1)?.text ?? '';
  expect(given.match(/this model can't look at it/g)).toHaveLength(4);
  const rest = await chat(service, use('file_read', { path: 'scan.pdf', pages: '5-6' }), id);
  expect(rest.text).toContain('## scan.pdf, p. 6\nNo text, and it can’t be shown. It has no picture');
  await chat(service, 'say They wrote “the deposit is 2700 euros” [scan.pdf, p. 2].', id);

  const listed = await service.request(`/api/threads/${id}/items`);
  type Listed = { output?: { type: string; url?: string }[]; citations?: object };
  const { items } = (await listed.json()) as { items: Listed[] };
  const pictures = items.map(({ output = [] }) => output.filter(({ type }) => type === 'image'));
  expect(pictures.filter((each) => each.length > 0).map((each) => each.length)).toEqual([4, 1]);
  const shown = await service.request(pictures.flat()[0]?.url ?? '');
  expect(pictureTypeOf(Buffer.from(await shown.arrayBuffer()))).toBe('image/png');
  expect(items.at(-1)?.citations).toMatchObject({ files: [{ file: 'scan.pdf', page: 2, check: 'unchecked' }] });
});

test('clients of the Responses API find the cited documents in the text, and their bytes', async ({ service }) => {
  const { responses, chat: chats, containers } = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: TOKEN });
  const file_data = `data:application/pdf;base64,${LEASE.toString('base64')}`;
  const file = { type: 'input_file' as const, filename: 'lease.pdf', file_data };
  const words = { type: 'input_text' as const, text: 'say thanks' };
  const first = await responses.create({ model: 'm', input: [{ role: 'user', content: [file, words] }] });
  const hex = first.id.slice('resp_'.length + 32);
  await settled(service, hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'), 'lease.pdf');

  const input = 'say 🔑 “The deposit is 2700 euros” [lease.pdf, p. 2], no pets [lease.pdf, p. 3] or [rent.pdf, p. 1].';
  const stream = responses.stream({ model: 'm', previous_response_id: first.id, input });
  const added: unknown[] = [];
  for await (const event of stream)
    if (event.type === 'response.output_text.annotation.added') added.push(event.annotation);
  const { output, output_text: said } = await stream.finalResponse();
  const [message] = output;
  const part = message?.type === 'message' ? message.content[0] : undefined;
  const annotations = part?.type === 'output_text' ? part.annotations : [];
  expect(annotations).toEqual(added);
  expect(annotations.map((each) => each.type === 'file_citation' && said.slice(0, each.index))).toEqual([
    expect.stringMatching(/^🔑 “The deposit is 2700 euros” \[lease\.pdf, p\. 2\]$/u),
    expect.stringMatching(/ no pets \[lease\.pdf, p\. 3\]$/),
  ]);
  const [citation] = annotations;
  if (citation?.type !== 'file_citation') throw new Error('The citation is missing.');
  expect(citation.filename).toBe('lease.pdf');
  const content = await containers.files.content.retrieve(citation.file_id, { container_id: `cntr_${hex}` });
  expect(Buffer.from(await content.arrayBuffer()).equals(LEASE)).toBe(true);

  // Other clients read it, too. Chat completions have no annotation for files: the text names the page.
  const provider = createOpenAI({ baseURL: `${service.url}/v1`, apiKey: TOKEN });
  const openai = { previousResponseId: first.id };
  const { sources } = await generateText({ model: provider('m'), prompt: input, providerOptions: { openai } });
  expect(sources).toMatchObject([
    { sourceType: 'document', filename: 'lease.pdf' },
    { sourceType: 'document', filename: 'lease.pdf' },
  ]);
  const { choices } = await chats.completions.create({ model: 'm', messages: [{ role: 'user', content: input }] });
  expect(choices[0]?.message).toMatchObject({ content: expect.stringContaining('[lease.pdf, p. 2], no pets') });
  expect(choices[0]?.message).not.toHaveProperty('annotations');
});
