import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, type Call, callGateway, Unreachable } from './gateway-calls.ts';
import type { GateAnswer, ServerMessage, WireAccepted, WireGate, WireItem, WireThread } from './gateway-messages.ts';
import { type ConnectionState, openSocket } from './gateway-socket.ts';

export type Position = { readonly turnId: string; readonly sequence: number };

export type OutgoingMessage = {
  readonly text: string;
  readonly threadId: string | undefined;
  /** The name of a model route; undefined for the default model. */
  readonly model: string | undefined;
};

/** All that the terminal asks of a service, inside this process or not: it always goes over HTTP and the WebSocket. */
export type ServiceClient = {
  /** Accepted once, however often the line breaks on the way. */
  send(message: OutgoingMessage): Promise<WireAccepted>;
  /** Follows a thread from now on, also after a reconnect; `position` tells what is known by then. */
  follow(threadId: string, position: () => Position | undefined): void;
  unfollow(): void;
  cancel(turnId: string): void;
  answerGate(gateId: string, answer: GateAnswer): Promise<WireAccepted>;
  listGates(): Promise<readonly WireGate[]>;
  listThreads(): Promise<readonly WireThread[]>;
  getThread(threadId: string): Promise<WireThread>;
  listItems(threadId: string, most: number): Promise<readonly WireItem[]>;
  findGate(threadId: string): Promise<WireGate | undefined>;
  get(route: string): Promise<unknown>;
  post(route: string, body: object): Promise<unknown>;
  close(): void;
};

type Options = {
  readonly locate: () => Promise<Address | undefined>;
  readonly onState: (state: ConnectionState, address: Address | undefined) => void;
  readonly onMessage: (message: ServerMessage) => void;
};

const PAGE = 200;
const RETRY_MS = 200;

export function createServiceClient({ locate, onState, onMessage }: Options): ServiceClient {
  let followed: { threadId: string; position: () => Position | undefined } | undefined;
  let live = Promise.withResolvers<void>();
  let wasLive = false;
  const closing = new AbortController(); // a service inside would wait for calls that are still under way

  const socket = openSocket({
    locate,
    onState(state, address) {
      if (state === 'live') {
        subscribe();
        live.resolve();
      } else if (wasLive) live = Promise.withResolvers<void>(); // once: whoever waits for it keeps waiting for the same
      wasLive = state === 'live';
      onState(state, address);
    },
    onMessage(message) {
      if (message.type === 'resubscribe') subscribe();
      else onMessage(message);
    },
  });

  function subscribe(): void {
    if (!followed) return;
    const at = followed.position();
    const after = at && { turn_id: at.turnId, ...(at.sequence >= 0 && { sequence: at.sequence }) };
    socket.send({ type: 'subscribe', thread_id: followed.threadId, ...(after && { after }) });
  }

  async function call(route: string, what: Call = {}): Promise<unknown> {
    const address = await locate();
    if (!address) throw new Unreachable('The service does not answer.');
    return callGateway(address, route, { ...what, signal: closing.signal });
  }

  async function listGates(): Promise<WireGate[]> {
    const gates: WireGate[] = [];
    for (let cursor = ''; ; ) {
      const page = (await call(`/api/gates?limit=100${cursor}`)) as GatePage;
      gates.push(...page.gates);
      if (page.next_cursor === null) return gates;
      cursor = `&cursor=${page.next_cursor}`;
    }
  }

  return {
    async send({ text, threadId, model }) {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { message: text, ...(threadId && { thread_id: threadId }), ...(model && { model }) };
      for (;;) {
        try {
          return (await call('/api/chat/send', { body, headers })) as WireAccepted;
        } catch (error) {
          if (!(error instanceof Unreachable) || closing.signal.aborted) throw error;
          await Promise.all([live.promise, sleep(RETRY_MS)]); // it may have arrived: the key makes another try harmless
        }
      }
    },
    follow(threadId, position) {
      followed = { threadId, position };
      subscribe();
    },
    unfollow() {
      if (followed) socket.send({ type: 'unsubscribe', thread_id: followed.threadId });
      followed = undefined;
    },
    cancel: (turnId) => socket.send({ type: 'cancel', turn_id: turnId }),
    answerGate: async (gateId, answer) =>
      (await call(`/api/gates/${encodeURIComponent(gateId)}`, { body: answer })) as WireAccepted,
    listGates,
    listThreads: async () => ((await call('/api/threads?limit=100')) as { threads: WireThread[] }).threads,
    getThread: async (threadId) => (await call(`/api/threads/${encodeURIComponent(threadId)}`)) as WireThread,
    async listItems(threadId, most) {
      const items: WireItem[] = [];
      let before = '';
      while (items.length < most) {
        const page = (await call(`/api/threads/${threadId}/items?limit=${PAGE}${before}`)) as ItemPage;
        items.unshift(...page.items);
        if (page.next_before === null) return items;
        before = `&before=${page.next_before}`;
      }
      return items;
    },
    findGate: async (threadId) => (await listGates()).find((gate) => gate.thread_id === threadId),
    get: (route) => call(route),
    post: (route, body) => call(route, { body }),
    close() {
      closing.abort();
      socket.close();
    },
  };
}

type ItemPage = { readonly items: readonly WireItem[]; readonly next_before: string | null };
type GatePage = { readonly gates: readonly WireGate[]; readonly next_cursor: string | null };
