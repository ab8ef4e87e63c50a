import { StaleWorkspace } from '#domain/errors.ts';
import type { ItemId } from '#domain/ids.ts';
import type { NumberedSource } from '#domain/search/source.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { AttachedPart, FunctionCallItem, Item, OutputReads, RanCode, WrittenItem } from '#domain/thread/item.ts';
import type { Situation } from '#domain/thread/origin.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { TurnEvent } from '#domain/thread/turn-event.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { readWebUse } from '#store/spending/web-use.ts';
import { deleteCallQuestion } from '#store/tools/call-questions.ts';
import { flowOf, InputRequired, SignInRequired } from '#tools/tool.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { AllowedCall } from '../gates/gates.ts';
import type { ProjectFiles } from '../projects/project-files.ts';
import { type Prepared, type Staging, stageFiles } from '../workspace/staging.ts';
import type { StoredFiles } from '../workspace/stored-files.ts';
import { keepFiles, outputOf } from './answer-items.ts';
import type { AttemptItems } from './attempt-items.ts';
import { callTool } from './call-tool.ts';
import type { TurnSteps } from './run-turn.ts';
import type { Safety } from './safety.ts';
import { stageSources } from './stage-sources.ts';
import { keepQuestion, startCall, undoStart } from './start-call.ts';
import type { AttemptLog } from './turn-log.ts';

type ToolParts = {
  readonly db: Database;
  readonly turn: Turn;
  readonly items: Pick<AttemptItems, 'append'>;
  readonly safety: Pick<Safety, 'receive'>;
  readonly attachments: Pick<Attachments, 'keep'>;
  readonly files: StoredFiles;
  readonly projectFiles: Pick<ProjectFiles, 'open'>;
  readonly run: Pick<TurnRun, 'setting'>;
  readonly log: AttemptLog;
  readonly emit: (event: TurnEvent) => void;
  readonly signal: AbortSignal;
  readonly traceparent: string | undefined;
};

/** Runs calls and writes their outputs. A call that a person must help with first stays pending, and has no output. */
export function createToolUse(parts: ToolParts): TurnSteps['callTool'] {
  const { db, turn, items } = parts;
  let sentBack: ItemId | undefined; // a call that needs another sign-in

  return async (call, decision) => {
    if (decision.kind === 'forbidden') return items.append([outputOf(call, FORBIDDEN)]);
    const isBack = sentBack === call.id;
    if (!call.startedAt || isBack) await withOwner(db, turn, (trx) => startCall(trx, turn, call, decision));
    try {
      return await writeOutput(parts, call, decision);
    } catch (error) {
      if (error instanceof InputRequired) {
        await withOwner(db, turn, (trx) => keepQuestion(trx, turn, call, decision, error));
        return []; // the call is still pending, and its gate asks the question
      }
      if (!(error instanceof SignInRequired)) throw error;
      if (isBack) return items.append([outputOf(call, NOT_SIGNED_IN)]);
      await withOwner(db, turn, (trx) => undoStart(trx, turn, call, decision));
      sentBack = call.id;
      return []; // the call is still pending, and its gate asks for the sign-in
    }
  };
}

async function writeOutput(parts: ToolParts, call: FunctionCallItem, decision: AllowedCall): Promise<Item[]> {
  const { db, turn } = parts;
  const written = await makeOutput(parts, call, decision);
  if (decision.answered) await withOwner(db, turn, (trx) => deleteCallQuestion(trx, turn, call.id));
  return written;
}

async function makeOutput(parts: ToolParts, call: FunctionCallItem, decision: AllowedCall): Promise<Item[]> {
  const { turn, signal, traceparent, emit } = parts;
  const { tool, allowedBy, decided, situation } = decision;
  const files: AttachedPart[] = [];
  const { project } = parts.run.setting;
  const openShared = project?.hasFiles ? () => parts.projectFiles.open(turn, project) : undefined;
  const staging = stageFiles(parts.files, turn, signal, openShared);
  const sources = stageSources(parts.db, turn);
  let ran: RanCode | undefined;
  let cost: ModelCall | undefined;
  let reads: OutputReads = tool ? flowOf(tool).reads : {};
  const returned = await parts.log.toolCalled(call, tool, (onStopped) =>
    callTool(call, {
      turn,
      decision,
      signal,
      traceparent,
      workspace: staging.port,
      sources: sources.port,
      search: turn.request.search,
      stores: turn.request.stores,
      webUse: () => withOwner(parts.db, turn, (trx) => readWebUse(trx, turn, { ...turn, run: turn.run ?? turn.id })),
      onCost: (counted) => (cost = counted),
      onProgress: (progress) => emit({ type: 'tool-progress', itemId: call.id, ...progress }),
      onFile: (file) => files.push(file),
      onReads: (said) => (reads = said),
      onRan: (how) => (ran = how),
      onStopped,
    }),
  );
  const { text, seen } = await receive(parts, call.name, returned, sources.staged);
  const append = (output: WrittenItem) => parts.items.append([output], cost ?? null);
  return writeWithFiles(append, staging, situation, async ({ version, line }) => {
    const added = line ? await parts.safety.receive(turn, call.name, [line]) : [];
    const output = outputOf(call, [text, ...added].join('\n'), {
      reads,
      ran,
      allowedBy,
      decided,
      costUsd: cost && usdOf(cost),
      files,
      version,
      sources: seen,
    });
    return keepFiles(output, (kept) => parts.attachments.keep(turn, kept));
  });
}

const usdOf = ({ usage: { cost } }: ModelCall): number | null => cost && cost.inputUsd + cost.outputUsd;

/** The output and the pages that the call has read, without secrets: the pages are stored whole, and are shown again later. */
async function receive(
  { safety, turn }: Pick<ToolParts, 'safety' | 'turn'>,
  toolName: string,
  output: string,
  sources: readonly NumberedSource[],
): Promise<{ text: string; seen: NumberedSource[] }> {
  const texts = sources.flatMap(({ title, text }) => [title, text]);
  const [received = '', ...rest] = await safety.receive(turn, toolName, [output, ...texts]);
  const seen = sources.map((source, index) => ({
    ...source,
    title: rest[2 * index] ?? '',
    text: rest[2 * index + 1] ?? '',
  }));
  return { text: received, seen };
}

/** Writes an output together with the files that its call has changed. They move to a newer version if a person made one meanwhile. */
async function writeWithFiles(
  append: (output: WrittenItem) => Promise<Item[]>,
  staging: Staging,
  situation: Situation | undefined,
  outputWith: (prepared: Prepared) => Promise<WrittenItem>,
): Promise<Item[]> {
  let prepared = await staging.prepare(situation);
  try {
    for (;;) {
      try {
        const written = await append(await outputWith(prepared));
        staging.end(prepared.version);
        return written;
      } catch (error) {
        if (!(error instanceof StaleWorkspace)) throw error;
        prepared = (await staging.move()) ? await staging.prepare(situation) : TOO_BUSY;
      }
    }
  } finally {
    staging.end(undefined);
  }
}

const TOO_BUSY: Prepared = {
  version: undefined,
  line: 'files: not changed, because the user changed files at the same time. Run the call again.',
};

const NOT_SIGNED_IN = 'Not run: the server refused the sign-in. Continue without the tool, and say so.';
const FORBIDDEN = 'Not run: the operator has forbidden this tool. Continue without it, and say so.';
