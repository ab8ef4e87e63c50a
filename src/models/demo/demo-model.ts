import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { cut } from '#domain/text/cut.ts';
import { textOf } from '#domain/thread/item.ts';
import type { ToolCall, ToolDefinition } from '#domain/tool/tool.ts';
import { contextSizeOf } from '../context-size.ts';
import { type Model, type ModelAnswer, ModelCallAborted, type Prompt, type PromptMessage } from '../model.ts';
import { describeResult, findTool, sceneOf, userText } from './scene.ts';
import { followScript } from './scripts.ts';

/** Answers until a real model is set: offline, free, and always with the same answer to the same prompt. */
export function createDemoModel(): Model {
  return {
    provider: 'demo',
    name: 'demo',
    // It reads only a few words, so a thread is never summarised for it.
    contextSize: contextSizeOf({ provider: 'demo', name: 'demo', contextTokens: 100_000_000 }),
    ask: async (prompt, onText, signal) => {
      if (signal.aborted) throw new ModelCallAborted(signal.reason, null);
      const reply = replyTo(prompt);
      if (typeof reply !== 'string') return toAnswer(prompt, '', [reply]);

      let said = '';
      for (const word of reply.match(/\S+\s*/g) ?? []) {
        said += word;
        onText(word);
        await setImmediate(); // lets the word be sent and an abort arrive
        if (signal.aborted) throw new ModelCallAborted(signal.reason, toAnswer(prompt, said, []).usage);
      }
      return toAnswer(prompt, reply, []);
    },
  };
}

function replyTo(prompt: Prompt): string | ToolCall {
  const scene = sceneOf(prompt);
  const scripted = followScript(scene);
  if (typeof scripted === 'string') return scripted;
  if (scripted) return toCall(prompt, scripted.name, JSON.stringify(scripted.given));
  if (scene.results.length > 0) return scene.results.map(describeResult).join(' ');

  const said = userTexts(prompt.messages);
  const last = said.at(-1) ?? '';
  return callFor(last, prompt) ?? recallFor(last, said, prompt.messages.length) ?? introduce(last, prompt.tools);
}

/** A call that the message spells out. */
function callFor(said: string, prompt: Prompt): string | ToolCall | null {
  const [, name, json] = /^call\s+([\w.-]+)\s*(\{.*)?$/is.exec(said) ?? [];
  if (name === undefined) return null;
  return findTool(prompt, name)
    ? toCall(prompt, name, json ?? '{}')
    : `I was not offered a tool named ${name}. ${listTools(prompt.tools)}`;
}

function recallFor(last: string, said: readonly string[], messageCount: number): string | null {
  if (/\bhow many messages\b/i.test(last)) return `This conversation has ${count(messageCount, 'message')} so far.`;
  if (!/\bwhat did i (?:just )?say\b|\bdo you remember\b/i.test(last)) return null;
  const before = said.at(-2);
  return before ? `Before that you said: “${cut(before, 500)}”` : 'That was the first thing you said to me.';
}

function introduce(last: string, tools: readonly ToolDefinition[]): string {
  return [
    'I am the demo model: I live offline, cost nothing and do not really think.',
    last ? `You said: “${cut(last, 500)}”` : 'You have not said anything yet.',
    listTools(tools),
    'To talk to a real model, add one in Settings, Models, or run `reborn init`.',
  ].join(' ');
}

function listTools(tools: readonly ToolDefinition[]): string {
  const [first] = tools;
  if (!first) return 'I have no tools at hand.';
  return `I can use ${tools.map((tool) => tool.name).join(', ')}: say “call ${first.name} {}”.`;
}

function userTexts(messages: readonly PromptMessage[]): string[] {
  return messages.flatMap((message) => (message.role === 'user' ? [userText(textOf(message.content))] : []));
}

/** The ID is derived from the conversation: the same prompt gives the same call, and a longer prompt a new ID. */
function toCall(prompt: Prompt, name: string, json: string): ToolCall {
  const digest = createHash('sha256')
    .update(JSON.stringify([prompt.messages, name, json]))
    .digest('hex');
  return { callId: `call_${digest.slice(0, 24)}`, name, arguments: json };
}

function toAnswer(prompt: Prompt, text: string, calls: readonly ToolCall[]): ModelAnswer {
  return {
    text,
    calls,
    finish: 'stop',
    usage: {
      inputTokens: estimateTokens(prompt.system + prompt.messages.map(wordsOf).join('') + JSON.stringify(prompt.tools)),
      cachedInputTokens: 0,
      outputTokens: estimateTokens(text + calls.map((call) => call.name + call.arguments).join('')),
      reasoningTokens: 0,
      cost: { inputUsd: 0, outputUsd: 0 },
    },
  };
}

function wordsOf(message: PromptMessage): string {
  switch (message.role) {
    case 'assistant':
      return message.text + message.calls.map((call) => call.name + call.arguments).join('');
    case 'tool':
      return textOf(message.output);
    case 'user':
    case 'system':
      return textOf(message.content);
  }
}

const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`;
