import { type ItemId, newId } from '#domain/ids.ts';
import {
  type FunctionCallBody,
  type FunctionCallItem,
  type Item,
  type NewItem,
  text,
  type WrittenItem,
} from '#domain/item.ts';
import { pendingCalls } from '#domain/pending-calls.ts';
import { placeItems } from '#domain/place-items.ts';
import type { ToolCall } from '#domain/tool.ts';
import type { Turn } from '#domain/turn.ts';
import { callOf, contentOf, eventsOf, missingEvents } from '#domain/turn-event.ts';
import { addUsage, NO_USAGE, type Usage } from '#domain/usage.ts';
import type { TurnRun } from '#engine/running-turns.ts';
import type { Model, ModelAnswer, Prompt } from '#models/model.ts';
import type { Models } from '#models/model-routes.ts';
import { isDuplicate, whileAway } from '#store/away.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { markStarted } from '#store/items.ts';
import type { ToolRegistry, ToolSet } from '#tools/registry.ts';
import type { Skills } from '#tools/skills/skills.ts';
import { callLevel } from './call-level.ts';
import { callTool } from './call-tool.ts';
import { gateFor } from './gates.ts';
import { offerSkills } from './offer-skills.ts';
import { buildPrompt } from './prompt.ts';
import type { TurnSteps } from './run-turn.ts';
import { isBlockedCall, type Safety } from './safety.ts';
import { assistantMessage, createSpokenMessage } from './spoken-message.ts';

export type TurnContext = {
  readonly db: Database;
  readonly models: Models;
  readonly tools: ToolRegistry;
  readonly safety: Safety;
  readonly skills: Pick<Skills, 'list'>;
};

/** One attempt at a turn: its steps, and how it is closed when it can't go on. */
export type TurnAttempt = TurnSteps & {
  /** Keeps what was said so far and gives every call without an output one that says why. */
  close(reason: string): Promise<void>;
  usage(): Usage;
};

export function createAttempt(
  { db, models, tools, safety, skills }: TurnContext,
  turn: Turn,
  run: TurnRun,
): TurnAttempt {
  const thread: Item[] = []; // as far as this attempt knows it
  const spoken = createSpokenMessage(run.emit);
  const ownItems = () => thread.filter((item) => item.turnSeq === turn.seq);

  async function append(items: readonly WrittenItem[]): Promise<Item[]> {
    const position = ownItems().length;
    await whileAway(run.signal, async (tries) => {
      try {
        await run.append(position, items);
      } catch (error) {
        if (tries === 0 || !isDuplicate(error)) throw error; // else it was written, and only the answer was lost
      }
    });
    const appended = placeItems(turn, position, items);
    thread.push(...appended);
    for (const item of appended.map(contentOf)) {
      if (!spoken.finish(item)) eventsOf(item).forEach(run.emit);
    }
    return appended;
  }

  /** What the model says and wants, without the secrets it may have come to know. */
  async function askUnspoiled(model: Model, prompt: Prompt): Promise<ModelAnswer> {
    const [said, whole] = [await safety.redactorFor(turn), await safety.redactorFor(turn)];
    const say = (piece: string) => piece && spoken.say(piece);
    const answer = await model.ask(prompt, (delta) => say(said.push(delta)), run.signal);
    say(said.end());
    const calls = await Promise.all(answer.calls.map((call) => safety.checkCall(turn, call)));
    return { ...answer, text: whole.push(answer.text) + whole.end(), calls };
  }

  /** Stands here until an approval can be asked for: then the gate decides, and an approved call is simply made. */
  async function refusalOf(call: FunctionCallItem, offered: ToolSet): Promise<string | undefined> {
    const flagsOfCall = await safety.flagsOfCall(turn, call.arguments);
    const level = await callLevel(call, { history: thread, tools: offered, policy: 'allow', flagsOfCall });
    return level === 'allow' ? undefined : NOT_AGREED;
  }

  return {
    seq: turn.seq,
    gateAhead: run.gateAhead,
    gateFor: async (call) => gateFor(callOf(call), turn, await tools.current()),

    async loadHistory() {
      thread.push(...run.history);
      if (turn.attempt > 0) {
        const made = ownItems().filter((item) => item.attempt !== null);
        missingEvents(await run.seenEvents(), made).forEach(run.emit);
      }
      return [...thread];
    },

    async askModel(history) {
      const model = await models.find(turn.request.model);
      const offered = await tools.current();
      const prompt = buildPrompt(turn, history, offered.definitions(), (call) => sourceOf(call, offered));
      const answer = await askUnspoiled(model, offerSkills(prompt, await skills.list(turn)));
      return append(await toItems(answer, spoken.id() ?? newId(), turn, offered));
    },

    async callTool(call) {
      if (!call.startedAt) await withOwner(db, turn, (trx) => markStarted(trx, turn, turn, call));
      const found = isFound(call, turn);
      const offered = await tools.current();
      const output =
        (await refusalOf(call, offered)) ?? (await callTool(call, { turn, tools: offered, signal: run.signal, found }));
      return append([outputOf(call, await safety.receive(turn, call.name, output))]);
    },

    async close(reason) {
      const half = spoken.half();
      const outputs = pendingCalls(thread).map((call) => outputOf(call, reason));
      const closing = [...(half ? [plain(half)] : []), ...outputs];
      if (closing.length > 0) await append(closing);
    },

    usage: () => ownItems().reduce((sum, { usage }) => addUsage(sum, usage ?? NO_USAGE), NO_USAGE),
  };
}

const NOT_AGREED =
  'Not run: it needs the consent of the user, who was not asked. Tell the user what you wanted to do, and why.';

/** A tool that is gone may have said anything. */
function sourceOf(call: ToolCall, tools: ToolSet): string | undefined {
  const tool = tools.find(call.name);
  return tool?.trusted ? undefined : (tool?.source?.(call.arguments) ?? call.name);
}

/** Started by an attempt before this one, which did not live to see its output. */
function isFound(call: FunctionCallItem, turn: Turn): boolean {
  return call.startedAt !== null && call.attempt !== turn.attempt;
}

/** What the model said and wants. Its first call, if no gate stops it, is started by the write that records it. */
async function toItems(answer: ModelAnswer, messageId: ItemId, turn: Turn, tools: ToolSet): Promise<WrittenItem[]> {
  const status = answer.finish === 'length' ? 'incomplete' : 'completed';
  const said =
    answer.text || answer.calls.length === 0 ? [plain(assistantMessage(messageId, answer.text, status))] : [];
  const calls = answer.calls.map((call): NewItem & FunctionCallBody => {
    const own = tools.find(call.name) !== undefined;
    const external = !own && !isBlockedCall(call) && turn.request.tools.some(({ name }) => name === call.name);
    return { id: newId(), type: 'function_call', ...call, external };
  });
  const [first, ...others] = calls;
  const started = first !== undefined && tools.find(first.name) !== undefined && !(await gateFor(first, turn, tools));
  return [...said, ...(first ? [{ ...plain(first), started }] : []), ...others.map(plain)].map((item, index) =>
    index === 0 ? { ...item, usage: answer.usage } : item,
  );
}

function outputOf({ callId }: FunctionCallItem, output: string): WrittenItem {
  return plain({ id: newId(), type: 'function_call_output', callId, output: [text(output)] });
}

const plain = (item: NewItem): WrittenItem => ({ ...item, usage: null, started: false });
