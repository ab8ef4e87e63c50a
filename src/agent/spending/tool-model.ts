import type { ItemId } from '#domain/ids.ts';
import type { ModelCall } from '#domain/spending.ts';
import { type FunctionCallItem, type ToolModelCall, text } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { Usage } from '#domain/usage.ts';
import { type Model, ModelCallAborted, ModelFailure, type Prompt } from '#models/model.ts';
import type { AuditEntry } from '#store/audit.ts';
import { ModelRefused, type ToolModelAnswer, type ToolModelRequest } from '#tools/tool.ts';
import { BudgetExceeded } from './budget.ts';
import type { Meter } from './budget-meter.ts';

const PATIENCE_MS = 60_000;

/** For models that ignore the limit of tokens. */
const CHARACTERS_PER_TOKEN = 6;

/**
 * The model for tools that ask for it. It gets what the tool sent, and nothing of the user: no history, notes, secrets or
 * tools. Each call is within the user's limits, and is counted before its answer leaves the service.
 */
export function createToolModel(parts: {
  readonly findModel: () => Promise<Model>;
  readonly meterFor: (signal: AbortSignal) => Pick<Meter, 'ask' | 'failedCalls'>;
  readonly redactor: () => Promise<(said: string) => string>;
  /** Counts the call, and writes it to the audit log. */
  readonly count: (tool: string, call: ModelCall) => Promise<void>;
  readonly signal: AbortSignal;
  readonly patienceMs?: number;
}) {
  const made = new Map<ItemId, ToolModelCall[]>();

  async function ask(call: FunctionCallItem, request: ToolModelRequest): Promise<ToolModelAnswer> {
    const redact = await parts.redactor();
    const model = await parts.findModel();
    const tooLong = new AbortController();
    const late = AbortSignal.timeout(parts.patienceMs ?? PATIENCE_MS);
    const meter = parts.meterFor(AbortSignal.any([parts.signal, tooLong.signal, late]));
    const limit = request.maxTokens * CHARACTERS_PER_TOKEN;
    const startedAt = new Date().toISOString();
    let said = '';
    const hear = (delta: string) => {
      said += delta;
      if (said.length > limit) tooLong.abort();
    };
    const answerOf = (whole: string, isCut: boolean) => ({
      text: redact(whole.slice(0, limit)),
      model: model.name,
      isCut: isCut || whole.length > limit,
    });
    const count = async (counted: ModelCall) => {
      const { usage } = counted;
      const entry = { tool: call.name, startedAt, milliseconds: Math.round(counted.milliseconds), usage };
      made.set(call.id, [...(made.get(call.id) ?? []), entry]);
      await parts.count(call.name, counted);
    };
    try {
      const answered = await meter.ask(model, toPrompt(request, redact), hear);
      await count(answered.call);
      return answerOf(answered.answer.text, answered.answer.finish === 'length');
    } catch (error) {
      for (const failed of meter.failedCalls()) await count(failed);
      parts.signal.throwIfAborted();
      if (error instanceof ModelCallAborted && tooLong.signal.aborted) return answerOf(said, true);
      throw explain(error);
    }
  }

  return {
    ask,
    /** The calls of a tool that has ended, for its output. */
    take(id: ItemId): readonly ToolModelCall[] {
      const taken = made.get(id) ?? [];
      made.delete(id);
      return taken;
    },
    /** The usage of calls that are in no output. */
    usages: (): readonly Usage[] => [...made.values()].flat().map(({ usage }) => usage),
  };
}

/** The entry of the audit log: numbers, and none of the text. */
export function describeToolModelCall(
  { id, userId }: Pick<Turn, 'id' | 'userId'>,
  tool: string,
  call: ModelCall,
): AuditEntry {
  const { model, failed, usage } = call;
  const { inputTokens, outputTokens } = usage;
  return {
    actor: userId,
    action: 'mcp.sample',
    subject: tool,
    detail: { turn: id, model, inputTokens, outputTokens, failed },
  };
}

function toPrompt({ instructions, messages, maxTokens, temperature }: ToolModelRequest, redact: Redact): Prompt {
  return {
    system: [SYSTEM, redact(instructions)].filter(Boolean).join('\n\n'),
    messages: messages.map(({ role, text: said }) =>
      role === 'user' ? { role, content: [text(redact(said))] } : { role, text: redact(said), calls: [] },
    ),
    tools: [],
    temperature,
    sampling: { maxOutputTokens: maxTokens },
  };
}

type Redact = (said: string) => string;

const SYSTEM =
  'A program asks you to write a text for it. You have no tools and know nothing about the people who use the program. Answer with text only, from what the program sends you.';

/** A tool learns that there is no answer, not why a provider failed or what a user has spent. */
function explain(error: unknown): unknown {
  if (error instanceof BudgetExceeded) return new ModelRefused("The user can't use the model any more today.");
  if (error instanceof ModelCallAborted) return new ModelRefused('The model took too long.');
  if (error instanceof ModelFailure) return new ModelRefused('The model could not answer.');
  return error;
}
