import { expect, test } from 'vitest';
import { type LoadedPart, text } from '#domain/thread/item.ts';
import type { Prompt } from '../model.ts';
import { createModel } from './create-model.ts';
import { serveWire, wires } from './recorded-wire.test-support.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pdf = Buffer.from('%PDF-1.4 tiny').toString('base64');
const image: LoadedPart = { type: 'image', mediaType: 'image/png', base64: png };
const prompt: Prompt = {
  system: 'Be kind.',
  messages: [
    { role: 'system', content: [text('Be brief.')] },
    {
      role: 'user',
      content: [
        text('Look at these.'),
        text(' '),
        image,
        { type: 'file', mediaType: 'application/pdf', base64: pdf, filename: 'plan.pdf' },
        { type: 'file', mediaType: 'text/csv', base64: Buffer.from('a,b').toString('base64'), filename: 'data.csv' },
      ],
    },
    {
      role: 'assistant',
      text: 'I will look.',
      calls: [
        { callId: 'call_1', name: 'lookup', arguments: '{"id": 12345678901234567890}' },
        { callId: 'call_2', name: 'lookup', arguments: '{"id": 1' },
      ],
    },
    { role: 'tool', callId: 'call_1', name: 'lookup', output: [text('It is'), text('fine.'), image] },
    { role: 'tool', callId: 'call_2', name: 'lookup', output: [text('{"error":"ill-formed"}')] },
    { role: 'system', content: [text('Whisper from now on.')] },
    { role: 'assistant', text: '', calls: [] },
    { role: 'user', content: [text('And now?')] },
  ],
  tools: [
    {
      name: 'lookup',
      description: 'Looks it up.',
      parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      strict: null,
    },
    { name: 'ping', description: null, parameters: null, strict: null },
  ],
  temperature: 0.2,
};

const pngUrl = `data:image/png;base64,${png}`;
const pdfUrl = `data:application/pdf;base64,${pdf}`;
const csv = '<untrusted-data source="data.csv">a,b</untrusted-data>';
const whisper = '<system-message>\nWhisper from now on.\n</system-message>';
const malformed = { malformed_arguments: '{"id": 1' };
const lookupParameters = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
const noParameters = { type: 'object', properties: {} };

test('openai gets a Responses request that is not stored', async () => {
  const { path, headers, body } = await sent('openai', 'gpt-4o');

  expect(path).toBe('/base/responses');
  expect(headers.authorization).toBe('Bearer the-key');
  expect(body).toMatchObject({ model: 'gpt-4o', stream: true, store: false, temperature: 0.2 });
  expect(body).toHaveProperty('input', [
    { role: 'system', content: 'Be kind.\n\nBe brief.' },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look at these.' },
        { type: 'input_image', image_url: pngUrl },
        { type: 'input_file', filename: 'plan.pdf', file_data: pdfUrl },
        { type: 'input_text', text: csv },
      ],
    },
    { role: 'assistant', content: 'I will look.' },
    { type: 'function_call', call_id: 'call_1', name: 'lookup', arguments: '{"id": 12345678901234567890}' },
    { type: 'function_call', call_id: 'call_2', name: 'lookup', arguments: JSON.stringify(malformed) },
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: [
        { type: 'input_text', text: 'It is\nfine.' },
        { type: 'input_image', image_url: pngUrl },
      ],
    },
    { type: 'function_call_output', call_id: 'call_2', output: '{"error":"ill-formed"}' },
    { role: 'system', content: 'Whisper from now on.' },
    { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
  ]);
  expect(body).toHaveProperty('tools', [
    { type: 'function', name: 'lookup', description: 'Looks it up.', parameters: lookupParameters, strict: false },
    { type: 'function', name: 'ping', parameters: noParameters, strict: false },
  ]);
});

test('anthropic gets a Messages request, with a late system message as a user message', async () => {
  const { path, headers, body } = await sent('anthropic', 'claude-sonnet-4-5');

  expect(path).toBe('/base/messages');
  expect(headers).toMatchObject({ 'x-api-key': 'the-key', 'anthropic-version': '2023-06-01' });
  expect(body).toMatchObject({
    model: 'claude-sonnet-4-5',
    stream: true,
    temperature: 0.2,
    system: [{ type: 'text', text: 'Be kind.\n\nBe brief.' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look at these.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf }, title: 'plan.pdf' },
          { type: 'text', text: csv },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I will look.' },
          { type: 'tool_use', id: 'call_1', name: 'lookup', input: { id: expect.any(Number) } },
          { type: 'tool_use', id: 'call_2', name: 'lookup', input: malformed },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1',
            content: [
              { type: 'text', text: 'It is\nfine.' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'call_2', content: '{"error":"ill-formed"}' },
          { type: 'text', text: whisper },
          { type: 'text', text: 'And now?' },
        ],
      },
    ],
  });
  expect(body).toHaveProperty('tools', [
    { name: 'lookup', description: 'Looks it up.', input_schema: lookupParameters },
    { name: 'ping', input_schema: noParameters },
  ]);
});

