import OpenAI, { AuthenticationError, BadRequestError, NotFoundError, RateLimitError, toFile } from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type {
  FunctionTool,
  Response,
  ResponseFunctionToolCall,
  ResponseIncludable,
  ResponseInput,
  ResponseInputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { expect } from 'vitest';
import { z } from 'zod';
import { waitFor } from '../support/wait-for.ts';
import { openaiChat } from './chat/openai.ts';
import { type Client, countLeft, FOUR_TOOLS, isKept, NO_CALL, OSLO, SAY_OSLO, type Target, THINK } from './features.ts';
import { CITE_FILE, newStore, SEARCH_FILES } from './new-store.ts';

const connect = (target: Target) => new OpenAI({ ...target, maxRetries: 0 });

const model = 'any-name';

const Weather = z.object({ city: z.string(), degrees: z.number() });

const lookup: FunctionTool = {
  type: 'function',
  name: 'lookup',
  description: 'The weather in a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
};

export const openai: Client = {
  packages: ['openai'],
  features: {
    ...openaiChat,

    'answers a message': async ({ service }) => {
      const response = await connect(service).responses.create({ model, input: 'say hello there' });

      expect(response).toMatchObject({ object: 'response', status: 'completed', model, error: null });
      expect(response.output_text).toBe('hello there');
      expect(response.usage).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 });
    },

    'answers under the alias `/v1`': async ({ alias }) => {
      const response = await connect(alias).responses.create({ model, input: 'say the same' });

      expect(response.output_text).toBe('the same');
    },

    'streams an answer': async ({ service }) => {
      const stream = connect(service).responses.stream({ model, input: 'say one two three' });
      const deltas: string[] = [];
      stream.on('response.output_text.delta', (event) => deltas.push(event.delta));

      const response = await stream.finalResponse();

      expect(response).toMatchObject({ status: 'completed', output_text: 'one two three' });
      expect(deltas).toEqual(['one ', 'two ', 'three']);
    },

    'continues from `previous_response_id`': async ({ service }) => {
      const { responses } = connect(service);
      const first = await responses.create({ model, input: 'say a pear' });
      const second = await responses.create({ model, input: 'recite', previous_response_id: first.id });

      expect(second.previous_response_id).toBe(first.id);
      expect(second.output_text).toContain('a pear');
    },

    'runs tools by `previous_response_id`': async ({ service }) => {
      const { responses } = connect(service);
      const input = 'use lookup {"city":"Oslo"}\nuse lookup {"city":"Rome"}';
      let response = await responses.create({ model, input, tools: [lookup] });
      for (const city of ['Oslo', 'Rome']) {
        const call = onlyCall(response);
        expect(call).toMatchObject({ name: 'lookup', arguments: `{"city":"${city}"}` });
        response = await responses.create({
          model,
          previous_response_id: response.id,
          input: [{ type: 'function_call_output', call_id: call.call_id, output: `snow in ${city}` }],
          tools: [lookup],
        });
      }

      expect(response.output_text).toBe('result: snow in Rome');
    },

    'runs tools and replays the history': async ({ service }) => {
      const { responses } = connect(service);
      const question = { role: 'user', content: 'use lookup {"city":"Oslo"}' } as const;
      const asked = await responses.create({ model, input: [question], tools: [lookup] });
      const output = { type: 'function_call_output', call_id: onlyCall(asked).call_id, output: 'snow' } as const;

      const answered = await responses.create({ model, input: [question, onlyCall(asked), output], tools: [lookup] });

      expect(answered.output_text).toBe('result: snow');
    },

    'runs tools while streaming': async ({ service }) => {
      const { responses } = connect(service);
      const input = 'say let me look\nuse lookup {"city":"Oslo"}';
      const asked = await responses.stream({ model, input, tools: [lookup] }).finalResponse();
      expect(asked.output_text).toBe('let me look');
      const [, call] = asked.output;
      expect(call).toMatchObject({ type: 'function_call', parsed_arguments: { city: 'Oslo' } });

      const answered = await responses
        .stream({
          model,
          previous_response_id: asked.id,
          input: [
            { type: 'function_call_output', call_id: (call as ResponseFunctionToolCall).call_id, output: 'snow' },
          ],
          tools: [lookup],
        })
        .finalResponse();

      expect(answered.output_text).toBe('result: snow');
    },

    'replays four tool results in one thread': async ({ service }) => {
      const { responses } = connect(service);
      const before = await countLeft(service);
      const input: ResponseInput = [{ role: 'user', content: FOUR_TOOLS }];
      let response = await responses.create({ model, input, tools: [lookup] });
      for (let step = 0; step < 4; step++) {
        const call = onlyCall(response);
        const output = `snow for ${call.arguments}`;
        input.push(call, { type: 'function_call_output', call_id: call.call_id, output });
        response = await responses.create({ model, input, tools: [lookup] });
      }

      expect(response.output_text).toBe('result: snow for {"city":"Kyiv"}');
      expect(await countLeft(service)).toEqual({ threads: before.threads + 1, gates: before.gates });
    },

    'hands a thread to another agent': NO_CALL,

    'returns structured output': async ({ service }) => {
      const format = zodTextFormat(Weather, 'weather');
      const response = await connect(service).responses.parse({ model, input: SAY_OSLO, text: { format } });

      expect(response.output_parsed).toEqual(OSLO);
      expect(response.text?.format).toMatchObject({ type: 'json_schema', name: 'weather', strict: true });
      const refused = await connect(service).responses.parse({ model, input: 'say no JSON', text: { format } });
      expect(refused).toMatchObject({ status: 'failed', output_parsed: null, error: { code: 'invalid_output' } });
    },

    'streams structured output': async ({ service }) => {
      const format = zodTextFormat(Weather, 'weather');
      const stream = connect(service).responses.stream({ model, input: SAY_OSLO, text: { format } });

      expect((await stream.finalResponse()).output_parsed).toEqual(OSLO);
    },

    'shows a summary of the reasoning': async ({ service }) => {
      const { responses } = connect(service);
      const thinking = { model, input: THINK, reasoning: { summary: 'auto' } } as const;
      const response = await responses.create(thinking);

      expect(response.output).toMatchObject([
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'it snows there' }] },
        { type: 'message' },
      ]);
      expect((await responses.stream(thinking).finalResponse()).output).toMatchObject([
        { type: 'reasoning', summary: [{ text: 'it snows there' }] },
        { type: 'message', content: [{ text: 'take a coat' }] },
      ]);
      const replayed = [...response.output, { role: 'user', content: 'say yes' }] as ResponseInput;
      expect((await responses.create({ model, input: replayed })).output_text).toBe('yes');
      expect((await responses.create({ model, input: THINK })).output).toHaveLength(1);
    },

    'runs tools with `store: false`': async ({ service }) => {
      const { responses } = connect(service);
      const question = { role: 'user', content: 'use lookup {"city":"Oslo"}' } as const;
      const more = { model, tools: [lookup], store: false };
      const asked = await responses.create({ ...more, input: [question] });
      const output = { type: 'function_call_output', call_id: onlyCall(asked).call_id, output: 'snow' } as const;

      const answered = await responses.create({ ...more, input: [question, onlyCall(asked), output] });

      expect(answered.output_text).toBe('result: snow');
      for (const { id } of [asked, answered]) expect(await isKept(service, id)).toBe(false);
    },

    'runs tools over a WebSocket': async ({ service, alias }) => {
      for (const [target, store] of [
        [service, true],
        [alias, false],
      ] as const) {
        const socket = new ResponsesWS(connect(target));
        const ask = async (body: { input: string | ResponseInput; previous_response_id?: string }) => {
          const done = socket.emitted('response.completed');
          socket.send({ type: 'response.create', model, tools: [lookup], store, ...body });
          return (await done).response;
        };
        let response = await ask({ input: 'use lookup {"city":"Oslo"}\nuse lookup {"city":"Rome"}' });
        for (const city of ['Oslo', 'Rome']) {
          const { call_id, arguments: given } = onlyCall(response);
          expect(given).toBe(`{"city":"${city}"}`);
          const output = { type: 'function_call_output', call_id, output: `snow in ${city}` } as const;
          response = await ask({ input: [output], previous_response_id: response.id });
        }
        socket.close();

        expect(response.output).toMatchObject([{ content: [{ text: 'result: snow in Rome' }] }]);
        expect(await isKept(target, response.id)).toBe(store);
      }
    },

    'retrieves a response': async ({ service }) => {
      const { responses } = connect(service);
      const created = await responses.create({ model, input: 'say keep this' });

      const retrieved = await responses.retrieve(created.id);

      expect(retrieved).toMatchObject({ id: created.id, status: 'completed', output: created.output });
      expect(retrieved.output_text).toBe('keep this');
    },

    'deletes a response': async ({ service }) => {
      const { responses } = connect(service);
      const { id } = await responses.create({ model, input: 'say delete this' });

      await responses.delete(id);

      await expect(responses.retrieve(id)).rejects.toThrow(NotFoundError);
      await expect(responses.delete(id)).rejects.toThrow(NotFoundError);
    },

    'cancels a background response': async ({ service }) => {
      const { responses } = connect(service);
      const { id, status } = await responses.create({ model, input: 'count 2000 every 50', background: true });
      expect(status).toBe('queued');
      await waitFor('the response to begin', async () => (await responses.retrieve(id)).status === 'in_progress');

      expect(await responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
      expect(await responses.retrieve(id)).toMatchObject({ id, status: 'cancelled' });
    },

    'resumes a background stream': async ({ service }) => {
      const { responses } = connect(service);
      const input = 'count 12 every 50';
      const all: ResponseStreamEvent[] = [];
      for await (const event of await responses.create({ model, input, background: true, stream: true })) {
        all.push(event);
        if (textOf(all).includes('2 ')) break;
      }
      const id = all[0]?.type === 'response.created' ? all[0].response.id : '';
      const starting_after = all.at(-1)?.sequence_number ?? -1;

      for await (const event of await responses.retrieve(id, { stream: true, starting_after })) all.push(event);

      expect(textOf(all)).toBe('0 1 2 3 4 5 6 7 8 9 10 11 ');
      expect(all.at(-1)?.type).toBe('response.completed');
      const helped = await responses.stream({ response_id: id, starting_after }).finalResponse();
      expect(helped).toMatchObject({ id, output_text: '0 1 2 3 4 5 6 7 8 9 10 11 ' });
    },

    'reports a failed turn': async ({ service }) => {
      expect(await connect(service).responses.create({ model, input: 'break 400' })).toMatchObject(FAILED);
    },

    'reports a failed stream': async ({ service }) => {
      expect(await connect(service).responses.stream({ model, input: 'break 400' }).finalResponse()).toMatchObject(
        FAILED,
      );
    },

    "sees the agent's tool activity, or passes over it": async ({ service }) => {
      const { responses } = connect(service);
      const question = { role: 'user', content: 'say let me see\nuse reborn_time {}' } as const;
      const asked = { model, input: [question], include: ['reborn.tool_activity' as ResponseIncludable] };
      const created = await responses.create(asked);
      const streamed = await responses.stream(asked).finalResponse();

      for (const { output } of [created, streamed, await responses.retrieve(streamed.id)])
        expect(output).toMatchObject([
          { type: 'message' },
          { type: 'mcp_call', server_label: 'reborn', name: 'reborn_time', output: expect.stringContaining('utc') },
          { type: 'message' },
        ]);
      const history = [question, ...(created.output as ResponseInput), { role: 'user', content: 'say more' } as const];
      expect((await responses.create({ model, input: history })).output_text).toBe('more');
    },

    'continues a conversation': async ({ service }) => {
      const { conversations, responses } = connect(service);
      const { id } = await conversations.create();
      const first = await responses.create({ model, input: 'say a pear', conversation: id });
      expect(first.conversation).toEqual({ id });

      const second = await responses.stream({ model, input: 'recite', conversation: { id } }).finalResponse();

      expect(second.output_text).toContain('a pear');
      expect((await responses.retrieve(second.id)).conversation).toEqual({ id });
    },

    'runs tools in a conversation': async ({ service }) => {
      const { conversations, responses } = connect(service);
      const conversation = (await conversations.create()).id;
      const asked = await responses.create({ model, input: 'use lookup {}', tools: [lookup], conversation });
      const { call_id } = onlyCall(asked);

      const answered = await responses.create({
        model,
        input: [{ type: 'function_call_output', call_id, output: 'snow' }],
        conversation,
      });

      expect(answered.output_text).toBe('result: snow');
    },

    'manages conversations and their items': async ({ service }) => {
      const { conversations } = connect(service);
      const metadata = { topic: 'fruit' };
      const { id } = await conversations.create({ metadata, items: [{ role: 'user', content: 'n0' }] });
      expect(await conversations.retrieve(id)).toMatchObject({ id, object: 'conversation', metadata });
      expect(await conversations.update(id, { metadata: {} })).toMatchObject({ id, metadata: {} });
      const texts = Array.from({ length: 60 }, (_, n) => `n${n}`);
      for (let n = 1; n < 60; n += 20) {
        const items = texts.slice(n, n + 20).map((content) => ({ role: 'user' as const, content }));
        expect((await conversations.items.create(id, { items })).data).toHaveLength(items.length);
      }

      const listed = await Array.fromAsync(conversations.items.list(id, { order: 'asc' }));
      const newest = listed.at(-1)?.id ?? '';
      expect(listed).toMatchObject(texts.map((text) => ({ content: [{ type: 'input_text', text }] })));
      expect(await conversations.items.retrieve(newest, { conversation_id: id })).toEqual(listed.at(-1));
      expect(await conversations.items.delete(newest, { conversation_id: id })).toMatchObject({ id });
      expect(await Array.fromAsync(conversations.items.list(id))).toEqual(listed.slice(0, -1).toReversed());
      expect(await conversations.delete(id)).toEqual({ id, object: 'conversation.deleted', deleted: true });
      expect(await errorOf(conversations.retrieve(id))).toBeInstanceOf(NotFoundError);
    },

    'keeps its session in a conversation': NO_CALL,

    'lists input items': async ({ service }) => {
      const { responses } = connect(service);
      const { id } = await responses.create({ model, input: 'say ready' });

      const items = [];
      for await (const item of responses.inputItems.list(id)) items.push(item);

      expect(items).toMatchObject([
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'say ready' }] },
      ]);
    },

    'uploads a file and names it by its id': async ({ service }) => {
      const { files, responses } = connect(service);
      const file = await files.create({
        file: await toFile(Buffer.from('the code is 4711'), 'code.txt'),
        purpose: 'user_data',
      });
      const content = [
        { type: 'input_text' as const, text: 'say it: ' },
        { type: 'input_file' as const, file_id: file.id },
      ];
      const response = await responses.create({ model, input: [{ role: 'user', content }] });

      expect(response.output_text).toContain('the code is 4711');
      expect(await files.delete(file.id)).toMatchObject({ deleted: true });
    },

    'searches files with `file_search`, and reads which one is cited': async ({ service }) => {
      const { responses } = connect(service);
      const asked = {
        model,
        tools: [{ type: 'file_search' as const, vector_store_ids: [await newStore(service)] }],
        include: ['file_search_call.results' as const],
      };
      const searched = await responses.create({ ...asked, input: SEARCH_FILES });
      expect(searched.output[0]).toMatchObject({
        type: 'file_search_call',
        queries: ['deposit'],
        results: [{ filename: 'lease.md', text: expect.stringContaining('2700 euros') }],
      });

      const cited = await responses.create({ ...asked, input: CITE_FILE });
      expect(cited.output).toMatchObject([
        {
          content: [
            { annotations: [{ type: 'file_citation', filename: 'lease.md', index: cited.output_text.length - 1 }] },
          ],
        },
      ]);
    },

    'lists models': async ({ service }) => {
      const models = [];
      for await (const listed of connect(service).models.list()) models.push(listed);

      expect(models).toContainEqual(expect.objectContaining({ object: 'model', id: expect.any(String) }));
    },

    'counts input tokens': async ({ service }) => {
      const { inputTokens } = connect(service).responses;

      const [short, long] = [
        await inputTokens.count({ model, input: 'hello' }),
        await inputTokens.count({ model, input: 'hello '.repeat(1000), tools: [lookup] }),
      ];

      expect(short).toMatchObject({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
      expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 1000);
    },

    'compacts a conversation': async ({ service }) => {
      const { responses } = connect(service);
      const question = { role: 'user', content: 'say hello\nfact: the boat is red' } as const;
      const first = await responses.create({ model, input: [question] });

      const compacted = await responses.compact({ model, input: [question, ...(first.output as ResponseInputItem[])] });
      const input = [...compacted.output, { role: 'user', content: 'recite' }] as ResponseInputItem[];
      const second = await responses.create({ model, input });

      expect(compacted).toMatchObject({ object: 'response.compaction', output: [{ type: 'compaction' }] });
      expect(second.output_text).toContain('the boat is red');
      expect(second.output_text).not.toContain('say hello');
    },

    'knows 400': async ({ service }) => {
      const refused = await errorOf(connect(service).responses.create({ model: '', input: 'say no' }));

      expect(refused).toBeInstanceOf(BadRequestError);
      expect(refused).toMatchObject({ type: 'invalid_request_error', code: 'invalid_request', param: 'model' });
      expect(refused).toHaveProperty('requestID', expect.any(String));
    },

    'knows 401': async ({ stranger }) => {
      expect(await errorOf(connect(stranger).responses.create({ model, input: 'say no' }))).toBeInstanceOf(
        AuthenticationError,
      );
    },

    'knows 404': async ({ service }) => {
      const refused = await errorOf(connect(service).responses.retrieve(`resp_${'0'.repeat(64)}`));

      expect(refused).toBeInstanceOf(NotFoundError);
      expect(refused).toMatchObject({ type: 'not_found_error', code: 'not_found' });
    },

    'knows 429': async ({ limited }) => {
      const { responses } = connect(limited);
      const three = async () => {
        for (let i = 0; i < 3; i++) await responses.create({ model, input: 'say again' });
      };
      const refused = await errorOf(three());

      expect(refused).toBeInstanceOf(RateLimitError);
      expect(refused).toMatchObject({ type: 'rate_limit_error', code: 'rate_limited' });
      expect(Number((refused as RateLimitError).headers.get('retry-after'))).toBeGreaterThan(0);
    },
  },
};

const FAILED = { status: 'failed', error: { code: 'model_error', message: expect.stringContaining('400') } };

function onlyCall({ output }: Response): ResponseFunctionToolCall {
  expect(output).toMatchObject([{ type: 'function_call' }]);
  return output[0] as ResponseFunctionToolCall;
}

const textOf = (events: readonly ResponseStreamEvent[]) =>
  events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');

const errorOf = (request: Promise<unknown>) =>
  request.then(
    () => undefined,
    (error: unknown) => error,
  );
