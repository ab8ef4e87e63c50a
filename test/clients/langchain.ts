import { type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { expect } from 'vitest';
import { z } from 'zod';
import { langchainChat } from './chat/langchain.ts';
import { type Client, countLeft, FOUR_TOOLS, isKept, NO_CALL, OSLO, SAY_OSLO, type Target, THINK } from './features.ts';
import { newConversation } from './new-conversation.ts';
import { CITE_FILE, newStore, SEARCH_FILES } from './new-store.ts';

const settingsFor = ({ baseURL, apiKey }: Target, model = 'any-name') => ({
  model,
  apiKey,
  configuration: { baseURL },
  useResponsesApi: true,
  maxRetries: 0,
});

const connect = (target: Target, model?: string) => new ChatOpenAI(settingsFor(target, model));

const lookup = tool(async ({ city }: { city: string }) => `snow in ${city}`, {
  name: 'lookup',
  description: 'The weather in a city',
  schema: z.object({ city: z.string() }),
});

const Weather = z.object({ city: z.string(), degrees: z.number() });

export const langchain: Client = {
  packages: ['@langchain/openai', '@langchain/core'],
  features: {
    ...langchainChat,

    'answers a message': async ({ service }) => {
      const message = await connect(service).invoke('say hello there');

      expect(message.text).toBe('hello there');
      expect(message.usage_metadata).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 });
    },

    'answers under the alias `/v1`': async ({ alias }) => {
      expect(await connect(alias).invoke('say the same')).toMatchObject({ text: 'the same' });
    },

    'streams an answer': async ({ service }) => {
      const chunks = await Array.fromAsync(await connect(service).stream('say one two three'));

      expect(chunks.map((chunk) => chunk.text).filter(Boolean)).toEqual(['one ', 'two ', 'three']);
    },

    'continues from `previous_response_id`': async ({ service }) => {
      const chat = connect(service);
      const first = await chat.invoke('say a pear');

      const second = await chat.invoke('recite', { previous_response_id: idOf(first) });

      expect(second.text).toContain('a pear');
    },

    'runs tools by `previous_response_id`': async ({ service }) => {
      const chat = connect(service).bindTools([lookup]);
      const asked = await chat.invoke('use lookup {"city":"Oslo"}');

      const answered = await chat.invoke([await callLookup(asked)], { previous_response_id: idOf(asked) });

      expect(answered.text).toBe('result: snow in Oslo');
    },

    'runs tools and replays the history': async ({ service }) => {
      const chat = connect(service).bindTools([lookup]);
      const question = new HumanMessage('say let me look\nuse lookup {"city":"Oslo"}');
      const asked = await chat.invoke([question]);

      const answered = await chat.invoke([question, asked, await callLookup(asked)]);

      expect(answered.text).toBe('result: snow in Oslo');
    },

    'runs tools while streaming': async ({ service }) => {
      const chat = connect(service).bindTools([lookup]);
      const question = new HumanMessage('say let me look\nuse lookup {"city":"Oslo"}');
      const chunks = await Array.fromAsync(await chat.stream([question]));
      const asked = chunks.reduce((all, chunk) => all.concat(chunk));

      const answer = await Array.fromAsync(await chat.stream([question, asked, await callLookup(asked)]));

      expect(answer.map((chunk) => chunk.text).join('')).toBe('result: snow in Oslo');
    },

    'replays four tool results in one thread': async ({ service }) => {
      const before = await countLeft(service);
      const chat = connect(service).bindTools([lookup]);
      const messages: BaseMessage[] = [new HumanMessage(FOUR_TOOLS)];
      for (let step = 0; step < 4; step++) {
        const asked = await chat.invoke(messages);
        messages.push(asked, ...(await callAll(asked)));
      }

      expect((await chat.invoke(messages)).text).toBe('result: snow in Kyiv');
      expect(await countLeft(service)).toEqual({ threads: before.threads + 1, gates: before.gates });
    },

    'hands a thread to another agent': NO_CALL,

    'returns structured output': async ({ service }) => {
      const chat = connect(service).withStructuredOutput(Weather);

      expect(await chat.invoke(SAY_OSLO)).toEqual(OSLO);
      await expect(chat.invoke('say no JSON')).rejects.toThrow('did not have the requested format');
    },

    'streams structured output': async ({ service }) => {
      const stream = await connect(service).withStructuredOutput(Weather).stream(SAY_OSLO);

      expect((await Array.fromAsync(stream)).at(-1)).toEqual(OSLO);
    },

    'shows a summary of the reasoning': async ({ service }) => {
      const chat = new ChatOpenAI({ ...settingsFor(service), model: 'gpt-5', reasoning: { summary: 'auto' } });

      const answered = await chat.invoke(THINK);

      expect(answered.text).toBe('take a coat');
      expect(answered.additional_kwargs['reasoning']).toMatchObject({ summary: [{ text: 'it snows there' }] });
      expect((await chat.invoke([answered, new HumanMessage('say yes')])).text).toBe('yes');
    },

    'runs tools with `store: false`': async ({ service }) => {
      const unstored = new ChatOpenAI({ ...settingsFor(service), zdrEnabled: true });
      const chat = unstored.bindTools([lookup]);
      const question = new HumanMessage('use lookup {"city":"Oslo"}');
      const asked = await chat.invoke([question]);

      const answered = await chat.invoke([question, asked, await callLookup(asked)]);

      expect(answered.text).toBe('result: snow in Oslo');
      for (const message of [asked, answered]) expect(await isKept(service, idOf(message))).toBe(false);
    },

    'runs tools over a WebSocket': NO_CALL,
    'retrieves a response': NO_CALL,
    'deletes a response': NO_CALL,
    'cancels a background response': NO_CALL,
    'resumes a background stream': NO_CALL,
    'reports a failed turn': async ({ service }) => {
      await expect(connect(service).invoke('break 400')).rejects.toThrow('The model answered 400');
    },

    'reports a failed stream': 'The client passes over `response.failed`: its stream ends without an error.',
    "sees the agent's tool activity, or passes over it": async ({ service }) => {
      const chat = new ChatOpenAI({
        ...settingsFor(service),
        modelKwargs: { include: ['reborn.tool_activity'] },
      });
      const question = new HumanMessage('say let me see\nuse reborn_time {}');
      const answer = await chat.invoke([question]);
      const chunks = await Array.fromAsync(await chat.stream([question]));

      for (const message of [answer, chunks.reduce((all, chunk) => all.concat(chunk))]) {
        expect(message.text).toMatch(/^let me see.*result: .*utc/);
        expect(message.tool_calls).toEqual([]);
        expect(message.additional_kwargs['tool_outputs']).toMatchObject([{ type: 'mcp_call', name: 'reborn_time' }]);
      }
      expect((await chat.invoke([question, answer, new HumanMessage('say more')])).text).toBe('more');
    },

    'continues a conversation': async ({ service }) => {
      const chat = await connectToConversation(service);
      await chat.invoke('say a pear');

      expect((await chat.invoke('recite')).text).toContain('a pear');
    },

    'runs tools in a conversation': async ({ service }) => {
      const chat = (await connectToConversation(service)).bindTools([lookup]);
      const asked = await chat.invoke('use lookup {"city":"Oslo"}');

      expect((await chat.invoke([await callLookup(asked)])).text).toBe('result: snow in Oslo');
    },

    'manages conversations and their items': NO_CALL,
    'keeps its session in a conversation': NO_CALL,
    'lists input items': NO_CALL,
    'uploads a file and names it by its id': NO_CALL,
    'searches files with `file_search`, and reads which one is cited': async ({ service }) => {
      const hosted = { type: 'file_search' as const, vector_store_ids: [await newStore(service)] };
      const chat = connect(service).bindTools([hosted]);
      const searched = await chat.invoke(SEARCH_FILES);
      expect(searched.additional_kwargs['tool_outputs']).toMatchObject([
        { type: 'file_search_call', queries: ['deposit'] },
      ]);

      const { content } = await chat.invoke(CITE_FILE);
      expect(content).toMatchObject([
        { type: 'text', annotations: [{ type: 'citation', source: 'file_citation', title: 'lease.md' }] },
      ]);
    },

    'lists models': NO_CALL,
    'counts input tokens': NO_CALL,
    'compacts a conversation': NO_CALL,

    'knows 400': async ({ service }) => {
      await expect(connect(service, ' ').invoke('say no')).rejects.toMatchObject({ status: 400, param: 'model' });
    },

    'knows 401': async ({ stranger }) => {
      await expect(connect(stranger).invoke('say no')).rejects.toMatchObject({ status: 401 });
    },

    'knows 404': async ({ nowhere }) => {
      await expect(connect(nowhere).invoke('say no')).rejects.toMatchObject({ status: 404, code: 'not_found' });
    },

    'knows 429': async ({ limited }) => {
      const three = async () => {
        for (let i = 0; i < 3; i++) await connect(limited).invoke('say again');
      };

      await expect(three()).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
    },
  },
};

/** The client has no setting for a conversation, and passes on `modelKwargs`. */
async function connectToConversation(target: Target): Promise<ChatOpenAI> {
  return new ChatOpenAI({ ...settingsFor(target), modelKwargs: { conversation: await newConversation(target) } });
}

const idOf = (message: AIMessageChunk) => String(message.response_metadata['id']);

const callAll = ({ tool_calls: calls = [] }: AIMessageChunk): Promise<ToolMessage[]> =>
  Promise.all(calls.map((call) => lookup.invoke({ ...call, type: 'tool_call' }) as Promise<ToolMessage>));

async function callLookup({ tool_calls: [call] = [] }: AIMessageChunk): Promise<ToolMessage> {
  expect(call).toMatchObject({ name: 'lookup', args: { city: 'Oslo' } });
  return await lookup.invoke({
    type: 'tool_call',
    name: 'lookup',
    args: { city: 'Oslo' },
    id: call?.id ?? '',
  });
}
