import type { Turn } from '#domain/thread/turn.ts';
import { attemptSpanId, spanIdOf, traceIdOf } from '#domain/trace/trace-context.ts';
import type { TurnSpan } from '#domain/trace/turn-span.ts';
import type { Usage } from '#domain/usage.ts';

/**
 * The trace of one turn, made from its stored rows after its end: a crash loses no span, and the attempts on several
 * replicas are one trace. Its trace ID is the caller's, or the turn's ID.
 */
export type TurnTrace = { readonly turn: Turn; readonly spans: readonly TurnSpan[] };

/** The body of an OTLP/HTTP request. It contains no content of the conversation, only durations and costs. */
function toOtlpTraces(traces: readonly TurnTrace[], service: { readonly version: string; replica: string }) {
  const resource = {
    'service.name': 'reborn',
    'service.version': service.version,
    'service.instance.id': service.replica,
  };
  const scopeSpans = [{ scope: { name: 'reborn' }, spans: traces.flatMap(toSpans) }];
  return { resourceSpans: [{ resource: { attributes: toAttributes(resource) }, scopeSpans }] };
}

function toSpans({ turn, spans }: TurnTrace) {
  const traceId = traceIdOf(turn);
  const root = {
    traceId,
    spanId: spanIdOf(turn, 'turn'),
    ...(turn.request.trace && { parentSpanId: turn.request.trace.parentId }),
    name: 'invoke_agent reborn',
    kind: SERVER,
    ...timesOf(turn.createdAt, turn.endedAt),
    attributes: toAttributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'reborn',
      'gen_ai.conversation.id': turn.threadId,
      'gen_ai.response.model': turn.usage.model,
      'reborn.turn.id': turn.id,
      'reborn.channel': turn.channel,
      'reborn.status': turn.status,
      'reborn.attempts': turn.attempt + 1,
      'error.type': turn.failure?.code,
      ...usageAttributes(turn.usage),
    }),
    status: turn.status === 'failed' ? { code: ERROR, message: turn.failure?.code } : {},
  };
  const ended = spans.filter((span) => span.startedAt && span.endedAt); // others were ended by a crash or a gate
  const isAttempt = (attempt: number | null) =>
    ended.some((span) => span.kind === 'attempt' && span.attempt === attempt);
  const parts = spans.flatMap((span, index) => {
    if (!span.startedAt || !span.endedAt) return [];
    const { name, attributes } = describe(span);
    return {
      traceId,
      spanId: isWhole(span) ? attemptSpanId(turn, span.attempt) : spanIdOf(turn, `${index}`),
      parentSpanId:
        !isWhole(span) && span.attempt !== null && isAttempt(span.attempt)
          ? attemptSpanId(turn, span.attempt)
          : root.spanId,
      name,
      kind: span.kind === 'model' ? CLIENT : INTERNAL,
      ...timesOf(span.startedAt, span.endedAt),
      attributes: toAttributes({ 'reborn.attempt': span.attempt ?? undefined, ...attributes }),
      status: {},
    };
  });
  return [root, ...parts];
}

/** Named by the OpenTelemetry conventions for generative models. */
function describe({ kind, label, usage }: TurnSpan): { name: string; attributes: Attributes } {
  if (kind === 'model')
    return {
      name: usage?.model === undefined ? 'chat' : `chat ${usage.model}`,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.response.model': usage?.model,
        ...(usage && usageAttributes(usage)),
      },
    };
  if (kind === 'tool')
    return {
      name: `execute_tool ${label}`,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': label,
        'gen_ai.tool.type': 'function',
      },
    };
  if (kind === 'retry') return { name: 'retry', attributes: {} }; // its label contains the provider's message
  return { name: kind === 'gate' ? `gate ${label}` : label, attributes: {} };
}

const usageAttributes = ({ inputTokens, outputTokens, cachedInputTokens }: Usage): Attributes => ({
  'gen_ai.usage.input_tokens': inputTokens,
  'gen_ai.usage.output_tokens': outputTokens,
  'gen_ai.usage.cache_read.input_tokens': cachedInputTokens,
});

const isWhole = (span: TurnSpan): span is TurnSpan & { readonly attempt: number } =>
  span.kind === 'attempt' && span.attempt !== null;

const timesOf = (start: Date, end: Date | null) => ({
  startTimeUnixNano: nanoseconds(start),
  endTimeUnixNano: nanoseconds(end ?? start),
});
const nanoseconds = (time: Date) => `${time.getTime()}000000`;

type Attributes = Readonly<Record<string, string | number | undefined>>;

const toAttributes = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } };
  });

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
const ERROR = 2;

const TIMEOUT_MS = 5000;

/** Posts traces to an OpenTelemetry collector; throws when it did not accept them. */
export function createTraceSender(endpoint: string, service: { readonly version: string; readonly replica: string }) {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  return async (traces: readonly TurnTrace[]): Promise<void> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(toOtlpTraces(traces, service)),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`The collector at ${url} answered ${answer.status}.`);
  };
}
