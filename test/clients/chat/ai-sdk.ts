import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, Output, streamText, tool } from 'ai';
import { expect } from 'vitest';
import { z } from 'zod';
import { type ChatChecks, countLeft, FOUR_TOOLS, OSLO, SAY_OSLO, type Target } from '../features.ts';

const connect = (target: Target) => createOpenAI(target).chat('any-name');

const lookup = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `snow in ${city}`,
});
const Weather = z.object({ city: z.string(), degrees: z.number() });

export const aiSdkChat: ChatChecks = {
  'answers by chat completions': async ({ service, alias }) => {
    for (const target of [service, alias]) {
      const { text, usage, finishReason } = await generateText({
        model: connect(target),
        instructions: 'Be brief.',
        prompt: 'say hello there',
      });

      expect({ text, finishReason }).toEqual({ text: 'hello there', finishReason: 'stop' });
      expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15 });
    }
  },

  'streams by chat completions': async ({ service }) => {
    const { textStream, usage } = streamText({ model: connect(service), prompt: 'say one two three' });

    expect(await Array.fromAsync(textStream)).toEqual(['one ', 'two ', 'three']);
    expect(await usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  },

  'runs two parallel tools by chat completions': async ({ service }) => {
    const prompt = 'say let me look\nuse lookup {"city":"Oslo"}\nuse lookup {"city":"Rome"}';
    const settings = { model: connect(service), tools: { lookup }, stopWhen: isStepCount(5), prompt };
    const { text, steps } = await generateText(settings);
    const streamed = streamText(settings);

    expect(text).toBe('result: snow in Rome');
    expect(steps).toHaveLength(3);
    expect((await Array.fromAsync(streamed.textStream)).join('')).toBe('let me lookresult: snow in Rome');
  },

  'runs four tools by chat completions and leaves no thread': async ({ service }) => {
    const before = await countLeft(service);
    const settings = { model: connect(service), tools: { lookup }, stopWhen: isStepCount(9) };
    const { text } = await generateText({ ...settings, prompt: FOUR_TOOLS });

    expect(text).toBe('result: snow in Kyiv');
    expect(await countLeft(service)).toEqual(before);
  },

  'returns structured output by chat completions': async ({ service }) => {
    const output = Output.object({ schema: Weather });
    const settings = { model: connect(service), prompt: SAY_OSLO, output };

    expect((await generateText(settings)).output).toEqual(OSLO);
    expect((await Array.fromAsync(streamText(settings).partialOutputStream)).at(-1)).toEqual(OSLO);
  },

  'forces a call with `tool_choice` by chat completions': async ({ service }) => {
    const named = { type: 'tool' as const, toolName: 'lookup' as const };
    for (const toolChoice of ['required' as const, named]) {
      const prompt = 'use lookup {"city":"Oslo"}';
      const { toolResults } = await generateText({ model: connect(service), tools: { lookup }, toolChoice, prompt });

      expect(toolResults).toMatchObject([{ output: 'snow in Oslo' }]);
    }
  },

  'reports a failed turn by chat completions, and does not repeat it': async ({ service }) => {
    const errors: unknown[] = [];
    const asked = generateText({ model: connect(service), prompt: 'break 400' });
    await expect(asked).rejects.toMatchObject({
      statusCode: 400,
      isRetryable: false,
      data: { error: { code: 'model_error' } },
    });
    const { textStream } = streamText({
      model: connect(service),
      prompt: 'break 400',
      onError: ({ error }) => void errors.push(error),
    });
    expect(await Array.fromAsync(textStream)).toEqual([]);
    expect(errors).toMatchObject([{ name: 'AI_APICallError' }]); // not the error after several attempts
  },
};
