import { z } from 'zod';
import type { GateId, ThreadId, TurnId } from '#domain/ids.ts';
import { uuid } from '#http/routes/uuid.ts';
import { chatRequest } from '../chat/chat-request.ts';
import { gateAnswer } from '../gates/gate-routes.ts';
import { openGate } from '../gates/gate-shape.ts';
import { listedJob } from '../jobs/job-routes.ts';
import { failureDetails } from '../threads/failure-shape.ts';
import { bareItem, spent, threadItem } from '../threads/item-shape.ts';
import { thread } from '../threads/thread-shape.ts';
import { failure, placed, turnStatus } from '../threads/turn-shape.ts';

/** Any message may carry an `id` of the client's own; the `accepted`, `pong` or `error` that answers it has the same. */
const reference = { id: z.string().max(100).optional() };
const idAt = <Id extends string>(name: string) => uuid<Id>(`${name} must be an id.`);

/**
 * `after` is the last event that the client has of the thread: what follows it comes, in order, nothing twice. Without a
 * `sequence`, that turn is sent from its start. Without `after`: the running turn from its start, and what follows.
 * A socket may subscribe to several threads; to the same one again, which starts it again. Of other threads,
 * it gets only `thread`.
 */
const subscribe = z.object({
  type: z.literal('subscribe'),
  ...reference,
  thread_id: idAt<ThreadId>('thread_id'),
  after: z
    .object({
      turn_id: idAt<TurnId>('after.turn_id'),
      sequence: z.int('after.sequence must be a number.').min(-1).optional(),
    })
    .nullish(),
});

/** What a client says. A `send` is answered by `accepted`, and its thread is subscribed to from that turn on. */
export const clientMessage = z
  .discriminatedUnion(
    'type',
    [
      subscribe,
      z.object({ type: z.literal('unsubscribe'), ...reference, thread_id: idAt<ThreadId>('thread_id') }),
      chatRequest.extend({ type: z.literal('send'), ...reference }),
      z.object({ type: z.literal('cancel'), ...reference, turn_id: idAt<TurnId>('turn_id') }),
      gateAnswer.extend({ type: z.literal('gate'), ...reference, gate_id: idAt<GateId>('gate_id') }),
      z.object({ type: z.literal('ping'), ...reference }),
    ],
    'type must be subscribe, unsubscribe, send, cancel, gate or ping.',
  )
  .meta({ id: 'ClientMessage' });

/**
 * What happens in a turn. `turn-started` has the number -1 and brings the input. A message is added empty and filled by
 * deltas, everything else is added whole. `written: false`: what a crash left half said, which stands nowhere.
 * `model-failed`: a model failed before it said anything; `next`, the same model or the route's next one, is asked after
 * `wait_ms`. `tool-progress`: how far a call is, as its MCP server says; foreign text.
 */
const wireTurnEvent = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('turn-started'),
      seq: z.int(),
      channel: z.string(),
      created_at: z.iso.datetime(),
      assistant: z.string().optional().describe('The assistant that answers. Left out for the usual agent.'),
      items: z.array(threadItem),
    }),
    z.strictObject({ type: z.literal('item-added'), item: bareItem }),
    z.strictObject({ type: z.literal('text-delta'), item_id: z.uuid(), delta: z.string() }),
    z.strictObject({ type: z.literal('item-done'), item: bareItem, written: z.boolean() }),
    z.strictObject({
      type: z.literal('model-failed'),
      model: z.string(),
      message: z.string(),
      details: failureDetails.optional(),
      tries: z
        .strictObject({ next: z.int(), most: z.int() })
        .optional()
        .describe('Which try of the same model comes next, and the most there are.'),
      next: z.string(),
      wait_ms: z.number().min(0),
      failed_at: z.iso.datetime(),
    }),
    z.strictObject({
      type: z.literal('tool-progress'),
      item_id: z.uuid(),
      progress: z.number(),
      total: z.number().nullable(),
      message: z.string().nullable(),
    }),
    z.strictObject({
      type: z.literal('turn-ended'),
      status: turnStatus,
      failure: failure.nullable(),
      steered_by: z.uuid().nullable().describe('The turn of the message that ended this one early.'),
      usage: spent,
      ended_at: z.iso.datetime(),
    }),
  ])
  .meta({ id: 'TurnEvent' });

const error = z.strictObject({
  message: z.string(),
  type: z.string(),
  code: z.string().nullable(),
  param: z.string().nullable(),
  retry_after: z.int().optional().describe('Seconds to wait, when there were too many sends.'),
});

/**
 * What the server says. Numbers count up within an attempt at a turn; attempt n begins at n x 1,000,000, so none is ever
 * used twice. `thread`: one of the user's threads was made or has changed. `gate`: a subscribed thread waits, or its gate was answered. `line`: a
 * subscribed thread shows another version of a message; list its items again, unless they came with this `line`. `job`: a
 * webhook job has moved; a user's own, or for the operator any. `resubscribe`: this subscription broke off and
 * is over; subscribe again with `after`. A client that returns after more than an hour, or after a crash of PostgreSQL has lost events,
 * may get whole items again, as `item-done` without deltas: they replace what was known of them.
 */
export const serverMessage = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('turn-event'),
      thread_id: z.uuid(),
      turn_id: z.uuid(),
      sequence: z.int().min(-1),
      event: wireTurnEvent,
    }),
    z.strictObject({
      type: z.literal('thread'),
      thread: thread.nullable().describe('null: the thread was deleted.'),
      thread_id: z.uuid(),
    }),
    z.strictObject({
      type: z.literal('gate'),
      thread_id: z.uuid(),
      gate: openGate.nullable().describe('null: the gate was answered.'),
    }),
    z.strictObject({ type: z.literal('line'), thread_id: z.uuid(), line: z.int().min(0) }),
    z.strictObject({ type: z.literal('job'), job: listedJob }),
    z.strictObject({
      type: z.literal('accepted'),
      id: z.string().optional(),
      thread_id: z.uuid(),
      turn_id: z.uuid(),
      response_id: z.string(),
      placed,
    }),
    z.strictObject({ type: z.literal('resubscribe'), thread_id: z.uuid() }),
    z.strictObject({ type: z.literal('pong'), id: z.string().optional() }),
    z.strictObject({ type: z.literal('error'), id: z.string().optional(), error }),
  ])
  .meta({ id: 'ServerMessage' });

export type ClientMessage = z.infer<typeof clientMessage>;
export type ServerMessage = z.infer<typeof serverMessage>;
