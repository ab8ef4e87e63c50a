import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { expect } from 'vitest';
import { z } from 'zod';
import { type ChatChecks, countLeft, FOUR_TOOLS, OSLO, SAY_OSLO, type Target } from '../features.ts';

const connect = ({ baseURL, apiKey }: Target) =>
  new ChatOpenAI({ model: 'any-name', apiKey, configuration: { baseURL } });

const lookup = tool(async ({ city }: { city: string }) => `snow in ${city}`, {
  name: 'lookup',
  description: 'The weather in a city',
  schema: z.object({ city: z.string() }),
});
const Weather = z.object({ city: z.string(), degrees: z.number() });

/** Calls tools until the model answers. */
async function runTools(target: Target, question: string, steps: number): Promise<string> {
  const chat = connect(target).bindTools([lookup]);
  const messages: BaseMessage[] = [new SystemMessage('Be brief.'), new HumanMessage(question)];
  for (let step = 0; step < steps; step++) {
    const asked = await chat.invoke(messages);
    expect(asked.tool_calls).toMatchObject([{ name: 'lookup' }]);
    messages.push(asked);
    for (const call of asked.tool_calls ?? []) messages.push(await lookup.invoke({ ...call, type: 'tool_call' }));
  }
  return (await chat.invoke(messages)).text;
}

export const langchainChat: ChatChecks = {
  'answers by chat completions': async ({ service, alias }) => {
    for (const target of [service, alias]) {
      const message = await connect(target).invoke([
        new SystemMessage('Be brief.'),
        new HumanMessage('say hello there'),
      ]);

      expect(message.text).toBe('hello there');
      expect(message.usage_metadata).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 });
    }
  },

  'streams by chat completions': async ({ service }) => {
    const chunks = await Array.fromAsync(await connect(service).stream('say one two three'));

    expect(chunks.map((chunk) => chunk.text).filter(Boolean)).toEqual(['one ', 'two ', 'three']);
    const whole = chunks.reduce((all, chunk) => all.concat(chunk));
    expect(whole.usage_metadata).toMatchObject({ input_tokens: 10, output_tokens: 5 });
  },

  'runs two parallel tools by chat completions': async ({ service }) => {
    const question = 'say let me look\nuse lookup {"city":"Oslo"}\nuse lookup {"city":"Rome"}';

    expect(await runTools(service, question, 2)).toBe('result: snow in Rome');
  },

  'runs four tools by chat completions and leaves no thread': async ({ service }) => {
    const before = await countLeft(service);

    expect(await runTools(service, FOUR_TOOLS, 4)).toBe('result: snow in Kyiv');
    expect(await countLeft(service)).toEqual(before);
  },

  'returns structured output by chat completions': async ({ service }) => {
    const chat = connect(service).withStructuredOutput(Weather);

    expect(await chat.invoke(SAY_OSLO)).toEqual(OSLO);
    expect((await Array.fromAsync(await chat.stream(SAY_OSLO))).at(-1)).toEqual(OSLO);
  },

  'forces a call with `tool_choice` by chat completions': async ({ service }) => {
    const method = { name: 'weather', method: 'functionCalling' } as const;
    const chat = connect(service).withStructuredOutput(Weather, method);

    expect(await chat.invoke(`use weather ${JSON.stringify(OSLO)}`)).toEqual(OSLO);
  },

  'reports a failed turn by chat completions, and does not repeat it': async ({ service }) => {
    await expect(connect(service).invoke('break 400')).rejects.toMatchObject({ status: 400, code: 'model_error' });
    const stream = await connect(service).stream('break 400');
    await expect(Array.fromAsync(stream)).rejects.toThrow('The model answered 400');
  },
};
