import { type Above, AGENT_RUN, type DelegationLimits } from '#domain/delegation/delegation.ts';
import { type ItemId, newId } from '#domain/ids.ts';
import { firstWords } from '#domain/text/first-words.ts';
import {
  type FunctionCallItem,
  type Item,
  type NewItem,
  type OutputReads,
  text,
  type WrittenItem,
} from '#domain/thread/item.ts';
import { pendingCalls } from '#domain/thread/pending-calls.ts';
import type { Turn, TurnRequest } from '#domain/thread/turn.ts';
import type { ReadSoFar } from '#domain/tool/read-so-far.ts';
import type { TurnAssistant } from '#domain/work/assistant.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import type { LeftOfRun } from '#engine/statements/delegations.ts';
import { parseTask, type Task } from '#tools/builtin/agent-run.ts';
import type { AllowedCall } from '../gates/gates.ts';
import { describeRefusal, reportOf } from './report.ts';

type ChildrenParts = {
  readonly turn: Turn;
  readonly run: Pick<TurnRun, 'children'>;
  readonly items: {
    readonly thread: readonly Item[];
    append(outputs: readonly WrittenItem[], call?: null, delivers?: readonly ItemId[]): Promise<Item[]>;
  };
  readonly safety: { receive(owner: Turn, toolName: string, texts: readonly string[]): Promise<string[]> };
  readonly outputOf: (call: FunctionCallItem, output: string, extras?: { readonly reads: OutputReads }) => WrittenItem;
  /** Marks the call as started, and uses up its approval. */
  readonly startCall: (call: FunctionCallItem, decision: AllowedCall) => Promise<void>;
  readonly limits: DelegationLimits;
  readonly spending: {
    left(): Promise<LeftOfRun>;
    addBelow(used: { readonly tokens: number; readonly usd: number }): void;
  };
  /** The person's assistant of this name. */
  readonly findAssistant: (name: string) => Promise<TurnAssistant | undefined>;
  /** What the model had read when it made the call. */
  readonly readBefore: (call: FunctionCallItem) => Promise<ReadSoFar>;
};

/**
 * The children that calls of a run have started, as one attempt sees them. Such a call stays pending while its child works. The
 * report is its output, written together with the mark that it was delivered, so that it comes once, also after a crash.
 */
export function createChildren(parts: ChildrenParts) {
  const { turn, run, items, spending, outputOf } = parts;
  const started = new Set<ItemId>(); // calls whose children have started, and have no output yet

  return {
    /** Finds the children that an earlier attempt has started. A history without such calls costs no statement. */
    async find(history: readonly Item[]): Promise<void> {
      const calls = pendingCalls(history).filter(({ name, startedAt }) => name === AGENT_RUN && startedAt !== null);
      if (calls.length === 0) return;
      const pending = new Set(calls.map(({ id }) => id)); // a message that cut a turn off has given its calls their outputs
      for (const { call } of await run.children.list()) if (pending.has(call)) started.add(call);
    },

    isStarted: (call: FunctionCallItem): boolean => started.has(call.id),
    areUnreported: (): boolean => started.size > 0,
    /** The tree of this run, as far as this attempt knows of one. */
    tree: () => turn.tree ?? (started.size > 0 ? (turn.run ?? turn.id) : undefined),

    /** Starts the child of a call. The output of a call that starts none says why. */
    async start(call: FunctionCallItem, decision: AllowedCall): Promise<Item[]> {
      const task = parseTask(call.arguments);
      if ('error' in task) return items.append([outputOf(call, task.error)]);
      const { assistant: name } = task.value;
      const assistant = name === undefined ? turn.request.assistant : await parts.findAssistant(name);
      if (name !== undefined && !assistant) return items.append([outputOf(call, noAssistant(name))]);
      if (!call.startedAt) await parts.startCall(call, decision);
      const child = childOf(turn, call, { ...task.value, assistant }, await parts.readBefore(call));
      const outcome = await run.children.start(child, {
        limits: parts.limits,
        left: await spending.left(),
      });
      if (outcome !== 'started' && outcome !== 'known')
        return items.append([outputOf(call, describeRefusal(outcome, parts.limits))]);
      started.add(call.id);
      return [];
    },

    /** Writes the reports of the children that have ended. */
    async takeReports(): Promise<Item[]> {
      const calls = new Map(pendingCalls(items.thread).map((call) => [call.id, call]));
      const ended = (await run.children.list()).filter(({ call, state }) => state === 'ended' && calls.has(call));
      const outputs: WrittenItem[] = [];
      for (const child of ended) {
        const call = calls.get(child.call);
        if (!call) continue;
        const { words, reads } = reportOf(child);
        const [received = ''] = await parts.safety.receive(turn, AGENT_RUN, [words]);
        outputs.push(outputOf(call, received, { reads }));
      }
      if (outputs.length === 0) return [];
      const delivered = ended.map(({ call }) => call);
      const written = await items.append(outputs, null, delivered);
      for (const { call, tokensUsed: tokens, usdUsed: usd } of ended) {
        started.delete(call);
        spending.addBelow({ tokens, usd });
      }
      return written;
    },
  };
}

/** It has the rights of the run above or fewer, and carries what that had read. Tools of a caller are the caller's, so it has none. */
function childOf(
  turn: Turn,
  call: FunctionCallItem,
  { task, budget, assistant }: Omit<Task, 'assistant'> & { readonly assistant: TurnAssistant | undefined },
  read: ReadSoFar,
) {
  const { assistant: own, search, withoutWeb, stores, mission, trace } = turn.request;
  const isOther = assistant?.id !== own?.id;
  const model = isOther ? null : turn.request.model; // another assistant has its own
  const assistants = [...(turn.request.above?.assistants ?? []), ...(isOther && own ? [own] : [])];
  const above: Above = {
    ownTexts: newestOf(read.ownTexts),
    opened: read.opened,
    ...(assistants.length > 0 && { assistants }),
  };
  const request: TurnRequest = {
    model,
    temperature: null,
    tools: [],
    echo: {},
    ...(search && { search }),
    ...(withoutWeb && { withoutWeb }),
    ...(stores && { stores }),
    ...(assistant && { assistant }),
    ...(mission && { mission }),
    ...(trace && { trace }),
    above,
  };
  const seen = read.seen();
  const message: NewItem = {
    id: newId(),
    type: 'message',
    role: 'user',
    author: 'agent',
    content: [text(task)],
    status: 'completed',
    reads: { foreign: read.situation !== 'clean', private: read.hasPrivate, ...(seen.length > 0 && { seen }) },
  };
  return {
    call: call.id,
    threadId: newId<Turn['threadId']>(),
    turnId: newId<Turn['id']>(),
    request,
    items: [message],
    opening: firstWords([message]).opening,
    tokens: budget ?? null,
  };
}

const noAssistant = (name: string) =>
  `Not started: there is no assistant ${JSON.stringify(name)}. Start it without one, or ask the user for the name.`;

/** Each child stores them. An address in an older text is asked about. */
const MOST_LETTERS = 32 * 1024;

function newestOf(texts: readonly string[]): readonly string[] {
  let letters = 0;
  const first = texts.findLastIndex((each) => (letters += each.length) > MOST_LETTERS);
  return texts.slice(first + 1);
}
