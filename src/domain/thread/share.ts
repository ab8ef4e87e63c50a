import type { ThreadId } from '../ids.ts';
import { withSourceList } from '../search/cited-text.ts';
import { type ContentPart, type DatedItem, type MessageBody, text, textOf } from './item.ts';

/** A thread that anyone with the link can read. */
export type Share = {
  readonly threadId: ThreadId;
  /** The last item that is shown: the newest one when the thread was shared. */
  readonly throughSeq: number;
  readonly throughPosition: number;
  /** Whether calls of tools are shown, with their arguments and results. */
  readonly withTools: boolean;
  /** Whether images and files are shown. */
  readonly withAttachments: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type ShareContent = Pick<Share, 'withTools' | 'withAttachments'>;

type Boundary = Pick<Share, 'throughSeq' | 'throughPosition'>;

const isShared = (share: Boundary, item: Pick<DatedItem, 'turnSeq' | 'position'>): boolean =>
  item.turnSeq < share.throughSeq || (item.turnSeq === share.throughSeq && item.position <= share.throughPosition);

/**
 * The item as visitors see it; undefined if they don't. Instructions of programs and summaries are never shown. A hidden
 * attachment leaves a trace without its name or size. `assistant`: who answers in its turn, if that is not the usual agent.
 */
export function toShared(share: Share, item: DatedItem, assistant?: string): SharedItem | undefined {
  if (!isShared(share, item)) return undefined;
  const { id, createdAt } = item;
  const partsOf = (content: readonly ContentPart[]): SharedPart[] =>
    content.map((part) => (part.type === 'text' || share.withAttachments ? part : { type: 'hidden', kind: part.type }));
  switch (item.type) {
    case 'message':
      if (item.role === 'system' || item.role === 'developer') return undefined;
      return {
        id,
        createdAt,
        type: 'message',
        role: item.role,
        ...(item.role === 'assistant' && assistant !== undefined && { assistant }),
        content: partsOf(citedContent(item)),
        status: item.status,
      };
    case 'function_call':
      if (!share.withTools) return undefined;
      return { id, createdAt, type: 'call', callId: item.callId, name: item.name, arguments: item.arguments };
    case 'function_call_output':
      if (!share.withTools) return undefined;
      return { id, createdAt, type: 'result', callId: item.callId, content: partsOf(item.output) };
    case 'compaction':
      return undefined;
  }
}

/** Visitors have the list of sources in the text. */
const citedContent = ({ content, citations }: MessageBody): readonly ContentPart[] =>
  citations ? [text(withSourceList(textOf(content), citations))] : content;

export type SharedPart = ContentPart | { readonly type: 'hidden'; readonly kind: 'image' | 'file' };

export type SharedItem = Pick<DatedItem, 'id' | 'createdAt'> &
  (
    | {
        readonly type: 'message';
        readonly role: 'user' | 'assistant';
        readonly assistant?: string;
        readonly content: readonly SharedPart[];
        readonly status: MessageBody['status'];
      }
    | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly arguments: string }
    | { readonly type: 'result'; readonly callId: string; readonly content: readonly SharedPart[] }
  );