test('anthropic may cache the tools and instructions, and the conversation so far', async () => {
  const { body } = await sent('anthropic', 'claude-sonnet-4-5');
  const again = prompt.messages.slice(0, 5); // the prompt while its tools run
  const { body: midway } = await sent('anthropic', 'claude-sonnet-4-5', { ...prompt, messages: again });
  const cached = { cache_control: { type: 'ephemeral' } };

  expect(body).toMatchObject({ system: [cached] });
  expect(body).toHaveProperty('messages[2].content[3]', { type: 'text', text: 'And now?', ...cached });
  expect(midway).toHaveProperty('messages[2].content[1]', expect.objectContaining({ type: 'tool_result', ...cached }));
  expect(JSON.stringify(body).split('cache_control')).toHaveLength(3);
});

test('google gets a streamGenerateContent request, with one response for each call', async () => {
  const { path, headers, body } = await sent('google', 'gemini-2.5-flash');

  expect(path).toBe('/base/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
  expect(headers['x-goog-api-key']).toBe('the-key');
  expect(body).toMatchObject({
    generationConfig: { temperature: 0.2 },
    systemInstruction: { parts: [{ text: 'Be kind.\n\nBe brief.' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'Look at these.' },
          { inlineData: { mimeType: 'image/png', data: png } },
          { inlineData: { mimeType: 'application/pdf', data: pdf } },
          { text: csv },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'I will look.' },
          { functionCall: { id: 'call_1', name: 'lookup', args: { id: expect.any(Number) } } },
          { functionCall: { id: 'call_2', name: 'lookup', args: malformed } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'call_1', name: 'lookup', response: { content: 'It is\nfine.' } } },
          { inlineData: { mimeType: 'image/png', data: png } },
          { text: expect.stringContaining('image') },
          { functionResponse: { id: 'call_2', name: 'lookup', response: { content: '{"error":"ill-formed"}' } } },
        ],
      },
      { role: 'user', parts: [{ text: whisper }] },
      { role: 'user', parts: [{ text: 'And now?' }] },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'lookup', description: 'Looks it up.', parametersJsonSchema: lookupParameters },
          { name: 'ping', parametersJsonSchema: noParameters },
        ],
      },
    ],
  });
});

test('openai-compatible gets chat completions that report usage, with only text as tool outputs', async () => {
  const { path, headers, body } = await sent('openai-compatible', 'm');

  expect(path).toBe('/base/chat/completions');
  expect(headers.authorization).toBe('Bearer the-key');
  expect(body).toMatchObject({ model: 'm', stream: true, stream_options: { include_usage: true }, temperature: 0.2 });
  expect(body).toHaveProperty('messages', [
    { role: 'system', content: 'Be kind.\n\nBe brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look at these.' },
        { type: 'image_url', image_url: { url: pngUrl } },
        { type: 'file', file: { filename: 'plan.pdf', file_data: pdfUrl } },
        { type: 'text', text: csv },
      ],
    },
    {
      role: 'assistant',
      content: 'I will look.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'lookup', arguments: '{"id": 12345678901234567890}' } },
        { id: 'call_2', type: 'function', function: { name: 'lookup', arguments: JSON.stringify(malformed) } },
      ],
    },
    {
      role: 'tool',
      tool_call_id: 'call_1',
      content: "It is\nfine.\n[image/png: this model can't look at it]",
    },
    { role: 'tool', tool_call_id: 'call_2', content: '{"error":"ill-formed"}' },
    { role: 'user', content: whisper },
    { role: 'user', content: 'And now?' },
  ]);
  expect(body).toHaveProperty('tools', [
    { type: 'function', function: { name: 'lookup', description: 'Looks it up.', parameters: lookupParameters } },
    { type: 'function', function: { name: 'ping', parameters: noParameters } },
  ]);
});

