import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import OpenAI, { BadRequestError } from 'openai';
import { expect } from 'vitest';
import { z } from 'zod';
import { type ChatChecks, countLeft, FOUR_TOOLS, OSLO, SAY_OSLO, type Target } from '../features.ts';

const connect = (target: Target) =>
  new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: new OpenAI({ ...target, maxRetries: 2 }), useResponses: false }),
    tracingDisabled: true, // traces would be sent to OpenAI
  });

const lookup = tool({
  name: 'lookup',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `snow in ${city}`,
});

const agent = new Agent({ name: 'Ann', instructions: 'Be brief.', model: 'any-name', tools: [lookup] });
const Weather = z.object({ city: z.string(), degrees: z.number() });

export const agentsChat: ChatChecks = {
  'answers by chat completions': async ({ service, alias }) => {
    for (const target of [service, alias]) {
      const { finalOutput, rawResponses } = await connect(target).run(agent, 'say hello there');

      expect(finalOutput).toBe('hello there');
      expect(rawResponses[0]?.usage).toMatchObject({ inputTokens: 10, outputTokens: 5, totalTokens: 15 });
    }
  },

  'streams by chat completions': async ({ service }) => {
    const result = await connect(service).run(agent, 'say one two three', { stream: true });

    expect(await Array.fromAsync(result.toTextStream())).toEqual(['one ', 'two ', 'three']);
    expect(result.finalOutput).toBe('one two three');
    expect(result.rawResponses[0]?.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  },

  'runs two parallel tools by chat completions': async ({ service }) => {
    const question = 'say let me look\nuse lookup {"city":"Oslo"}\nuse lookup {"city":"Rome"}';
    const streamed = await connect(service).run(agent, question, { stream: true });
    await streamed.completed;

    expect((await connect(service).run(agent, question)).finalOutput).toBe('result: snow in Rome');
    expect(streamed.finalOutput).toBe('result: snow in Rome');
  },

  'runs four tools by chat completions and leaves no thread': async ({ service }) => {
    const before = await countLeft(service);

    expect((await connect(service).run(agent, FOUR_TOOLS)).finalOutput).toBe('result: snow in Kyiv');
    expect(await countLeft(service)).toEqual(before);
  },

  'returns structured output by chat completions': async ({ service }) => {
    const typed = new Agent({ name: 'Ann', model: 'any-name', outputType: Weather });

    expect((await connect(service).run(typed, SAY_OSLO)).finalOutput).toEqual(OSLO);
  },

  'forces a call with `tool_choice` by chat completions': async ({ service }) => {
    const forced = agent.clone({ modelSettings: { toolChoice: 'lookup' } });

    expect((await connect(service).run(forced, 'use lookup {"city":"Oslo"}')).finalOutput).toBe('result: snow in Oslo');
  },

  'reports a failed turn by chat completions, and does not repeat it': async ({ service }) => {
    await expect(connect(service).run(agent, 'break 400')).rejects.toThrow(BadRequestError);
    const result = await connect(service).run(agent, 'break 400', { stream: true });
    await expect(Array.fromAsync(result.toTextStream())).rejects.toThrow('The model answered 400');
  },
};
