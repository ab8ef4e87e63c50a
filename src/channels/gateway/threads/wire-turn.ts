import { z } from 'zod';
import { wireItem, wireUsage } from './wire-items.ts';

const time = z.iso.datetime();

export const turnStatus = z.enum(['queued', 'running', 'waiting', 'completed', 'incomplete', 'failed', 'cancelled']);

export const wireFailure = z.strictObject({ code: z.string(), message: z.string() });

/**
 * A stretch of time in a turn, for a waterfall; they may overlap. `wait`: in the queue. `attempt`: one try at the turn; all but the last
 * were cut off by a crash or handed over. `model`: from the question to the last item of the answer. `retry`: the wait after a
 * model call that failed, known for an hour. `tool`: one call. `gate`: what the
 * turn ended at, until it was answered. `ended_at` null: it goes on.
 */
const span = z.strictObject({
  kind: z.enum(['wait', 'attempt', 'model', 'retry', 'tool', 'gate']),
  label: z.string(),
  attempt: z.int().nullable(),
  started_at: time.nullable().describe('null when it was not recorded.'),
  ended_at: time.nullable(),
  item_ids: z.array(z.uuid()).describe('The items it made.'),
  usage: wireUsage.nullable(),
});

/**
 * What was asked of the model. Prompts are not stored: this one is rebuilt from the items with the tools of now, and
 * `rebuilt` says so. `parts` have no bytes.
 */
const promptMessage = z.strictObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  text: z.string(),
  calls: z.array(z.strictObject({ call_id: z.string(), name: z.string(), arguments: z.string() })).optional(),
  call_id: z.string().optional(),
});

export const wirePrompt = z.strictObject({
  rebuilt: z.literal(true),
  system: z.string(),
  messages: z.array(promptMessage),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string().nullable(), parameters: z.unknown() })),
  temperature: z.number().nullable(),
});

/** What stands in a prompt for the older items of a thread, which stay in it. */
export const wireSummary = z.strictObject({
  text: z.string(),
  through_seq: z.int().describe('The last turn it tells of…'),
  through_position: z.int().describe('…and the last item of that turn.'),
  turn_id: z.uuid().describe('The turn that made it.'),
  provider: z.string(),
  model: z.string(),
  usage: wireUsage,
  created_at: time,
});

/** The body of `GET /api/turns/{id}`: everything that is known of how a turn went. */
export const turnInspection = z
  .strictObject({
    id: z.uuid(),
    response_id: z.string(),
    thread_id: z.uuid(),
    seq: z.int(),
    status: turnStatus,
    channel: z.enum(['responses', 'gateway', 'terminal', 'webhook']),
    model: z.string().nullable().describe('The route that was asked for; null for the default.'),
    failure: wireFailure.nullable(),
    usage: wireUsage,
    attempts: z.int().min(0).describe('How many times it was begun; above 1 after a crash or a handover.'),
    replica: z.uuid().nullable().describe('The replica that runs it now.'),
    created_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    items: z.array(wireItem),
    spans: z.array(span),
    gate: z
      .strictObject({
        id: z.uuid(),
        kind: z.enum(['external-tool', 'approval', 'auth', 'pairing']),
        call: z.strictObject({ call_id: z.string(), name: z.string(), arguments: z.string() }),
        created_at: time,
        answered_at: time.nullable(),
      })
      .nullable(),
    prompt: wirePrompt,
    summary: wireSummary.nullable().describe('The one in the prompt; null when the whole thread was in it.'),
    /** What a crash left half said; it is not part of the thread. Kept for an hour. */
    superseded: z.array(z.strictObject({ attempt: z.int(), text: z.string() })),
  })
  .meta({ id: 'TurnInspection' });
