import {
  Agent,
  fileSearchTool,
  ModelBehaviorError,
  OpenAIConversationsSession,
  OpenAIProvider,
  OpenAIResponsesCompactionSession,
  Runner,
  tool,
} from '@openai/agents';
import OpenAI, { AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from 'openai';
import { expect } from 'vitest';
import { z } from 'zod';
import { agentsChat } from './chat/agents.ts';
import { type Client, countLeft, FOUR_TOOLS, isKept, NO_CALL, OSLO, SAY_OSLO, type Target, THINK } from './features.ts';
import { newConversation } from './new-conversation.ts';
import { CITE_FILE, newStore, SEARCH_FILES } from './new-store.ts';

const connect = (target: Target) =>
  new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: new OpenAI({ ...target, maxRetries: 0 }) }),
    tracingDisabled: true, // traces would be sent to OpenAI
  });

const lookup = tool({
  name: 'lookup',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `snow in ${city}`,
});

const Weather = z.object({ city: z.string(), degrees: z.number() });

const agent = new Agent({ name: 'Ann', instructions: 'Be brief.', model: 'any-name', tools: [lookup] });

export const agents: Client = {
  packages: ['@openai/agents'],
  features: {
    ...agentsChat,

    'answers a message': async ({ service }) => {
      expect(await connect(service).run(agent, 'say hello there')).toMatchObject({ finalOutput: 'hello there' });
    },

    'answers under the alias `/v1`': async ({ alias }) => {
      expect(await connect(alias).run(agent, 'say the same')).toMatchObject({ finalOutput: 'the same' });
    },

    'streams an answer': async ({ service }) => {
      const result = await connect(service).run(agent, 'say one two three', { stream: true });

      const pieces = await Array.fromAsync(result.toTextStream());

      expect(pieces).toEqual(['one ', 'two ', 'three']);
      expect(result.finalOutput).toBe('one two three');
    },

    'continues from `previous_response_id`': async ({ service }) => {
      const runner = connect(service);
      const first = await runner.run(agent, 'say a pear');
      expect(first.lastResponseId).toMatch(/^resp_/);

      const second = await runner.run(agent, 'recite', { previousResponseId: first.lastResponseId ?? '' });

      expect(second.finalOutput).toContain('a pear');
    },

    'runs tools by `previous_response_id`': async ({ service }) => {
      const runner = connect(service);
      const first = await runner.run(agent, 'say ready');

      const second = await runner.run(agent, 'use lookup {"city":"Oslo"}\nuse lookup {"city":"Rome"}', {
        previousResponseId: first.lastResponseId ?? '',
      });

      expect(second.finalOutput).toBe('result: snow in Rome');
    },

    'runs tools and replays the history': async ({ service }) => {
      const runner = connect(service);
      const first = await runner.run(agent, 'say let me look\nuse lookup {"city":"Oslo"}');
      expect(first.finalOutput).toBe('result: snow in Oslo');

      const second = await runner.run(agent, [...first.history, { role: 'user', content: 'recite' }]);

      expect(second.finalOutput).toContain('snow in Oslo');
    },

    'runs tools while streaming': async ({ service }) => {
      const result = await connect(service).run(agent, 'use lookup {"city":"Oslo"}', { stream: true });
      const text = (await Array.fromAsync(result.toTextStream())).join('');

      expect(text).toBe('result: snow in Oslo');
      expect(result.newItems.map((item) => item.type)).toEqual([
        'tool_call_item',
        'tool_call_output_item',
        'message_output_item',
      ]);
    },

    'replays four tool results in one thread': async ({ service }) => {
      const before = await countLeft(service);

      expect(await connect(service).run(agent, FOUR_TOOLS)).toMatchObject({ finalOutput: 'result: snow in Kyiv' });
      expect(await countLeft(service)).toEqual({ threads: before.threads + 1, gates: before.gates });
    },

    'hands a thread to another agent': async ({ service }) => {
      const runner = connect(service);
      const bob = new Agent({ name: 'Bob', instructions: 'Speak as Bob.', model: 'any-name' });
      const triage = agent.clone({ handoffs: [bob] });
      const first = await runner.run(triage, 'say ready');
      const handed = await runner.run(triage, 'use transfer_to_Bob {}', {
        previousResponseId: first.lastResponseId ?? '',
      });
      expect(handed.lastAgent?.name).toBe('Bob');

      const recited = await runner.run(agent, 'recite', { previousResponseId: handed.lastResponseId ?? '' });

      expect(recited.finalOutput).toContain('Speak as Bob.');
    },

    'returns structured output': async ({ service }) => {
      const typed = new Agent({ name: 'Ann', model: 'any-name', outputType: Weather });

      expect((await connect(service).run(typed, SAY_OSLO)).finalOutput).toEqual(OSLO);
      await expect(connect(service).run(typed, 'say no JSON')).rejects.toThrow(ModelBehaviorError);
    },

    'streams structured output': async ({ service }) => {
      const typed = new Agent({ name: 'Ann', model: 'any-name', outputType: Weather });
      const result = await connect(service).run(typed, SAY_OSLO, { stream: true });
      await result.completed;

      expect(result.finalOutput).toEqual(OSLO);
    },

    'shows a summary of the reasoning': async ({ service }) => {
      const thinking = agent.clone({ modelSettings: { reasoning: { summary: 'auto' } } });

      const { newItems, finalOutput } = await connect(service).run(thinking, THINK);

      expect(finalOutput).toBe('take a coat');
      expect(newItems.map(({ type }) => type)).toEqual(['reasoning_item', 'message_output_item']);
    },

    'runs tools with `store: false`': async ({ service }) => {
      const unstored = agent.clone({ modelSettings: { store: false } });

      const result = await connect(service).run(unstored, 'use lookup {"city":"Oslo"}');

      expect(result.finalOutput).toBe('result: snow in Oslo');
      for (const { responseId } of result.rawResponses) expect(await isKept(service, responseId)).toBe(false);
    },

    'runs tools over a WebSocket': async ({ service }) => {
      for (const store of [true, false]) {
        const openAIClient = new OpenAI({ ...service, maxRetries: 0 });
        const modelProvider = new OpenAIProvider({ openAIClient, useResponsesWebSocket: true });
        const runner = new Runner({ modelProvider, tracingDisabled: true });
        const unstored = agent.clone({ modelSettings: { store } });

        const first = await runner.run(unstored, 'use lookup {"city":"Oslo"}');
        const second = await runner.run(unstored, 'recite', { previousResponseId: first.lastResponseId ?? '' });
        await modelProvider.close();

        expect(first.finalOutput).toBe('result: snow in Oslo');
        expect(second.finalOutput).toContain('result: snow in Oslo');
        expect(await isKept(service, second.lastResponseId)).toBe(store);
      }
    },

    'retrieves a response': NO_CALL,
    'deletes a response': NO_CALL,
    'cancels a background response': NO_CALL,
    'resumes a background stream': NO_CALL,
    'reports a failed turn': async ({ service }) => {
      await expect(connect(service).run(agent, 'break 400')).rejects.toThrow(ModelBehaviorError);
    },

    'reports a failed stream': async ({ service }) => {
      const result = await connect(service).run(agent, 'break 400', { stream: true });

      await expect(Array.fromAsync(result.toTextStream())).rejects.toThrow(ModelBehaviorError);
    },

    "sees the agent's tool activity, or passes over it": async ({ service }) => {
      const runner = connect(service);
      const curious = agent.clone({ modelSettings: { providerData: { include: ['reborn.tool_activity'] } } });
      const result = await runner.run(curious, 'use reborn_time {}');
      const streamed = await runner.run(curious, 'use reborn_time {}', { stream: true });
      await streamed.completed;

      for (const { newItems, finalOutput } of [result, streamed]) {
        expect(finalOutput).toMatch(/^result: .*utc/);
        expect(newItems.map(({ rawItem }) => rawItem)).toMatchObject([
          { type: 'hosted_tool_call', name: 'mcp_call', providerData: { name: 'reborn_time' } },
          { type: 'message' },
        ]);
      }
      const history = [...result.history, { role: 'user' as const, content: 'say more' }];
      expect(await runner.run(curious, history)).toMatchObject({ finalOutput: 'more' });
    },

    'continues a conversation': async ({ service }) => {
      const conversationId = await newConversation(service);
      const runner = connect(service);
      await runner.run(agent, 'say a pear', { conversationId });

      expect((await runner.run(agent, 'recite', { conversationId })).finalOutput).toContain('a pear');
    },

    'runs tools in a conversation': async ({ service }) => {
      const conversationId = await newConversation(service);
      const input = 'use lookup {"city":"Oslo"}\nuse lookup {"city":"Rome"}';

      expect(await connect(service).run(agent, input, { conversationId })).toMatchObject({
        finalOutput: 'result: snow in Rome',
      });
    },

    'manages conversations and their items': NO_CALL,

    'keeps its session in a conversation': async ({ service }) => {
      const runner = connect(service);
      const session = new OpenAIConversationsSession({ client: new OpenAI({ ...service, maxRetries: 0 }) });
      await runner.run(agent, 'say let me look\nuse lookup {"city":"Oslo"}', { session });
      await session.addItems([{ role: 'system', content: 'Speak up.' }]);

      const second = await runner.run(agent, 'recite', { session });

      expect(second.finalOutput).toMatch(/let me look[^]*snow in Oslo[^]*Speak up/);
      const items = await session.getItems();
      expect(items.map((item) => ('role' in item ? item.role : item.type))).toEqual([
        'user',
        'assistant',
        'function_call',
        'function_call_result',
        'assistant',
        'system',
        'user',
        'assistant',
      ]);
      expect(await session.popItem()).toEqual(items.at(-1));
      expect(await session.getItems(2)).toEqual(items.slice(-3, -1));
      await session.clearSession();
      expect(await session.getItems()).toEqual([]);
    },

    'lists input items': NO_CALL,
    'uploads a file and names it by its id': NO_CALL,
    'searches files with `file_search`, and reads which one is cited': async ({ service }) => {
      const runner = connect(service);
      const reader = agent.clone({ tools: [fileSearchTool([await newStore(service)])] });
      const searched = await runner.run(reader, SEARCH_FILES);
      expect(searched.newItems.map(({ rawItem }) => rawItem)).toMatchObject([
        { type: 'hosted_tool_call', name: 'file_search_call', providerData: { queries: ['deposit'] } },
        { type: 'message' },
      ]);

      const cited = await runner.run(reader, CITE_FILE);
      expect(cited.newItems.map(({ rawItem }) => rawItem)).toMatchObject([
        { content: [{ providerData: { annotations: [{ type: 'file_citation', filename: 'lease.md' }] } }] },
      ]);
    },

    'lists models': NO_CALL,
    'counts input tokens': NO_CALL,

    'compacts a conversation': async ({ service }) => {
      const client = new OpenAI({ ...service, maxRetries: 0 });
      for (const compactionMode of ['input', 'previous_response_id'] as const) {
        const session = new OpenAIResponsesCompactionSession({
          client,
          model: 'gpt-any',
          compactionMode,
          shouldTriggerCompaction: () => true,
        });
        await connect(service).run(agent, 'say hello\nfact: the boat is red', { session });
        expect(await session.getItems()).toMatchObject([{ type: 'compaction' }]);

        const second = await connect(service).run(agent, 'recite', { session });

        expect(second.finalOutput).toContain('the boat is red');
        expect(second.finalOutput).not.toContain('say hello');
      }
    },

    'knows 400': async ({ service }) => {
      const asked = connect(service).run(agent.clone({ model: ' ' }), 'say no');

      await expect(asked).rejects.toThrow(BadRequestError);
    },

    'knows 401': async ({ stranger }) => {
      await expect(connect(stranger).run(agent, 'say no')).rejects.toThrow(AuthenticationError);
    },

    'knows 404': async ({ nowhere }) => {
      await expect(connect(nowhere).run(agent, 'say no')).rejects.toThrow(NotFoundError);
    },

    'knows 429': async ({ limited }) => {
      const three = async () => {
        for (let i = 0; i < 3; i++) await connect(limited).run(agent, 'say again');
      };

      await expect(three()).rejects.toThrow(RateLimitError);
    },
  },
};
