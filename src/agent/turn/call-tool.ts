import type { FailureDetails } from '#domain/failure/failure-details.ts';
import { type BlockReason, blockReasonOf, type FunctionCallItem } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { flowOf, InputRequired, SignInRequired, type ToolContext } from '#tools/tool.ts';
import type { AllowedCall } from '../gates/gates.ts';

/** The service could not run a tool. Errors that a tool reports are its output instead. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly details: FailureDetails;

  constructor(tool: string, options: ErrorOptions) {
    super(`The tool ${tool} could not be run.`, options);
    this.details = { code: 'tool.failed', values: { tool } };
  }
}

/** Runs a call and resolves to the output for the model. Non-repeatable tools are never retried. Throws `SignInRequired` and `InputRequired`. */
export async function callTool(
  call: FunctionCallItem,
  options: {
    turn: Turn;
    decision: Pick<AllowedCall, 'tool' | 'secretsOf' | 'situation' | 'ownLinks' | 'seen' | 'allowedBy' | 'answered'>;
    workspace?: ToolContext['workspace'];
    sources?: ToolContext['sources'];
    search?: ToolContext['search'];
    stores?: ToolContext['stores'];
    webUse?: ToolContext['webUse'];
    onCost?: ToolContext['onCost'];
    onProgress?: ToolContext['onProgress'];
    onFile?: ToolContext['onFile'];
    onReads?: ToolContext['onReads'];
    onRan?: ToolContext['onRan'];
    onStopped?: ToolContext['onStopped'];
    signal: AbortSignal;
    traceparent?: string | undefined;
  },
): Promise<string> {
  const { turn, signal, traceparent } = options;
  const { tool, secretsOf, situation, ownLinks, seen, allowedBy, answered } = options.decision;
  const blocked = blockReasonOf(call);
  if (blocked) return BLOCKED_OUTPUTS[blocked];
  if (!tool) return `There is no tool named "${call.name}". Use only the tools you were given.`;
  const isRepeatable = tool.repeatable && !flowOf(tool, call.arguments).irreversible;
  if (isFound(call, turn) && !isRepeatable) return 'interrupted: the outcome is unknown';

  try {
    const idempotencyKey = `${call.turnId}:${call.position}`;
    return await tool.call(call.arguments, {
      owner: turn,
      secretsOf,
      idempotencyKey,
      signal,
      traceparent,
      answered,
      situation,
      ownLinks,
      seen,
      turn,
      allowedBy,
      workspace: options.workspace,
      sources: options.sources,
      search: options.search,
      stores: options.stores,
      webUse: options.webUse,
      onCost: options.onCost,
      onProgress: options.onProgress,
      onFile: options.onFile,
      onReads: options.onReads,
      onRan: options.onRan,
      onStopped: options.onStopped,
    });
  } catch (error) {
    if (signal.aborted || error instanceof SignInRequired || error instanceof InputRequired) throw error;
    throw new ToolFailure(call.name, { cause: error });
  }
}

const BLOCKED_OUTPUTS: Readonly<Record<BlockReason, string>> = {
  leak: 'Not run: the arguments held a stored secret. The host gives a tool the secrets it needs. Call the tool without the secret.',
  unsearched:
    'Not run: the arguments could not be searched for secrets. They are too long, or the search took too long. Shorten them, or call the tool again later.',
};

/** Whether an earlier attempt started the call and crashed before the output. Each turn counts its attempts from 0. */
export function isFound(call: FunctionCallItem, turn: Turn): boolean {
  return call.startedAt !== null && (call.turnSeq !== turn.seq || call.attempt !== turn.attempt);
}
