import { z } from 'zod';
import type { Inspection, InspectTurn } from '#agent/inspection/inspect-turn.ts';
import { CHAT_CHANNELS } from '#domain/chat/chat-channel.ts';
import type { TurnId } from '#domain/ids.ts';
import type { WebCount } from '#domain/search/web-use.ts';
import { textOf } from '#domain/thread/item.ts';
import { ALLOWED_BY } from '#domain/tool/allowed-by.ts';
import type { TurnSpan } from '#domain/trace/turn-span.ts';
import { renderUsd } from '#domain/usage.ts';
import { hasForeignInstructions } from '#domain/work/project.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import {
  because,
  nestedGate,
  renderBecause,
  renderNestedGate,
  renderToolCall,
  situation,
} from '../gates/gate-shape.ts';
import { renderItem, renderUsage, spent, threadItem } from './item-shape.ts';
import { failure, turnIds, turnStatus } from './turn-shape.ts';

const time = z.iso.datetime();

/**
 * A period of a turn, for a waterfall chart; periods may overlap. `wait`: in the queue. `attempt`: one attempt; all but the
 * last were ended by a crash or a handover. `model`: from the prompt to the last item of the answer. `retry`: the wait after
 * a failed model call, kept for an hour. `tool`: one call. `gate`: from opening the gate to its answer. `ended_at` is null while the period lasts.
 */
const spanShape = z.strictObject({
  kind: z.enum(['wait', 'attempt', 'model', 'retry', 'tool', 'gate']),
  label: z.string(),
  attempt: z.int().nullable(),
  started_at: time.nullable().describe('null when it was not recorded.'),
  ended_at: time.nullable(),
  item_ids: z.array(z.uuid()).describe('The items it produced.'),
  usage: spent.nullable(),
});

/** Prompts are not stored. This one is rebuilt from the items and the present tools, which `rebuilt` says. */
const promptMessage = z.strictObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  text: z.string(),
  calls: z.array(z.strictObject({ call_id: z.string(), name: z.string(), arguments: z.string() })).optional(),
  call_id: z.string().optional(),
});

const promptShape = z.strictObject({
  rebuilt: z.literal(true),
  system: z.string(),
  messages: z.array(promptMessage),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string().nullable(), parameters: z.unknown() })),
  temperature: z.number().nullable(),
});

/** Replaces older items in the prompt; the items themselves stay in the thread. */
const summaryShape = z.strictObject({
  text: z.string(),
  through_seq: z.int().describe('The last turn it covers.'),
  through_position: z.int().describe('The last item of that turn it covers.'),
  turn_id: z.uuid().describe('The turn that wrote it.'),
  provider: z.string(),
  model: z.string(),
  usage: spent,
  created_at: time,
});

const webCount = z.strictObject({
  searches: z.int().min(0),
  pages: z.int().min(0),
  cost_usd: z.string().nullable().describe('What the searches cost, as a decimal; null when a price is unknown.'),
});

const timedGate = nestedGate.extend({ created_at: time, answered_at: time.nullable() });

const turnInspection = z
  .strictObject({
    id: z.uuid(),
    thread_id: z.uuid(),
    response_id: z.string(),
    seq: z.int(),
    status: turnStatus,
    channel: z.enum(['responses', 'chat-completions', 'gateway', 'webhook', 'mission', ...CHAT_CHANNELS]),
    model: z.string().nullable().describe('The requested model route; null for the default.'),
    assistant: z
      .strictObject({ id: z.uuid(), name: z.string(), version: z.int() })
      .nullable()
      .describe('The assistant that answered, and its version then; null for the usual agent.'),
    failure: failure.nullable(),
    usage: spent,
    attempts: z.int().min(0).describe('How many times it was started; more than 1 after a crash or a handover.'),
    replica: z.uuid().nullable().describe('The replica that runs it now.'),
    created_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    items: z.array(threadItem),
    spans: z.array(spanShape),
    subagents: z
      .array(
        z.strictObject({
          call: z.uuid().describe('The item of the call that it belongs to.'),
          thread_id: z.uuid().describe('The thread that it works in.'),
          level: z.int().min(1).describe('1 for those of calls of this turn.'),
          task: z.string().describe('The beginning of its task.'),
          spans: z.array(spanShape),
        }),
      )
      .describe(
        'The subagents of its calls and those below them, each after the one above it, with the periods of all their turns.',
      ),
    calls: z
      .array(
        z.strictObject({
          call_id: z.string(),
          situation,
          because: z.array(because),
          allowed_by: z
            .enum(ALLOWED_BY)
            .nullable()
            .describe(
              "What let the call run: the operator's level, an `always`, an approval of this call, of the links of its site or of research, the tool's own rule, or that nothing by others was read. null if it has not run, or if that was not recorded.",
            ),
          layers: z
            .array(z.string())
            .nullable()
            .describe('The layers of the sandbox that held when the call ran code; null if it ran none.'),
        }),
      )
      .describe('What the model had read when it made each call, without texts that the person has trusted since.'),
    web: z
      .strictObject({
        turn: webCount,
        run: webCount.describe("Since the person's last message."),
        today: webCount.describe('Of the user, on this day (UTC).'),
      })
      .describe('What was searched and opened.'),
    project: z
      .strictObject({
        id: z.uuid(),
        name: z.string(),
        text: z.string().describe('What it adds to the system prompt. May be empty.'),
        by_others: z.boolean().describe('Whether another person wrote the instructions.'),
      })
      .nullable()
      .describe('The project of the thread, as it is now.'),
    gate: timedGate.nullable(),
    prompt: promptShape,
    summary: summaryShape.nullable().describe('The summary in the prompt; null when the prompt had the whole thread.'),
    steered_by: z
      .strictObject({
        turn_id: z.uuid(),
        message: z.string().describe('How the message begins.'),
        waited_ms: z.number().min(0).describe('The time from the message to the end of this turn.'),
      })
      .nullable()
      .describe('The message that ended the turn early.'),
    /** Text of attempts that crashed. It is not part of the thread, and kept for an hour. */
    superseded: z.array(z.strictObject({ attempt: z.int(), text: z.string() })),
  })
  .meta({ id: 'TurnInspection' });

