import { hexFromUuid, type ThreadId, type TurnId, uuidFromHex } from '#domain/ids.ts';

/** A response is the wire view of a turn. Its ID embeds the thread's ID, so that neither needs a lookup. */
export type ResponseKey = { readonly turnId: TurnId; readonly threadId: ThreadId };

export function formatResponseId({ turnId, threadId }: ResponseKey): string {
  return `resp_${hexFromUuid(turnId)}${hexFromUuid(threadId)}`;
}

export function parseResponseId(id: string): ResponseKey | undefined {
  const hex = /^resp_([0-9a-f]{32})([0-9a-f]{32})$/.exec(id);
  return hex?.[1] && hex[2] ? { turnId: uuidFromHex(hex[1]), threadId: uuidFromHex(hex[2]) } : undefined;
}
