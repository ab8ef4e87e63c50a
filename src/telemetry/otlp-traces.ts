import { createHash } from 'node:crypto';
import { hexFromUuid } from '#domain/ids.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { TurnSpan } from '#domain/thread/turn-span.ts';
import type { Usage } from '#domain/usage.ts';

/** The trace of one turn. Its trace ID is derived from the turn's ID, so that each can be found from the other. */
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
  const traceId = hexFromUuid(turn.id);
  const root = {
    traceId,
    spanId: spanIdOf(turn, 'turn'),
    name: 'turn',
    kind: SERVER,
    ...timesOf(turn.createdAt, turn.endedAt),
    attributes: toAttributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': turn.threadId,
      'reborn.channel': turn.channel,
      'reborn.status': turn.status,
      'reborn.attempts': turn.attempt + 1,
      'error.type': turn.failure?.code,
      ...usageAttributes(turn.usage),
    }),
    status: turn.status === 'failed' ? { code: ERROR, message: turn.failure?.code } : {},
  };
  const parts = spans.flatMap((span, index) => {
    if (!span.startedAt || !span.endedAt) return []; // ended by a crash or a gate, so there is no end time
    const { name, attributes } = describe(span);
    return {
      traceId,
      spanId: spanIdOf(turn, `${index}`),
      parentSpanId: root.spanId,
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
    return { name: 'chat', attributes: { 'gen_ai.operation.name': 'chat', ...(usage && usageAttributes(usage)) } };
  if (kind === 'tool')
    return {
      name: `execute_tool ${label}`,
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': label },
    };
  if (kind === 'retry') return { name: 'retry', attributes: {} }; // its label contains the provider's message
  return { name: kind === 'gate' ? `gate ${label}` : label, attributes: {} };
}

const usageAttributes = ({ inputTokens, outputTokens, cachedInputTokens }: Usage): Attributes => ({
  'gen_ai.usage.input_tokens': inputTokens,
  'gen_ai.usage.output_tokens': outputTokens,
  'gen_ai.usage.cache_read.input_tokens': cachedInputTokens,
});

/** Always the same for the same span, so that a span sent twice is stored once. */
const spanIdOf = (turn: Turn, part: string) =>
  createHash('sha256').update(`${turn.id} ${part}`).digest('hex').slice(0, 16);

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
