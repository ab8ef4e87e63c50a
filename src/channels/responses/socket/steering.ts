import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import type { Principal } from '#domain/principal.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { type ReadCreate, readCreate, toTurnInput } from '../request/read-create.ts';
import { echoOf } from '../response/response-echo.ts';
import type { ResponseObject } from '../response/response-object.ts';
import type { SessionServices } from './session.ts';
import { checkSteerInput, formatSteerId, type SteerCode, type SteerEvent, SteerRefused } from './steer-messages.ts';

/** How a response of the socket was asked for. A response that a message has steered into being has the same settings. */
export type Asked = Pick<ReadCreate, 'model' | 'store' | 'previousResponseId'> & {
  readonly name: { readonly stream_id?: string };
};

/** A response of the socket, as far as it was sent. */
export type Followed = {
  readonly id: string;
  readonly turn: Turn;
  readonly asked: Asked;
  sequence: number;
  /** Set with its last event. */
  ended?: ResponseObject;
};

/** An accepted message, until its response begins. */
export type Steer = { readonly turn: Turn; readonly target: Followed; readonly input: unknown; isPending: boolean };

/** How many responses of a socket are remembered, to say why one can't be steered. */
const MOST_FOLLOWED = 16;

/**
 * The messages that steer the responses of one socket. Each becomes a turn behind the one that it steers, so its response follows that
 * one; a message behind a response that waits for a tool result follows the response to that result.
 */
export function createSteering(
  principal: Principal,
  services: Pick<SessionServices, 'agent' | 'onError'> & Parameters<typeof readCreate>[0],
  send: (event: SteerEvent) => Promise<void>,
) {
  const followed = new Map<string, Followed>();
  let accepted: Steer[] = [];
  let accepting: Promise<void> = Promise.resolve(); // one message after the other, so that they stay in order

  async function accept(message: Record<string, unknown>, target: Followed | undefined): Promise<void> {
    checkTarget(target);
    const steer = await startSteer(target, message['input']);
    accepted.push(steer);
    await send({ type: 'response.steer.accepted', ...placeOf(target), steer: submissionOf(steer) });
    if (callOf(target)) await tellPending(steer);
  }

  /** Stores the message as a turn with the settings of the response. */
  async function startSteer(target: Followed, input: unknown): Promise<Steer> {
    checkSteerInput(input);
    const { tools, trace: _, timeoutMs: __, ...request } = target.turn.request;
    const body = { model: target.asked.model, input, previous_response_id: target.id };
    const create = await readCreate(services, { principal, body });
    const echo = { ...echoOf(target.turn), previousResponseId: target.id };
    const { turn } = await services.agent.startTurn(principal, {
      ...toTurnInput(create),
      tools,
      request: { ...request, echo },
      unknownThread: 'not-found',
      isUnstored: !target.asked.store,
      whenBusy: 'steer',
      queuesAtGate: true,
    });
    return { turn, target, input, isPending: false };
  }

  async function tellPending(steer: Steer): Promise<void> {
    const call = callOf(steer.target);
    if (!call || steer.isPending) return;
    steer.isPending = true;
    const required = { type: 'function_call_output' as const, call_id: call.call_id, name: call.name };
    await send({
      type: 'response.steer.pending',
      ...placeOf(steer.target),
      reason: 'waiting_for_required_input',
      required_input: [required],
      steer: submissionOf(steer),
    });
  }

  async function refuse(message: Record<string, unknown>, target: Followed | undefined, error: unknown): Promise<void> {
    const { previous_response_id: previous, input } = message;
    const code = codeOf(error);
    if (!code) services.onError(error);
    await send({
      type: 'response.steer.failed',
      ...placeOf(target),
      error: {
        type: 'invalid_request_error',
        code: code ?? 'successor_creation_failed',
        message: code && error instanceof Error ? error.message : 'The message could not be stored. Try again.',
      },
      steer: { previous_response_id: typeof previous === 'string' ? previous : '', input },
    });
  }

  return {
    begin(turn: Turn, id: string, asked: Asked): Followed {
      const response = { id, turn, asked, sequence: 0 };
      followed.set(id, response);
      const [oldest] = followed.keys();
      if (followed.size > MOST_FOLLOWED && oldest !== undefined) followed.delete(oldest);
      return response;
    },
    /** Resolves when all messages that were received so far are answered. */
    settled: (): Promise<void> => accepting,
    receive(message: Record<string, unknown>): Promise<void> {
      const target = followed.get(String(message['previous_response_id']));
      accepting = accepting.then(() =>
        accept(message, target).catch((error: unknown) => refuse(message, target, error)),
      );
      return accepting;
    },
    /** The first message whose response follows this one; undefined while the thread waits for a tool result. */
    async next({ turn: { threadId }, ended }: Followed): Promise<Steer | undefined> {
      const own = accepted.filter(({ turn }) => turn.threadId === threadId);
      if (ended && waitsForCall(ended)) {
        for (const steer of own) await tellPending(steer);
        return undefined;
      }
      const [first] = own;
      accepted = accepted.filter((steer) => steer !== first);
      return first;
    },
    /** The response of an accepted message does not exist. */
    lost: ({ turn, target, input }: Steer): Promise<void> =>
      send({
        type: 'response.steer.failed',
        ...placeOf(target),
        error: {
          type: 'invalid_request_error',
          code: 'successor_creation_failed',
          message: 'The message was withdrawn before it was read.',
        },
        steer: { id: formatSteerId(turn.id), previous_response_id: target.id, input },
      }),
  };
}

function checkTarget(target: Followed | undefined): asserts target is Followed {
  if (!target) throw new SteerRefused('response_not_found', 'This response is not one of this connection.');
  const { ended } = target;
  if (!ended) return;
  if (ended.status !== 'completed')
    throw new SteerRefused('response_not_active', 'This response has ended. Send a create.');
  if (!waitsForCall(ended))
    throw new SteerRefused('response_already_completed', 'This response is completed. Send a create.');
  if (!target.asked.store)
    throw new SteerRefused(
      'steering_not_supported',
      'A response with store: false that waits for a tool result takes only that result.',
    );
}

const waitsForCall = ({ output }: ResponseObject): boolean => output.at(-1)?.type === 'function_call';

function callOf({ ended }: Followed) {
  const last = ended?.output.at(-1);
  return last?.type === 'function_call' ? last : undefined;
}

const placeOf = (target: Followed | undefined) => ({ sequence_number: target?.sequence ?? 0, ...target?.asked.name });

const submissionOf = ({ turn, target }: Steer) => ({ id: formatSteerId(turn.id), previous_response_id: target.id });

function codeOf(error: unknown): SteerCode | undefined {
  if (error instanceof SteerRefused) return error.code;
  if (error instanceof InvalidRequest) return 'invalid_input';
  if (error instanceof NotFound) return 'response_not_found';
  if (error instanceof Conflict)
    return error.code === 'thread_busy' ? 'too_many_pending_steers' : 'response_not_active';
  return undefined;
}
