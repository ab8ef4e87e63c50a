import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { TurnInput } from '#agent/input/start-turn.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { newId, type ProjectId, type ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { type ContentPart, text } from '#domain/thread/item.ts';
import { describeWhenBusy, whenBusyOrPreferred } from '#http/placement.ts';
import { uuid } from '#http/routes/uuid.ts';
import { checkFormat, parseFormat } from '../../model-api/output-format.ts';
import { assistantField } from '../work-fields.ts';

export const MAX_ATTACHMENTS = 10;
export const MAX_ATTACHMENT_BYTES = 9 * 1024 * 1024;

const attachment = z.object({
  name: z.string('name must be a string.').max(255, 'name may have 255 characters.').nullish(),
  media_type: z
    .string('media_type is required, such as image/png.')
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'media_type must be such as image/png.')
    .max(127, 'media_type may have 127 characters.'),
  data: z
    .base64('data must be the bytes in base64.')
    .min(1, 'data must not be empty.')
    .max(Math.ceil(MAX_ATTACHMENT_BYTES / 3) * 4, 'An attachment may have 9 MiB.'),
  origin: z
    .enum(['own', 'others'], 'origin must be own or others.')
    .nullish()
    .describe('`own`: the sender wrote it. Otherwise the agent treats it as text by others.'),
});

/** Stored as JSON, which holds any character. */
export const FREE_FIELDS = ['message', 'attachments', 'output_schema'];

/** Also part of the WebSocket's `send` message. */
export const chatRequest = z
  .object({
    message: z
      .string('message is required and must be a string.')
      .refine((said) => said.trim() !== '', { error: 'message must not be blank.' }),
    thread_id: uuid<ThreadId>('thread_id must be the id of a thread.').nullish(),
    model: z
      .string()
      .min(1)
      .max(256)
      .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name), { error: 'model must be printable text.' })
      .nullish()
      .describe('The name of a model route. The default model answers when it is unknown or left out.'),
    assistant: assistantField
      .nullish()
      .describe(
        'The name of an assistant, or null for none. A message that does not say it continues with that of its thread.',
      ),
    when_busy: whenBusyOrPreferred
      .nullish()
      .describe(describeWhenBusy('`preferred`: as the user has chosen, at first `steer`. Left out: `queue`.')),
    temporary: z
      .boolean('temporary must be true or false.')
      .nullish()
      .describe(
        'Begins a thread that neither reads nor writes memory, is in no search, and is deleted 24 hours after its last message. Not together with `thread_id`.',
      ),
    project_id: uuid<ProjectId>('project_id must be the id of a project.')
      .nullish()
      .describe('Begins the thread in this project. Not together with `thread_id`.'),
    web: z
      .boolean('web must be true or false.')
      .nullish()
      .describe('`false`: the agent answers without searching the web or opening its pages.'),
    attachments: z
      .array(attachment)
      .max(MAX_ATTACHMENTS, `A message may have ${MAX_ATTACHMENTS} attachments.`)
      .nullish(),
    output_schema: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe('A JSON Schema, at most 65,536 bytes. The answer is JSON that fits it.'),
  })
  .meta({ id: 'ChatRequest' });

type ChatRequest = Omit<z.infer<typeof chatRequest>, 'type'>;

/** What the agent gets for a message, once its schema is one that an answer can be checked against. */
export async function readChat(
  agent: Agent,
  owner: Principal,
  asked: ChatRequest,
  idempotency: TurnInput['idempotency'],
): Promise<TurnInput> {
  const { message, thread_id: threadId, model = null, attachments, output_schema: schema, when_busy: whenBusy } = asked;
  const temporary = asked.temporary === true;
  if (temporary && threadId)
    throw new InvalidRequest(
      'invalid_request',
      'temporary',
      'Only a new thread can be made temporary. Leave out thread_id or temporary.',
    );
  const project = asked.project_id ?? undefined;
  if (project && threadId)
    throw new InvalidRequest(
      'invalid_request',
      'project_id',
      'A thread is moved with PATCH /api/threads/{id}. Leave out thread_id or project_id.',
    );
  const format = schema ? parseFormat({ type: 'json_schema', schema }, 'output_schema') : undefined;
  await checkFormat(agent, owner, format, 'output_schema');
  const content = [text(message), ...(attachments ?? []).map(toPart)];
  return {
    threadId: threadId ?? undefined,
    unknownThread: 'not-found',
    channel: 'gateway',
    items: [{ id: newId(), type: 'message', role: 'user', content, status: 'completed' }],
    tools: undefined,
    request: {
      model,
      temperature: null,
      ...(format && { format }),
      echo: {},
      ...(temporary && { temporary }),
      ...(project && { project }),
      ...(asked.web === false && { withoutWeb: true as const }),
    },
    ...((temporary || project) && { startsThread: true }),
    assistant: asked.assistant,
    whenBusy: whenBusy ?? 'queue',
    idempotency,
  };
}

type Attachment = NonNullable<ChatRequest['attachments']>[number];

function toPart({ name, media_type: mediaType, data: base64, origin }: Attachment): ContentPart {
  const media = { mediaType, base64, ...(origin === 'own' && { origin }) };
  return mediaType.startsWith('image/')
    ? { type: 'image', ...media }
    : { type: 'file', ...media, filename: name ?? null };
}
