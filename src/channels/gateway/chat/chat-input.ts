import type { z } from 'zod';
import type { TurnInput } from '#agent/turn/start-turn.ts';
import { newId } from '#domain/ids.ts';
import { type ContentPart, text } from '#domain/thread/item.ts';
import type { chatRequest } from './wire-chat.ts';

type ChatRequest = Omit<z.infer<typeof chatRequest>, 'type'>;

/** A message of a person, with what they attached to it. */
export function toTurnInput(asked: ChatRequest, idempotency: TurnInput['idempotency']): TurnInput {
  const { message, thread_id: threadId, model = null, attachments } = asked;
  const content = [text(message), ...(attachments ?? []).map(toPart)];
  return {
    threadId: threadId ?? undefined,
    unknownThread: 'not-found',
    channel: 'gateway',
    items: [{ id: newId(), type: 'message', role: 'user', content, status: 'completed' }],
    tools: undefined,
    request: { model, temperature: null, echo: {} },
    idempotency,
  };
}

type Attachment = NonNullable<ChatRequest['attachments']>[number];

function toPart({ name, media_type: mediaType, data: base64 }: Attachment): ContentPart {
  return mediaType.startsWith('image/')
    ? { type: 'image', mediaType, base64 }
    : { type: 'file', mediaType, base64, filename: name ?? null };
}
