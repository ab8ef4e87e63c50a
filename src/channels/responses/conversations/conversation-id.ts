import { z } from 'zod';
import { hexFromUuid, type ThreadId, uuidFromHex } from '#domain/ids.ts';

const PATTERN = /^conv_([0-9a-f]{32})$/;

export const conversationId = z.string().regex(PATTERN);

/** A conversation is the wire view of a thread. */
export const formatConversationId = (id: ThreadId): string => `conv_${hexFromUuid(id)}`;

export function parseConversationId(id: string): ThreadId | undefined {
  const hex = PATTERN.exec(id)?.[1];
  return hex === undefined ? undefined : uuidFromHex(hex);
}