export const inspectTurn = defineRoute({
  method: 'get',
  path: '/api/turns/{id}',
  summary: 'Get everything known about a turn: its items, attempts, times and prompt.',
  params: z.object({ id: uuid<TurnId>('This turn does not exist.') }),
  responses: { 200: { description: 'The turn.', json: turnInspection } },
  errors: [404],
  async handle({ principal, params }, { inspect }: { inspect: InspectTurn }) {
    return renderInspection(await inspect(principal, params.id));
  },
});

function renderInspection(inspection: Inspection): z.infer<typeof turnInspection> {
  const { turn, gate } = inspection;
  return renderAs(turnInspection, turn, {
    ...turnIds(turn),
    model: turn.request.model,
    assistant: turn.request.assistant ?? null,
    usage: renderUsage(turn.usage),
    attempts: turn.attempt + 1,
    replica: inspection.runner,
    started_at: inspection.startedAt?.toISOString() ?? null,
    items: inspection.items.map(renderItem),
    spans: inspection.spans.map(renderSpan),
    subagents: inspection.subagents.map(({ call, threadId, level, task, spans }) => ({
      call,
      thread_id: threadId,
      level,
      task,
      spans: spans.map(renderSpan),
    })),
    calls: inspection.judged.map(({ callId, read, allowedBy, layers }) => ({
      call_id: callId,
      situation: read.situation,
      because: read.sources.map(renderBecause),
      allowed_by: allowedBy ?? null,
      layers: layers ? [...layers] : null,
    })),
    web: {
      turn: renderWebCount(inspection.web.ofTurn),
      run: renderWebCount(inspection.web.ofRun),
      today: renderWebCount(inspection.web.today),
    },
    project: renderProject(inspection),
    gate: gate ? renderAs(timedGate, gate, renderNestedGate(gate)) : null,
    prompt: renderPrompt(inspection.prompt),
    summary: inspection.summary ? renderSummary(inspection.summary) : null,
    steered_by: inspection.steered
      ? { turn_id: inspection.steered.by, message: inspection.steered.message, waited_ms: inspection.steered.waitedMs }
      : null,
    superseded: [...inspection.superseded],
  });
}

const renderSpan = (span: TurnSpan): z.infer<typeof spanShape> =>
  renderAs(spanShape, span, { usage: span.usage && renderUsage(span.usage) });

const renderWebCount = ({ searches, pages, usd }: WebCount): z.infer<typeof webCount> => ({
  searches,
  pages,
  cost_usd: usd === null ? null : renderUsd(usd),
});

const renderProject = ({ project, turn }: Inspection): z.infer<typeof turnInspection>['project'] =>
  project
    ? {
        id: project.of.id,
        name: project.of.name,
        text: project.text,
        by_others: hasForeignInstructions(project.of, turn.userId),
      }
    : null;

const renderSummary = (summary: NonNullable<Inspection['summary']>): z.infer<typeof summaryShape> =>
  renderAs(summaryShape, summary, { usage: renderUsage(summary.usage) });

function renderPrompt(prompt: Inspection['prompt']): z.infer<typeof promptShape> {
  return {
    rebuilt: true,
    system: prompt.system,
    temperature: prompt.temperature,
    tools: prompt.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    messages: prompt.messages.map((message) => {
      if (message.role === 'assistant')
        return { role: message.role, text: message.text, calls: message.calls.map(renderToolCall) };
      if (message.role === 'tool') return { role: message.role, text: textOf(message.output), call_id: message.callId };
      return { role: message.role, text: textOf(message.content) };
    }),
  };
}
