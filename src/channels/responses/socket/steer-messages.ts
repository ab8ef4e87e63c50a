import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import type { TurnId } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import { content } from '../request/content.ts';
import { responseId } from '../response/response-object.ts';

const STEER = 'response.steer';

/** What a client sends to steer a response of its socket. */
export const steerMessage = z
  .looseObject({
    type: z.literal(STEER),
    previous_response_id: responseId.describe('A response of this socket that is in progress, or waits for a tool.'),
    input: z
      .union([
        z.string().regex(/\S/),
        z.array(z.looseObject({ type: z.literal('message').nullish(), role: z.literal('user'), content })).min(1),
      ])
      .describe('A message, or messages with the role `user`.'),
  })
  .meta({ id: 'SteerMessage' });

const steerId = z.string().regex(/^steer_[0-9a-f]{32}$/);
const submission = z.strictObject({ id: steerId, previous_response_id: responseId });
const common = { sequence_number: z.int().min(0), stream_id: z.string().optional() };

const CODES = [
  'response_not_found',
  'invalid_input',
  'steering_not_supported',
  'too_many_pending_steers',
  'response_already_completed',
  'response_not_active',
  'successor_creation_failed',
] as const;
export type SteerCode = (typeof CODES)[number];

/** The answers to it. `sequence_number` is that of the newest event of the steered response. */
export const steerEvent = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('response.steer.accepted'), ...common, steer: submission })
      .describe('The input is stored. The `response.created` of its response follows.'),
    z
      .strictObject({
        type: z.literal('response.steer.pending'),
        ...common,
        steer: submission,
        reason: z.literal('waiting_for_required_input'),
        required_input: z.array(
          z.strictObject({ type: z.literal('function_call_output'), call_id: z.string(), name: z.string() }),
        ),
      })
      .describe('The response waits for this tool result. Send it with a create; the input is read after that.'),
    z
      .strictObject({
        type: z.literal('response.steer.failed'),
        ...common,
        error: z.strictObject({ type: z.literal('invalid_request_error'), code: z.enum(CODES), message: z.string() }),
        steer: z.strictObject({ id: steerId.optional(), previous_response_id: z.string(), input: z.unknown() }),
      })
      .describe('The input is not stored, or its response was deleted.'),
  ])
  .meta({ id: 'SteerEvent' });

export type SteerEvent = z.infer<typeof steerEvent>;

export const formatSteerId = (turn: TurnId): string => `steer_${turn.replaceAll('-', '')}`;

/** A response can't be steered, and why. */
export class SteerRefused extends Error {
  override readonly name = 'SteerRefused';
  readonly code: SteerCode;

  constructor(code: SteerCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether a message steers: it is handled at once, although the response that it steers has not ended. */
export function isSteer(text: string): boolean {
  if (!text.includes(STEER)) return false;
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) && message['type'] === STEER;
  } catch {
    return false; // the session reports it in its turn
  }
}

/** Steering takes only what a person says. */
export function checkSteerInput(input: unknown): void {
  if (!Array.isArray(input)) return;
  const wrong = input.findIndex(
    (item) => !isObject(item) || (item['type'] ?? 'message') !== 'message' || item['role'] !== 'user',
  );
  if (wrong >= 0)
    throw new InvalidRequest('invalid_request', `input[${wrong}]`, 'Steering takes messages with the role user alone.');
}
