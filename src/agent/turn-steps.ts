import { newId } from '#domain/ids.ts';
import { type FunctionCallItem, type Item, type ItemBody, type MessageBody, text } from '#domain/item.ts';
import { pendingCalls } from '#domain/pending-calls.ts';
import type { Turn } from '#domain/turn.ts';
import { addUsage, NO_USAGE, type Usage } from '#domain/usage.ts';
import type { ModelAnswer } from '#models/model.ts';
import type { Models } from '#models/model-routes.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findGateAhead } from '#store/gates.ts';
import { appendItems, loadHistory, markStarted } from '#store/items.ts';
import type { ToolRegistry } from '#tools/registry.ts';
import { callTool } from './call-tool.ts';
import { gateFor } from './gates.ts';
import { buildPrompt } from './prompt.ts';
import type { TurnSteps } from './run-turn.ts';

export type TurnContext = {
  readonly db: Database;
  readonly models: Models;
  readonly tools: ToolRegistry;
};

/** One attempt at a turn: its steps, and how it is closed when it can't go on. */
export type TurnAttempt = TurnSteps & {
  /** Keeps what was said so far and gives every call without an output one that says why. */
  close(reason: string): Promise<void>;
  usage(): Usage;
};

export function createAttempt(context: TurnContext, turn: Turn, signal: AbortSignal): TurnAttempt {
  const { db, models, tools } = context;
  const written: Item[] = []; // the thread so far, as this attempt knows it
  let saying = '';

  async function append(items: readonly { body: ItemBody; usage?: Usage; started?: boolean }[]): Promise<Item[]> {
    const position = written.filter((item) => item.turnSeq === turn.seq).length;
    const rows = items.map(({ body, usage = null, started = false }) => ({ id: newId(), ...body, usage, started }));
    const appended = await withOwner(db, turn, (trx) => appendItems(trx, turn, turn, position, rows));
    written.push(...appended);
    return appended;
  }

  return {
    seq: turn.seq,
    gateAhead: () => withOwner(db, turn, (trx) => findGateAhead(trx, turn, turn.threadId, turn.seq)),
    gateFor: (call) => gateFor(call, turn, tools),

    async loadHistory() {
      written.push(...(await withOwner(db, turn, (trx) => loadHistory(trx, turn, turn.threadId, turn.seq))));
      return [...written];
    },

    async askModel(history) {
      saying = '';
      const model = await models.find(turn.request.model);
      const prompt = buildPrompt(turn, history, tools.definitions());
      const answer = await model.ask(prompt, (delta) => (saying += delta), signal);
      const appended = await append(withFirstStart(toItems(answer)));
      saying = '';
      return appended;
    },

    async callTool(call) {
      if (!call.startedAt) await withOwner(db, turn, (trx) => markStarted(trx, turn, turn, call));
      const output = await callTool(call, { turn, tools, signal, found: isFound(call) });
      return append([{ body: { type: 'function_call_output', callId: call.callId, output: [text(output)] } }]);
    },

    async close(reason) {
      const closing: ItemBody[] = saying ? [message(saying, 'incomplete')] : [];
      for (const { callId } of pendingCalls(written))
        closing.push({ type: 'function_call_output', callId, output: [text(reason)] });
      if (closing.length > 0) await append(closing.map((body) => ({ body })));
    },

    usage: () =>
      written
        .filter((item) => item.turnSeq === turn.seq)
        .reduce((sum, { usage }) => addUsage(sum, usage ?? NO_USAGE), NO_USAGE),
  };

  /** A call that is run at once is started by the write that records it. */
  function withFirstStart(items: { body: ItemBody; usage?: Usage }[]) {
    const first = items.find(({ body }) => body.type === 'function_call');
    return items.map((item) => ({ ...item, started: item === first && isOwn(item.body) }));
  }

  function isOwn(body: ItemBody): boolean {
    return body.type === 'function_call' && tools.find(body.name) !== undefined;
  }

  /** Started by an attempt before this one, which did not live to see its output. */
  function isFound(call: FunctionCallItem): boolean {
    return call.startedAt !== null && call.attempt !== turn.attempt;
  }
}

function toItems(answer: ModelAnswer): { body: ItemBody; usage?: Usage }[] {
  const status = answer.finish === 'length' ? 'incomplete' : 'completed';
  const said = answer.text || answer.calls.length === 0 ? [message(answer.text, status)] : [];
  const bodies: ItemBody[] = [...said, ...answer.calls.map((call) => ({ type: 'function_call' as const, ...call }))];
  return bodies.map((body, index) => (index === 0 ? { body, usage: answer.usage } : { body }));
}

const message = (said: string, status: MessageBody['status']): MessageBody => ({
  type: 'message',
  role: 'assistant',
  content: [text(said)],
  status,
});
