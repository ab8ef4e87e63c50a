import type { MessageBody, NewItem } from '#domain/thread/item.ts';

/** Clients parse every message of a response that has a format, so they get only what has it. */
export const isAnswer = (item: NewItem): item is NewItem & MessageBody =>
  item.type === 'message' && item.phase === undefined;
