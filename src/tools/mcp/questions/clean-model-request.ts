import { isObject } from '#domain/is-object.ts';
import type { ToolModelRequest } from '../../tool.ts';
import { McpFailure } from '../mcp-failure.ts';

const MAX_BYTES = 64 * 1024;
const MAX_MESSAGES = 50;
const MAX_TOKENS = 4096;

/**
 * What a server asks the model (sampling), bounded. Preferences for models and the context of other servers are ignored, as the
 * protocol allows. Throws `McpFailure`.
 */
export function cleanModelRequest(params: unknown): ToolModelRequest {
  if (!isObject(params) || !Array.isArray(params['messages'])) throw refused('messages are missing.');
  const { messages, systemPrompt, maxTokens, temperature } = params;
  if (messages.length === 0 || messages.length > MAX_MESSAGES) throw refused(`it has up to ${MAX_MESSAGES} messages.`);
  if (Array.isArray(params['tools']) && params['tools'].length > 0) throw refused('the model gets no tools.');
  const request = {
    instructions: typeof systemPrompt === 'string' ? systemPrompt.toWellFormed() : '',
    messages: messages.map(cleanMessage),
    maxTokens: isPositive(maxTokens) ? Math.min(maxTokens, MAX_TOKENS) : MAX_TOKENS,
    temperature: typeof temperature === 'number' && temperature >= 0 && temperature <= 2 ? temperature : null,
  };
  const texts = [request.instructions, ...request.messages.map(({ text }) => text)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAX_BYTES) throw refused(`it has up to ${MAX_BYTES / 1024} KiB of text.`);
  return request;
}

function cleanMessage(message: unknown): ToolModelRequest['messages'][number] {
  if (!isObject(message)) throw refused('a message is malformed.');
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') throw refused('a message is of the user or of the assistant.');
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  const texts = blocks.map((block) => {
    if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string')
      throw refused('only text is allowed.');
    return block['text'];
  });
  return { role, text: texts.join('\n').toWellFormed() };
}

const isPositive = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

const refused = (why: string) => new McpFailure('refused', `The server's request to the model was refused: ${why}`);
