import OpenAI, { BadRequestError } from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { expect } from 'vitest';
import { z } from 'zod';
import { type ChatChecks, countLeft, FOUR_TOOLS, OSLO, SAY_OSLO, type Target } from '../features.ts';

const connect = (target: Target) => new OpenAI({ ...target, maxRetries: 2 }).chat.completions;

const model = 'any-name';
const Weather = z.object({ city: z.string(), degrees: z.number() });
const ask = (content: string): ChatCompletionMessageParam[] => [{ role: 'user', content }];

const lookup: ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'lookup',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

const runLookup = zodFunction({
  name: 'lookup',
  parameters: z.object({ city: z.string() }),
  function: ({ city }) => `snow in ${city}`,
});

export const openaiChat: ChatChecks = {
  'answers by chat completions': async ({ service, alias }) => {
    const messages: ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be brief.' },
      ...ask('say hello there'),
    ];
    for (const target of [service, alias]) {
      const { choices, usage } = await connect(target).create({ model, messages });

      expect(choices).toMatchObject([{ message: { content: 'hello there' }, finish_reason: 'stop' }]);
      expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
    }
  },

  'streams by chat completions': async ({ service }) => {
    const deltas: string[] = [];
    const stream = connect(service)
      .stream({ model, messages: ask('say one two three'), stream_options: { include_usage: true } })
      .on('content', (delta) => deltas.push(delta));

    expect(await stream.finalContent()).toBe('one two three');
    expect(deltas).toEqual(['one ', 'two ', 'three']);
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 });
  },

  'runs two parallel tools by chat completions': async ({ service }) => {
    const messages = ask('say let me look\nuse lookup {"city":"Oslo"}\nuse lookup {"city":"Rome"}');
    for (const city of ['Oslo', 'Rome']) {
      const { choices } = await connect(service).create({ model, messages, tools: [lookup] });
      const message = choices[0]?.message;
      const [call, ...more] = message?.tool_calls ?? [];
      expect(call).toMatchObject({ type: 'function', function: { name: 'lookup', arguments: `{"city":"${city}"}` } });
      expect(more).toEqual([]);
      if (message) messages.push(message);
      messages.push({ role: 'tool', tool_call_id: call?.id ?? '', content: `snow in ${city}` });
    }

    const { choices } = await connect(service).create({ model, messages, tools: [lookup] });
    expect(choices[0]?.message.content).toBe('result: snow in Rome');
  },

  'runs four tools by chat completions and leaves no thread': async ({ service }) => {
    const before = await countLeft(service);
    const runner = connect(service).runTools({ model, messages: ask(FOUR_TOOLS), tools: [runLookup] });
    const streamed = connect(service).runTools({ model, messages: ask(FOUR_TOOLS), tools: [runLookup], stream: true });

    for (const run of [runner, streamed]) expect(await run.finalContent()).toBe('result: snow in Kyiv');
    expect(await countLeft(service)).toEqual(before);
  },

  'returns structured output by chat completions': async ({ service }) => {
    const response_format = zodResponseFormat(Weather, 'weather');
    const { choices } = await connect(service).parse({ model, messages: ask(SAY_OSLO), response_format });
    const streamed = await connect(service)
      .stream({ model, messages: ask(SAY_OSLO), response_format })
      .finalChatCompletion();

    for (const choice of [choices[0], streamed.choices[0]]) expect(choice?.message.parsed).toEqual(OSLO);
  },

  'forces a call with `tool_choice` by chat completions': async ({ service }) => {
    const named = { type: 'function' as const, function: { name: 'lookup' } };
    for (const tool_choice of ['required' as const, named]) {
      const messages = ask('use lookup {"city":"Oslo"}');
      const { choices } = await connect(service).create({ model, messages, tools: [lookup], tool_choice });

      expect(choices).toMatchObject([{ message: { tool_calls: [{ function: { name: 'lookup' } }] } }]);
    }
  },

  'reports a failed turn by chat completions, and does not repeat it': async ({ service }) => {
    const failed = connect(service).create({ model, messages: ask('break 400') });
    await expect(failed).rejects.toThrow(BadRequestError);
    await expect(failed).rejects.toMatchObject({ status: 400, code: 'model_error', type: 'invalid_request_error' });
    const streamed = connect(service).stream({ model, messages: ask('break 400') });
    await expect(streamed.finalContent()).rejects.toThrow('The model answered 400');
  },
};
