import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { newId, type UploadId } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import { type ContentPart, type ItemBody, type NewItem, text } from '#domain/thread/item.ts';
import {
  dataUrl,
  isLink,
  type LinkField,
  linkOrDataUrl,
  parseDataUrl,
  parseLinkOrDataUrl,
} from '../../model-api/attachment.ts';
import { fileId, fileIdsIn, type KnownFiles, namesFile, parseNamedFile } from '../../model-api/file-id.ts';
import { fileOrigin, parseFileOrigin, parseTextOrigin, textOrigin } from '../../model-api/origin.ts';

const content = z
  .union([
    z.string(),
    z.array(
      z.union([
        z.looseObject({ type: z.literal('text'), text: z.string(), ...textOrigin }),
        z.looseObject({
          type: z.literal('image_url'),
          image_url: z.looseObject({ url: linkOrDataUrl }),
          ...fileOrigin,
        }),
        z.looseObject({
          type: z.literal('file'),
          file: z.looseObject({ file_data: dataUrl, filename: z.unknown().optional() }),
          ...fileOrigin,
        }),
        z.looseObject({ type: z.literal('file'), file: z.looseObject({ file_id: fileId }), ...fileOrigin }),
        z.looseObject({ type: z.literal('refusal') }).describe('Ignored.'),
      ]),
    ),
  ])
  .meta({ id: 'ChatContent' });

const toolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function').nullish(),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

/** The published schema of `messages`; `parseMessages` checks it. */
export const messages = z
  .array(
    z.union([
      z.looseObject({ role: z.enum(['system', 'developer', 'user']), content }),
      z.looseObject({
        role: z.literal('assistant'),
        content: content.nullish(),
        tool_calls: z.array(toolCall).nullish(),
      }),
      z.looseObject({ role: z.literal('tool'), tool_call_id: z.string().min(1), content }),
    ]),
  )
  .min(1)
  .describe('The whole conversation. Each tool call has a tool message after it, and the last message is new input.');

/** The https URLs in unchecked messages. */
export function linksOf(given: unknown): LinkField[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((message: unknown, index) => {
    const parts = isObject(message) && Array.isArray(message['content']) ? message['content'] : [];
    return parts.flatMap((part: unknown, at): LinkField[] => {
      const image = isObject(part) && part['type'] === 'image_url' ? part['image_url'] : undefined;
      if (!isObject(image) || !isLink(image['url'])) return [];
      const param = `messages[${index}].content[${at}].image_url.url`;
      return [{ holder: image, key: 'url', kind: 'image', param }];
    });
  });
}

/** The uploaded files that unchecked messages name. */
export const namedFiles = (given: unknown): UploadId[] =>
  Array.isArray(given)
    ? given.flatMap((message: unknown) => (isObject(message) ? fileIdsIn(message['content']) : []))
    : [];

/** The conversation as items. */
export function parseMessages(
  given: unknown,
  { files }: { readonly files: KnownFiles } = { files: new Map() },
): NewItem[] {
  if (!Array.isArray(given)) throw refuse('messages', 'messages is required: an array of messages.');
  if (given.length === 0) throw refuse('messages', 'messages must hold at least one message.');

  const open = new Map<string, string>(); // the path of each call without an output, by call id
  const items = given.flatMap((message, index) => parseMessage(message, `messages[${index}]`, open, files));
  const [unanswered] = open;
  if (unanswered) {
    const [callId, param] = unanswered;
    throw refuse(param, `The call "${callId}" has no output. Send a message with role tool for every tool call.`);
  }
  const last: unknown = given.at(-1);
  if (isObject(last) && last['role'] === 'assistant')
    throw refuse(
      `messages[${given.length - 1}].role`,
      'The last message must not be an assistant message. End with a message of the user or a tool.',
    );
  return items.map((body) => ({ ...body, id: newId() }));
}

function parseMessage(message: unknown, param: string, open: Map<string, string>, files: KnownFiles): ItemBody[] {
  if (!isObject(message)) throw refuse(param, 'A message must be an object.');
  const { role } = message;
  switch (role) {
    case 'system':
    case 'developer':
    case 'user':
      return [{ type: 'message', role, content: contentOf(message, param, files), status: 'completed' }];
    case 'assistant':
      return [...parseSaid(message, param, files), ...parseCalls(message['tool_calls'], `${param}.tool_calls`, open)];
    case 'tool':
      return [parseOutput(message, param, open, files)];
    default:
      throw refuse(`${param}.role`, 'role must be system, developer, user, assistant or tool.');
  }
}

