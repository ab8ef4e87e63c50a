import type { ThreadId } from '#domain/ids.ts';
import type { ModelCall, SpendingLimits } from '#domain/spending.ts';
import type { Engine } from '#engine/engine.ts';
import { startWorkQueue } from '#engine/work-queue.ts';
import { ModelCallAborted, ModelFailure } from '#models/model.ts';
import type { Models } from '#models/model-routes.ts';
import { type Database, type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { findBudget, findSpentToday } from '#store/spending/budgets.ts';
import { claimTitleRequests, endTitleRequest, type TitleRequest } from '#store/system/title-requests.ts';
import { listItemsFrom } from '#store/threads/thread-items.ts';
import { deleteTitleRequest, needsTitle, requestTitle } from '#store/threads/title-requests.ts';
import { findNewestRequest } from '#store/threads/turn-details.ts';
import { BudgetExceeded } from '../spending/budget.ts';
import { createMeter } from '../spending/budget-meter.ts';
import type { Safety } from '../turn/safety.ts';
import { readTitle, titlePrompt } from './title-text.ts';

export type TitlePace = { readonly pollEveryMs: number };

type TitleParts = {
  readonly db: Database;
  readonly engine: Pick<Engine, 'system' | 'replica' | 'notifyThread' | 'followDue'>;
  readonly models: Models;
  readonly safety: Pick<Safety, 'textRedactorFor'>;
  /** The route that writes titles; undefined for the model of the thread. */
  readonly model: string | undefined;
  /** Daily limits of users without their own. */
  readonly limits: SpendingLimits;
  readonly pace?: Partial<TitlePace> | undefined;
  readonly onError: (error: unknown) => void;
};

/** How often to poll even though the engine has not reported any request. */
const POLL_EVERY_MS = 30_000;
const AT_ONCE = 4;
const MAX_TRIES = 2;
const PATIENCE_MS = 30_000;
/** A model that writes more than this does not write a title. */
const LONGEST_ANSWER = 2000;
/** Enough of the first turn: its message, and the answer after some tool calls. */
const ITEMS = 50;

/** Gives new threads a title in the background, once their first turn has ended. */
export function startGeneratingTitles(parts: TitleParts) {
  const stopping = new AbortController();
  const queue = startWorkQueue({
    take: (room) => claimTitleRequests(parts.engine.system, { limit: room, tries: MAX_TRIES }),
    handle: async (request) => {
      await generateTitle(parts, request, stopping.signal);
      return false;
    },
    atOnce: AT_ONCE,
    pollEveryMs: parts.pace?.pollEveryMs ?? POLL_EVERY_MS,
    wakeOn: (runNow) => parts.engine.followDue('titles', runNow),
    onError: parts.onError,
  });
  return {
    /** For a thread that was just started. */
    request: (owner: Owner, threadId: ThreadId): Promise<void> =>
      withOwner(parts.db, owner, (trx) => requestTitle(trx, owner, threadId)),
    stop: async (): Promise<void> => {
      stopping.abort();
      await queue.stop();
    },
  };
}

/** The first turn that is shown, which need not be the oldest. */
async function listFirstTurn(trx: OwnedTransaction, owner: Owner, threadId: ThreadId) {
  const items = await listItemsFrom(trx, owner, threadId, { from: undefined, order: 'asc', limit: ITEMS });
  return items.filter(({ turnSeq }) => turnSeq === items[0]?.turnSeq);
}

/** A claim that ends in a crash is repeated once. The title is written, and the call counted, by one statement. */
async function generateTitle(parts: TitleParts, request: TitleRequest, stopping: AbortSignal): Promise<void> {
  const { db, engine, models, safety } = parts;
  const { threadId } = request;
  const { isNeeded, items, model, limits, spent } = await withOwner(db, request, async (trx) => ({
    isNeeded: await needsTitle(trx, request, threadId),
    items: await listFirstTurn(trx, request, threadId),
    model: (await findNewestRequest(trx, request, threadId))?.model ?? null,
    limits: (await findBudget(trx, request)) ?? parts.limits,
    spent: await findSpentToday(trx, request),
  }));
  const forget = () => withOwner(db, request, (trx) => deleteTitleRequest(trx, request, threadId));
  const [chosen] = await models.find(parts.model ?? model);
  if (!isNeeded || items.length === 0 || chosen.provider === 'demo') return forget();

  const tooLong = new AbortController();
  const signal = AbortSignal.any([stopping, tooLong.signal, AbortSignal.timeout(PATIENCE_MS)]);
  let length = 0;
  const onText = (delta: string) => {
    length += delta.length;
    if (length > LONGEST_ANSWER) tooLong.abort();
  };
  const meter = createMeter({ limits, spent: async () => spent, signal });
  const end = async (title: string | null, call: ModelCall) => {
    if (await endTitleRequest(engine.system, engine.replica, request, { title, call }))
      engine.notifyThread({ threadId, userId: request.userId });
  };
  try {
    const { answer, call } = await meter.ask(chosen, titlePrompt(items), onText);
    const redact = await safety.textRedactorFor(request);
    await end(readTitle(redact(answer.text)), call);
  } catch (error) {
    if (stopping.aborted) return; // another replica tries again
    const isExpected =
      error instanceof BudgetExceeded || error instanceof ModelFailure || error instanceof ModelCallAborted;
    if (!isExpected) throw error;
    const [failed] = meter.failedCalls();
    await (failed ? end(null, failed) : forget());
  }
}
