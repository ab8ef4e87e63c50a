import { createSpeaker } from '../speak.ts';
import type { Address } from './gateway-calls.ts';
import { type NumberedTurnEvent, textOf, type WireAccepted, type WireTurnEvent } from './gateway-messages.ts';
import { createServiceClient, type ServiceClient } from './service-client.ts';

export type Answer = WireAccepted & {
  readonly message: string;
} & Pick<Extract<WireTurnEvent, { type: 'turn-ended' }>, 'status' | 'failure' | 'usage'>;

type Options = {
  readonly locate: () => Promise<Address | undefined>;
  /** Starts the turn: by a message, or by the answer to a gate. */
  readonly begin: (client: ServiceClient) => Promise<WireAccepted>;
  readonly write: (text: string) => void;
  /** Aborted when the person no longer wants the answer: the turn is cancelled. */
  readonly signal: AbortSignal;
  readonly onLost: () => void;
};

/** One turn and what is said in it, written as it comes; also across a crash of the service. */
export async function followTurn({ locate, begin, write, signal, onLost }: Options): Promise<Answer> {
  const speaker = createSpeaker(write);
  const ended = Promise.withResolvers<Extract<WireTurnEvent, { type: 'turn-ended' }>>();
  const said: string[] = [];
  let last: { turnId: string; sequence: number } | undefined;
  let wasLive = false;

  const client = createServiceClient({
    locate,
    onState(state) {
      if (state === 'lost' && wasLive) onLost();
      wasLive = state === 'live';
    },
    onMessage(received) {
      if (received.type === 'turn-event' && received.turn_id === last?.turnId) hear(received);
      if (received.type === 'error') ended.reject(new Error(received.error.message));
    },
  });

  function hear({ turn_id: turnId, sequence, event }: NumberedTurnEvent): void {
    if (last && sequence <= last.sequence) return;
    last = { turnId, sequence };
    if (event.type === 'text-delta') speaker.say(event.delta);
    if (event.type === 'turn-ended') ended.resolve(event);
    if (event.type !== 'item-added' && event.type !== 'item-done') return;
    if (event.item.type !== 'message' || event.item.role !== 'assistant') return;
    if (event.type === 'item-added') speaker.begin();
    else if (event.written) said.push(textOf(event.item.content));
    else speaker.breakOff();
  }

  try {
    const accepted = await begin(client);
    last = { turnId: accepted.turn_id, sequence: -2 };
    client.follow(accepted.thread_id, () => last && { ...last, sequence: Math.max(-1, last.sequence) });
    signal.addEventListener('abort', () => client.cancel(accepted.turn_id));
    const { status, failure, usage } = await ended.promise;
    speaker.end();
    return { ...accepted, status, failure, usage, message: said.join('\n\n') };
  } finally {
    client.close();
  }
}