/** An assistant message that only calls tools has no content, or an empty one. */
function parseSaid(message: Record<string, unknown>, param: string, files: KnownFiles): ItemBody[] {
  if (message['content'] === undefined || message['content'] === null) return [];
  const said = contentOf(message, param, files).filter((part) => part.type !== 'text' || part.text !== '');
  return said.length === 0 ? [] : [{ type: 'message', role: 'assistant', content: said, status: 'completed' }];
}

function parseCalls(calls: unknown, param: string, open: Map<string, string>): ItemBody[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw refuse(param, 'tool_calls must be an array.');
  return calls.map((call: unknown, index) => parseCall(call, `${param}[${index}]`, open));
}

function parseCall(call: unknown, param: string, open: Map<string, string>): ItemBody {
  if (!isObject(call)) throw refuse(param, 'A tool call must be an object.');
  const { id, type = 'function', function: called } = call;
  if (type !== 'function') throw refuse(`${param}.type`, 'Only calls of type "function" are accepted.');
  if (typeof id !== 'string' || id === '') throw refuse(`${param}.id`, 'id must be a non-empty string.');
  if (open.has(id)) throw refuse(`${param}.id`, `The id "${id}" is used by two calls that wait for an output.`);
  if (!isObject(called)) throw refuse(`${param}.function`, 'function must be an object with name and arguments.');
  const { name, arguments: argumentsJson } = called;
  if (typeof name !== 'string' || name === '')
    throw refuse(`${param}.function.name`, 'name must be a non-empty string.');
  if (typeof argumentsJson !== 'string')
    throw refuse(`${param}.function.arguments`, 'arguments must be a string of JSON.');
  open.set(id, `${param}.id`);
  return { type: 'function_call', callId: id, name, arguments: argumentsJson, external: true };
}

function parseOutput(
  message: Record<string, unknown>,
  param: string,
  open: Map<string, string>,
  files: KnownFiles,
): ItemBody {
  const { tool_call_id: callId } = message;
  if (typeof callId !== 'string' || !open.delete(callId))
    throw refuse(
      `${param}.tool_call_id`,
      'tool_call_id must be the id of a tool call in an earlier assistant message.',
    );
  return { type: 'function_call_output', callId, output: contentOf(message, param, files) };
}

function contentOf(message: Record<string, unknown>, param: string, files: KnownFiles): ContentPart[] {
  const { content: given } = message;
  if (typeof given === 'string') return [text(given)];
  if (!Array.isArray(given)) throw refuse(`${param}.content`, 'The content must be a string or an array of parts.');
  return given.flatMap((part, index) => parsePart(part, `${param}.content[${index}]`, files));
}

function parsePart(part: unknown, param: string, files: KnownFiles): ContentPart[] {
  if (!isObject(part)) throw refuse(param, 'A content part must be an object.');
  switch (part['type']) {
    case 'text':
      if (typeof part['text'] !== 'string') throw refuse(`${param}.text`, 'text must be a string.');
      return [{ ...text(part['text']), ...parseTextOrigin(part, param) }];
    case 'image_url': {
      const url = isObject(part['image_url']) ? part['image_url']['url'] : undefined;
      const image = parseLinkOrDataUrl(url, `${param}.image_url.url`);
      return [{ type: 'image', ...image, ...parseFileOrigin(part, param) }];
    }
    case 'file': {
      const file = isObject(part['file']) ? part['file'] : {};
      const filename = typeof file['filename'] === 'string' ? { filename: file['filename'] } : {};
      const data = namesFile(file, 'file_data')
        ? parseNamedFile(file['file_id'], `${param}.file.file_id`, files)
        : parseDataUrl(file['file_data'], `${param}.file.file_data`);
      return [{ type: 'file', filename: null, ...data, ...filename, ...parseFileOrigin(part, param) }];
    }
    case 'refusal':
      return []; // another service refused to answer here
    default:
      throw refuse(`${param}.type`, 'The type must be text, image_url or file.');
  }
}

const refuse = (param: string, message: string) => new InvalidRequest('invalid_request', param, message);
