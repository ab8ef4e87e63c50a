import { newId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { noteFor } from '#domain/thread/attachment.ts';
import { type ContentPart, mapParts, type NewItem } from '#domain/thread/item.ts';
import type { TurnRequest } from '#domain/thread/turn.ts';
import { contentOf } from '#domain/thread/turn-event.ts';
import type { Engine } from '#engine/engine.ts';
import type { Database } from '#store/connection.ts';
import type { SealedTexts } from '#tools/secrets/sealed-text.ts';
import { type Idempotency, type StartedTurn, startTurn, type TurnInput } from '../input/start-turn.ts';
import { isCovered } from '../prompt/history.ts';
import { type ContinuedThread, readThreadEnd } from '../prompt/thread-end.ts';
import { compactionOf } from './sealed-summary.ts';

export type CompactionInput = ContinuedThread &
  Pick<TurnInput, 'trace' | 'tried' | 'timeoutMs'> & {
    /** Follow the items of the thread, if there is one. */
    readonly items: readonly NewItem[];
    readonly model: string;
    readonly idempotency: Idempotency | undefined;
    /** Data of the channel. */
    readonly echo: TurnRequest['echo'];
  };

/**
 * Starts a turn that summarises a conversation. It runs on a new thread, with copies of all items: the thread that they
 * come from does not change, and may continue meanwhile. The new thread is deleted once the reply was delivered.
 */
export async function startCompaction(
  parts: { readonly db: Database; readonly engine: Engine; readonly summaries: SealedTexts },
  owner: Principal,
  { model, idempotency, echo, trace, tried, timeoutMs, items, ...continued }: CompactionInput,
): Promise<StartedTurn> {
  const { db, engine, summaries } = parts;
  const earlier = continued.threadId ? await readThread() : [];
  return startTurn(db, engine, owner, {
    threadId: undefined,
    startsThread: true,
    unknownThread: 'not-found',
    channel: 'responses',
    items: [...earlier, ...items].map((item) => ({ ...mapParts(item, mention), id: newId() })),
    tools: undefined,
    request: { model, temperature: null, echo, task: 'compaction' },
    ...(trace && { trace }),
    ...(tried && { tried }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    idempotency,
    isUnstored: true,
  });

  async function readThread(): Promise<NewItem[]> {
    const { context, history } = await readThreadEnd(db, engine, owner, continued);
    const isLater = (item: (typeof history)[number]) => !context.summary || !isCovered(item, context.summary);
    const made = context.summary ? [compactionOf(summaries, owner, context.summary)] : [];
    return [...made, ...history.filter(isLater).map(contentOf)];
  }
}

/** A summary only mentions images and files, so their bytes are not copied. Their origin is. */
function mention(part: ContentPart): ContentPart {
  return part.type === 'text' ? part : noteFor(part, `[${part.type}: ${part.mediaType}]`);
}
