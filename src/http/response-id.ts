import { hexFromUuid, type TurnIds, uuidFromHex } from '#domain/ids.ts';

/** A response is the wire view of a turn. Its id embeds the thread's id, so that neither needs a lookup. */
export function formatResponseId({ turnId, threadId }: TurnIds): string {
  return `resp_${hexFromUuid(turnId)}${hexFromUuid(threadId)}`;
}

export function parseResponseId(id: string): TurnIds | undefined {
  const hex = /^resp_([0-9a-f]{32})([0-9a-f]{32})$/.exec(id);
  return hex?.[1] && hex[2] ? { turnId: uuidFromHex(hex[1]), threadId: uuidFromHex(hex[2]) } : undefined;
}
