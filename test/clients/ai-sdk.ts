import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, type ModelMessage, Output, streamText, type ToolSet, tool, uploadFile } from 'ai';
import { expect } from 'vitest';
import { z } from 'zod';
import { aiSdkChat } from './chat/ai-sdk.ts';
import { type Client, countLeft, FOUR_TOOLS, isKept, NO_CALL, OSLO, SAY_OSLO, type Target, THINK } from './features.ts';
import { newConversation } from './new-conversation.ts';
import { CITE_FILE, newStore, SEARCH_FILES } from './new-store.ts';

const connect = (target: Target) => createOpenAI(target)('any-name');

const WEATHER = { description: 'The weather in a city', inputSchema: z.object({ city: z.string() }) };

const lookup = tool({ ...WEATHER, execute: async ({ city }) => `snow in ${city}` });

const Weather = z.object({ city: z.string(), degrees: z.number() });

const ASK_FOR_OSLO = {
  prompt: 'say let me look\nuse lookup {"city":"Oslo"}',
  tools: { lookup },
  stopWhen: isStepCount(5),
};

export const aiSdk: Client = {
  packages: ['ai', '@ai-sdk/openai'],
  features: {
    ...aiSdkChat,

    'answers a message': async ({ service }) => {
      const { text, usage, finishReason } = await generateText({ model: connect(service), prompt: 'say hello there' });

      expect({ text, finishReason }).toEqual({ text: 'hello there', finishReason: 'stop' });
      expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15 });
    },

    'answers under the alias `/v1`': async ({ alias }) => {
      expect(await generateText({ model: connect(alias), prompt: 'say the same' })).toMatchObject({ text: 'the same' });
    },

    'streams an answer': async ({ service }) => {
      const { textStream } = streamText({ model: connect(service), prompt: 'say one two three' });

      expect(await Array.fromAsync(textStream)).toEqual(['one ', 'two ', 'three']);
    },

    'continues from `previous_response_id`': async ({ service }) => {
      const model = connect(service);
      const first = await generateText({ model, prompt: 'say a pear' });

      const second = await generateText({ model, prompt: 'recite', providerOptions: after(first) });

      expect(second.text).toContain('a pear');
    },

    'runs tools by `previous_response_id`': async ({ service }) => {
      const model = connect(service);
      const tools = { lookup: tool({ ...WEATHER, outputSchema: z.string() }) };
      const asked = await generateText({ model, tools, prompt: 'use lookup {"city":"Oslo"}' });
      expect(asked.toolCalls).toMatchObject([{ toolName: 'lookup', input: { city: 'Oslo' } }]);

      const messages = [resultFor(asked.toolCalls[0]?.toolCallId ?? '', 'snow')];
      const answered = await generateText({ model, tools, messages, providerOptions: after(asked) });

      expect(answered.text).toBe('result: snow');
    },

    'runs tools and replays the history': async ({ service }) => {
      const { text, steps } = await generateText({ model: connect(service), ...ASK_FOR_OSLO });

      expect(text).toBe('result: snow in Oslo');
      expect(steps).toHaveLength(2);
    },

    'runs tools while streaming': async ({ service }) => {
      const result = streamText({ model: connect(service), ...ASK_FOR_OSLO });

      expect((await Array.fromAsync(result.textStream)).join('')).toBe('let me lookresult: snow in Oslo');
      expect(await result.steps).toHaveLength(2);
    },

    'replays four tool results in one thread': async ({ service }) => {
      const before = await countLeft(service);
      const { text } = await generateText({
        model: connect(service),
        prompt: FOUR_TOOLS,
        tools: { lookup },
        stopWhen: isStepCount(9),
      });

      expect(text).toBe('result: snow in Kyiv');
      expect(await countLeft(service)).toEqual({ threads: before.threads + 1, gates: before.gates });
    },

    'hands a thread to another agent': NO_CALL,

    'returns structured output': async ({ service }) => {
      const model = connect(service);

      expect(
        (await generateText({ model, prompt: SAY_OSLO, output: Output.object({ schema: Weather }) })).output,
      ).toEqual(OSLO);
      const asked = generateText({ model, prompt: 'say no JSON', output: Output.object({ schema: Weather }) });
      await expect(asked).rejects.toThrow('did not have the requested format');
      expect((await generateText({ model, prompt: SAY_OSLO, output: Output.json() })).output).toEqual(OSLO);
    },

    'streams structured output': async ({ service }) => {
      const output = Output.object({ schema: Weather });
      const result = streamText({ model: connect(service), prompt: SAY_OSLO, output });

      expect((await Array.fromAsync(result.partialOutputStream)).at(-1)).toEqual(OSLO);
    },

    'shows a summary of the reasoning': async ({ service }) => {
      const model = createOpenAI(service)('gpt-5'); // it sends the field only for models that it knows
      const asked = { model, prompt: THINK, providerOptions: { openai: { reasoningSummary: 'auto' } } };
      const { finalStep, text, responseMessages } = await generateText(asked);
      expect([finalStep.reasoningText, text]).toEqual(['it snows there', 'take a coat']);

      const streamed = streamText(asked);
      expect((await Array.fromAsync(streamed.textStream)).join('')).toBe('take a coat');
      expect((await streamed.finalStep).reasoningText).toBe('it snows there');
      const messages: ModelMessage[] = [...responseMessages, { role: 'user', content: 'say yes' }];
      expect((await generateText({ model, messages })).text).toBe('yes');
    },

    'runs tools with `store: false`': async ({ service }) => {
      const providerOptions = { openai: { store: false } };

      const { text, steps } = await generateText({ ...ASK_FOR_OSLO, model: connect(service), providerOptions });

      expect(text).toBe('result: snow in Oslo');
      expect(steps).toHaveLength(2);
      for (const { response } of steps) expect(await isKept(service, response.id)).toBe(false);
    },

    'runs tools over a WebSocket': NO_CALL,
    'retrieves a response': NO_CALL,
    'deletes a response': NO_CALL,
    'cancels a background response': NO_CALL,
    'resumes a background stream': NO_CALL,
    'reports a failed turn': async ({ service }) => {
      const asked = generateText({ model: connect(service), prompt: 'break 400' });

      await expect(asked).rejects.toThrow('The model answered 400');
    },

    'reports a failed stream': async ({ service }) => {
      const errors: unknown[] = [];
      const { textStream } = streamText({
        model: connect(service),
        prompt: 'break 400',
        maxRetries: 0,
        onError: ({ error }) => void errors.push(error),
      });

      expect(await Array.fromAsync(textStream)).toEqual([]);
      expect(errors).toMatchObject([{ message: expect.stringContaining('The model answered 400') }]);
    },

    "sees the agent's tool activity, or passes over it": async ({ service }) => {
      const model = createOpenAI({ ...service, fetch: includeActivity })('any-name');
      const prompt = 'say let me see\nuse reborn_time {}';
      const result = await generateText({ model, prompt, tools: { lookup }, stopWhen: isStepCount(5) });
      const streamed = streamText({ model, prompt, tools: { lookup }, stopWhen: isStepCount(5) });
      await streamed.consumeStream();

      for (const content of [result.content, await streamed.content])
        expect(content).toMatchObject([
          { type: 'text', text: 'let me see' },
          { type: 'tool-call', toolName: 'mcp.reborn_time', providerExecuted: true },
          { type: 'tool-result', toolName: 'mcp.reborn_time' },
          { type: 'text', text: expect.stringMatching(/^result: .*utc/) },
        ]);
      expect([result.steps.length, (await streamed.steps).length]).toEqual([1, 1]);
      const messages: ModelMessage[] = [
        { role: 'user', content: prompt },
        ...result.responseMessages,
        { role: 'user', content: 'say more' },
      ];
      expect((await generateText({ model, messages })).text).toBe('more');
    },

    'continues a conversation': async ({ service }) => {
      const [model, providerOptions] = [connect(service), await inNewConversation(service)];
      await generateText({ model, prompt: 'say a pear', providerOptions });

      expect((await generateText({ model, prompt: 'recite', providerOptions })).text).toContain('a pear');
    },

    'runs tools in a conversation': async ({ service }) => {
      const [model, providerOptions] = [connect(service), await inNewConversation(service)];
      const tools = { lookup: tool({ ...WEATHER, outputSchema: z.string() }) };
      const prompt = 'use lookup {"city":"Oslo"}';
      const asked = await generateText({ model, tools, prompt, providerOptions });

      const messages = [resultFor(asked.toolCalls[0]?.toolCallId ?? '', 'snow')];
      const answered = await generateText({ model, tools, messages, providerOptions });

      expect(answered.text).toBe('result: snow');
    },

    'manages conversations and their items': NO_CALL,
    'keeps its session in a conversation': NO_CALL,
    'lists input items': NO_CALL,
    'uploads a file and names it by its id': async ({ service }) => {
      const { providerReference } = await uploadFile({
        api: createOpenAI(service).files(),
        data: { type: 'text', text: 'the code is 4711' },
        filename: 'code.txt',
      });
      const file = { type: 'file' as const, mediaType: 'text/plain', data: providerReference };
      const content = [{ type: 'text' as const, text: 'say it: ' }, file];
      const { text } = await generateText({ model: connect(service), messages: [{ role: 'user', content }] });

      expect(text).toContain('the code is 4711');
    },
    'searches files with `file_search`, and reads which one is cited': async ({ service }) => {
      const { fileSearch } = createOpenAI(service).tools;
      const tools = { file_search: fileSearch({ vectorStoreIds: [await newStore(service)] }) } as ToolSet;
      const model = connect(service);
      const searched = await generateText({ model, tools, prompt: SEARCH_FILES });
      expect(searched.toolResults).toMatchObject([{ providerExecuted: true, output: { queries: ['deposit'] } }]);

      const cited = await generateText({ model, tools, prompt: CITE_FILE });
      expect(cited.sources).toMatchObject([{ sourceType: 'document', filename: 'lease.md' }]);
    },

    'lists models': NO_CALL,
    'counts input tokens': NO_CALL,
    'compacts a conversation': NO_CALL,

    'knows 400': async ({ service }) => {
      const asked = generateText({ model: createOpenAI(service)(' '), prompt: 'say no' });

      await expect(asked).rejects.toMatchObject({
        statusCode: 400,
        data: { error: { code: 'invalid_request', param: 'model' } },
      });
    },

    'knows 401': async ({ stranger }) => {
      const asked = generateText({ model: connect(stranger), prompt: 'say no' });

      await expect(asked).rejects.toMatchObject({ name: 'AI_APICallError', statusCode: 401 });
    },

    'knows 404': async ({ nowhere }) => {
      const asked = generateText({ model: connect(nowhere), prompt: 'say no' });

      await expect(asked).rejects.toMatchObject({ statusCode: 404, data: { error: { code: 'not_found' } } });
    },

    'knows 429': async ({ limited }) => {
      const three = async () => {
        for (let i = 0; i < 3; i++) await generateText({ model: connect(limited), prompt: 'say again', maxRetries: 0 });
      };

      await expect(three()).rejects.toMatchObject({ statusCode: 429, isRetryable: true });
    },
  },
};

function after({
  providerMetadata,
}: {
  providerMetadata: Awaited<ReturnType<typeof generateText>>['providerMetadata'];
}) {
  const previousResponseId = providerMetadata?.['openai']?.['responseId'];
  expect(previousResponseId).toMatch(/^resp_/);
  return { openai: { previousResponseId: previousResponseId as string } };
}

const resultFor = (toolCallId: string, value: string): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'lookup', output: { type: 'text', value } }],
});

const inNewConversation = async (target: Target) => ({ openai: { conversation: await newConversation(target) } });

/** The client checks the values of `include` itself, so the field is added on the way. */
const includeActivity: typeof fetch = (url, init) =>
  fetch(url, {
    ...init,
    body: JSON.stringify({ ...JSON.parse(init?.body as string), include: ['reborn.tool_activity'] }),
  });