test('a picture that a tool has read follows the results, if the compatible server says that its model sees pictures', async () => {
  const read = { ...image, forModel: true } as const;
  const messages = prompt.messages.map((message) =>
    message.role === 'tool' && message.callId === 'call_1'
      ? { ...message, output: [text('chart.png'), read] }
      : message,
  );
  const { body } = await sent('openai-compatible', 'm', { ...prompt, messages }, ['image']);
  expect(body).toMatchObject({
    messages: [
      {},
      {},
      {},
      { role: 'tool', tool_call_id: 'call_1', content: 'chart.png\n[picture below]' },
      { role: 'tool', tool_call_id: 'call_2' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[pictures of the outputs above]' },
          { type: 'image_url', image_url: { url: pngUrl } },
        ],
      },
      { role: 'user', content: whisper },
      {},
    ],
  });
  const unseen = await sent('openai-compatible', 'm', { ...prompt, messages });
  expect(unseen.body).toHaveProperty('messages[3].content', "chart.png\n[image/png: this model can't look at it]");
  const blind = await sent('openai', 'o3-mini', { ...prompt, messages });
  expect(JSON.stringify(blind.body)).toContain("chart.png\\n[image/png: this model can't look at it]");
});

test('a prompt without tools and temperature sends neither', async () => {
  const { body } = await sent('openai-compatible', 'm', { ...prompt, tools: [], temperature: null });

  expect(body).not.toHaveProperty('tools');
  expect(body).not.toHaveProperty('temperature');
});

test('a prompt with only system messages is sent as a user message', async () => {
  const messages: Prompt['messages'] = [{ role: 'system', content: [text('Introduce yourself.')] }];
  const { body } = await sent('google', 'gemini-2.5-flash', { ...prompt, messages });

  const introduce = '<system-message>\nIntroduce yourself.\n</system-message>';
  expect(body).toHaveProperty('contents', [{ role: 'user', parts: [{ text: introduce }] }]);
});

test('an output that is only an image still answers its call', async () => {
  const messages = prompt.messages.map((message) =>
    message.role === 'tool' ? { ...message, output: [image] } : message,
  );
  const { body } = await sent('google', 'gemini-2.5-flash', { ...prompt, messages });

  expect(body).toHaveProperty('contents[2].parts[0].functionResponse.response.content', 'The output is attached.');
});

test.each(['http://127.0.0.1:1/secret', 'file-abc123'])('data that looks like a URL stays data: %s', async (data) => {
  const content: LoadedPart[] = [{ type: 'image', mediaType: 'image/png', base64: data }];
  const { body } = await sent('openai', 'gpt-4o', { ...prompt, messages: [{ role: 'user', content }] });

  expect(body).toHaveProperty('input[1].content[0].image_url', expect.stringMatching(/^data:image\/png;base64,/));
});

test.each([
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d]],
  ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0]],
  ['image/gif', [...Buffer.from('GIF89a')]],
  ['image/webp', [...Buffer.from('RIFF\n\0\0\0WEBPVP8 ')]],
  ['image/bmp', [0x42, 0x4d, 1, 2, 3]], // not recognised by its bytes, so the given type is used
])('an image is sent with the type of its bytes, not the given one: %s', async (mediaType, bytes) => {
  const picture: LoadedPart = { type: 'image', mediaType: 'image/bmp', base64: Buffer.from(bytes).toString('base64') };
  const { body } = await sent('google', 'm', { ...prompt, messages: [{ role: 'user', content: [picture] }] });

  expect(body).toHaveProperty('contents[0].parts[0].inlineData.mimeType', mediaType);
});

test.each(Object.values(wires))(
  'a file that $provider does not accept is replaced by its name',
  async ({ provider }) => {
    const zip: LoadedPart = { type: 'file', mediaType: 'application/zip', base64: 'UEsDBAo=', filename: 'all.zip' };
    const svg: LoadedPart = { type: 'image', mediaType: 'image/svg+xml', base64: btoa('<svg></svg>'), origin: 'own' };
    const { body } = await sent(provider, 'm', { ...prompt, messages: [{ role: 'user', content: [zip, svg] }] });

    expect(JSON.stringify(body)).toContain("[all.zip, application/zip: this model can't look at it]");
    expect(JSON.stringify(body)).toContain('[image/svg+xml]\\n<svg></svg>');
  },
);

async function sent(provider: keyof typeof wires, name: string, asked = prompt, reads?: readonly ('image' | 'pdf')[]) {
  await using server = await serveWire({ body: wires[provider].says(['Fine.']) });
  const model = createModel({ provider, name, baseUrl: server.baseUrl, apiKey: 'the-key', reads });
  await model.ask(asked, () => {}, new AbortController().signal);
  const [request] = server.requests;
  if (!request) throw new Error('nothing was sent');
  return request;
}
