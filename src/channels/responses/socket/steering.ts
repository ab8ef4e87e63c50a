import type { Agent } from '#agent/agent.ts';
import type { Principal } from '#domain/principal.ts';
import type { Turn, TurnRequest } from '#domain/thread/turn.ts';
import { type CreateServices, readCreate, toTurnInput } from '../request/read-create.ts';
import { echoOf } from '../response/response-echo.ts';
import * as answers from './steer-answers.ts';
import { checkSteerInput, type SteerEvent } from './steer-messages.ts';

type Asked = answers.Asked;
type Followed = answers.Followed;
type Steer = answers.Steer;
type SteerServices = CreateServices & { readonly agent: Agent; readonly onError: (error: unknown) => void };

/** How many responses of a socket are remembered, to say why one can't be steered. */
const MOST_FOLLOWED = 16;

/**
 * The messages that steer the responses of one socket. Each becomes a turn behind the one that it steers, so its response follows that
 * one; a message behind a response that waits for a tool result follows the response to that result.
 */
export function createSteering(
  principal: Principal,
  services: SteerServices,
  send: (event: SteerEvent) => Promise<void>,
) {
  const followed = new Map<string, Followed>();
  let accepted: Steer[] = [];
  let accepting: Promise<void> = Promise.resolve(); // one message after the other, so that they stay in order

  async function accept(message: answers.SteerMessage, target: Followed | undefined): Promise<void> {
    answers.checkTarget(target);
    const steer = await startSteer(principal, services, target, message['input']);
    accepted.push(steer);
    await send(answers.accepted(steer));
    await tellPending(steer);
  }

  async function tellPending(steer: Steer): Promise<void> {
    const event = steer.isPending ? undefined : answers.pending(steer);
    if (!event) return;
    steer.isPending = true;
    await send(event);
  }

  async function refuse(message: answers.SteerMessage, target: Followed | undefined, error: unknown): Promise<void> {
    if (!answers.codeOf(error)) services.onError(error);
    await send(answers.refused(message, target, error));
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
    receive(message: answers.SteerMessage): Promise<void> {
      const target = followed.get(String(message['previous_response_id']));
      accepting = accepting.then(() =>
        accept(message, target).catch((error: unknown) => refuse(message, target, error)),
      );
      return accepting;
    },
    /** The first message whose response follows this one; undefined while the thread waits for a tool result. */
    async next({ turn: { threadId }, ended }: Followed): Promise<Steer | undefined> {
      const own = accepted.filter(({ turn }) => turn.threadId === threadId);
      if (ended && answers.waitsForCall(ended)) {
        for (const steer of own) await tellPending(steer);
        return undefined;
      }
      const [first] = own;
      accepted = accepted.filter((steer) => steer !== first);
      return first;
    },
    lost: (steer: Steer): Promise<void> => send(answers.lost(steer)),
  };
}

/** Stores the message as a turn with the settings of the response. */
async function startSteer(
  principal: Principal,
  services: SteerServices,
  target: Followed,
  input: unknown,
): Promise<Steer> {
  checkSteerInput(input);
  const body = { model: target.asked.model, input, previous_response_id: target.id };
  const create = await readCreate(services, { principal, body });
  const echo = { ...echoOf(target.turn), previousResponseId: target.id };
  const { turn } = await services.agent.startTurn(principal, {
    ...toTurnInput(create),
    tools: target.turn.request.tools,
    request: { ...settingsOf(target.turn.request), echo },
    unknownThread: 'not-found',
    isUnstored: !target.asked.store,
    whenBusy: 'steer',
    queuesAtGate: true,
  });
  return { turn, target, input, isPending: false };
}

/** The message has its own trace, and as much time as any. */
const settingsOf = ({ tools: _, trace: _trace, timeoutMs: _timeoutMs, ...request }: TurnRequest) => request;
