import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';

type Event = { turn_id: string; sequence: number; event: Record<string, unknown> };
type Thread = { id: string; items: Record<string, unknown>[]; events: Event[]; gate?: Record<string, unknown> };

const USAGE = { input_tokens: 10, cached_tokens: 0, output_tokens: 5, reasoning_tokens: 0, cost_usd: '0.02' };

/**
 * A gateway without an agent behind it, for what is about the terminal alone: it says what the message says (`say WORDS`,
 * `count N every MS`, `use TOOL JSON`, `approve TOOL JSON`), and can drop its lines at a known moment.
 */
export async function startStandInGateway(home: string) {
  const threads = new Map<string, Thread>();
  const accepted = new Map<string, object>();
  const sockets = new Map<WebSocket, Map<string, number>>();
  const seen = { messages: [] as string[], cancels: [] as string[], answers: [] as string[], secrets: [] as object[] };
  const cancelled = new Set<string>();
  let refuseSends = 0;

  const server = createServer((request, response) => {
    void route(request).then((reply) => {
      if (!reply) return response.destroy();
      const isText = typeof reply.body === 'string';
      response.writeHead(reply.status, { 'content-type': isText ? 'text/markdown' : 'application/json' });
      return response.end(isText ? reply.body : JSON.stringify(reply.body));
    });
  });

  type Reply = { status: number; body: unknown };

  async function route(request: IncomingMessage): Promise<Reply | undefined> {
    const url = new URL(request.url ?? '', 'http://x');
    const body = request.method === 'POST' ? ((await json(request)) as Record<string, string>) : {};
    const [, , what, id, more] = url.pathname.split('/');
    const thread = threads.get(id ?? '');
    switch (what) {
      case 'status':
        return ok({ status: 'ok', version: '0', model: { provider: 'scripted', name: 'scripted', demo: false } });
      case 'chat':
        return send(String(request.headers['idempotency-key']), body);
      case 'tools':
        if (more === 'secret') return ok(seen.secrets.push(body));
        return ok({ tools: [SECRETIVE] });
      case 'gates':
        if (!id) return ok({ gates: [...threads.values()].flatMap(({ gate }) => gate ?? []) });
        return answer(id, body['answer'] ?? '');
      case 'memory':
        return ok({ results: [{ path: 'people/ann.md', text: 'Ann likes tea.' }] });
      case 'usage':
        return ok({ usage: [{ day: '2030-01-31', model: 'scripted', ...USAGE, unpriced_calls: 0 }] });
      case 'threads':
        if (!id) return ok({ threads: [...threads.values()].map(render).toReversed(), next_cursor: null });
        if (!thread) return { status: 404, body: { error: { message: 'There is no such thread.' } } };
        if (more === 'items') return ok({ items: thread.items, next_before: null });
        return ok(more === 'export' ? '# The thread\n' : render(thread));
      default:
        return { status: 404, body: { error: { message: 'Not here.' } } };
    }
  }

  async function send(key: string, body: Record<string, string>): Promise<Reply | undefined> {
    const known = accepted.get(key);
    if (known) return ok(known);
    const threadId = body['thread_id'] ?? randomUUID();
    const thread = threads.get(threadId) ?? { id: threadId, items: [], events: [] };
    threads.set(threadId, thread);
    const place = { thread_id: threadId, turn_id: randomUUID(), response_id: 'resp_1' };
    accepted.set(key, place);
    seen.messages.push(body['message'] ?? '');
    const item = message('user', body['message'] ?? '', place.turn_id);
    thread.items.push(item);
    tell(thread, place.turn_id, { type: 'turn-started', items: [item] }, -1);
    void run(thread, place.turn_id, body['message'] ?? '');
    if (refuseSends-- > 0) return undefined; // accepted, but the answer is lost
    return ok(place);
  }

  async function run(thread: Thread, turn: string, script: string): Promise<void> {
    const count = /count (\d+) every (\d+)/.exec(script);
    const use = /(use|approve) (\S+) (.+)/.exec(script);
    if (use) {
      const call = {
        id: randomUUID(),
        turn_id: turn,
        type: 'function_call',
        call_id: randomUUID(),
        name: use[2],
        arguments: use[3],
      };
      thread.items.push(call);
      tell(thread, turn, { type: 'item-added', item: call });
      if (use[1] === 'approve') {
        const kind = use[2] === SECRETIVE.name ? 'auth' : 'approval';
        thread.gate = { id: randomUUID(), thread_id: thread.id, turn_id: turn, kind, call };
        tell(thread, turn, { type: 'turn-ended', status: 'waiting', failure: null, usage: USAGE });
        broadcast({ type: 'gate', gate: thread.gate }, thread.id);
        return;
      }
      const output = {
        id: randomUUID(),
        turn_id: turn,
        type: 'function_call_output',
        call_id: call.call_id,
        output: [{ type: 'text', text: '{"sky":"clear"}' }],
      };
      thread.items.push(output);
      tell(thread, turn, { type: 'item-added', item: output });
      tell(thread, turn, { type: 'item-done', item: output, written: true });
    }
    const pieces = count
      ? Array.from({ length: Number(count[1]) }, (_, index) => `${index} `)
      : (/say ([\s\S]+)/.exec(script)?.[1] ?? 'ok').split(/(?<= )/);
    await speak(thread, turn, pieces, Number(count?.[2] ?? 0));
    tell(thread, turn, {
      type: 'turn-ended',
      status: cancelled.has(turn) ? 'cancelled' : 'completed',
      failure: null,
      usage: USAGE,
    });
  }

  async function speak(thread: Thread, turn: string, pieces: readonly string[], pace: number): Promise<void> {
    const item = message('assistant', '', turn);
    tell(thread, turn, { type: 'item-added', item });
    let said = '';
    for (const delta of pieces) {
      if (cancelled.has(turn)) break;
      said += delta;
      tell(thread, turn, { type: 'text-delta', item_id: item.id, delta });
      if (pace > 0) await sleep(pace);
    }
    const done = { ...item, content: [{ type: 'text', text: said }] };
    thread.items.push(done);
    tell(thread, turn, { type: 'item-done', item: done, written: true });
  }

  function answer(id: string, given: string): Reply {
    const thread = [...threads.values()].find(({ gate }) => gate?.['id'] === id);
    if (!thread) return { status: 404, body: { error: { message: 'There is no such gate.' } } };
    delete thread.gate;
    seen.answers.push(given);
    const turn = randomUUID();
    tell(thread, turn, { type: 'turn-started', items: [] }, -1);
    void run(thread, turn, `say it was ${given}`);
    return ok({ thread_id: thread.id, turn_id: turn, response_id: 'resp_2' });
  }

  function tell(thread: Thread, turn: string, event: Record<string, unknown>, sequence?: number): void {
    const next = thread.events.filter(({ turn_id }) => turn_id === turn).length;
    thread.events.push({ turn_id: turn, sequence: sequence ?? next, event });
    for (const [socket, positions] of sockets) if (positions.has(thread.id)) flush(socket, positions, thread);
  }

  function flush(socket: WebSocket, positions: Map<string, number>, thread: Thread): void {
    for (let at = positions.get(thread.id) ?? 0; at < thread.events.length; at++)
      socket.send(JSON.stringify({ type: 'turn-event', thread_id: thread.id, ...thread.events[at] }));
    positions.set(thread.id, thread.events.length);
  }

  function broadcast(sent: object, threadId: string): void {
    for (const [socket, positions] of sockets) if (positions.has(threadId)) socket.send(JSON.stringify(sent));
  }

  const webSockets = new WebSocketServer({ server, path: '/api/ws' });
  webSockets.on('connection', (socket) => {
    const positions = new Map<string, number>();
    sockets.set(socket, positions);
    socket.on('close', () => sockets.delete(socket));
    socket.on('message', (data) => {
      const said = JSON.parse((data as Buffer).toString()) as {
        type: string;
        thread_id: string;
        turn_id: string;
        after?: { turn_id: string; sequence?: number };
      };
      if (said.type === 'cancel') {
        seen.cancels.push(said.turn_id);
        cancelled.add(said.turn_id);
      }
      const thread = threads.get(said.thread_id);
      if (said.type !== 'subscribe' || !thread) return;
      const { after } = said;
      const from = !after
        ? thread.events.length
        : after.sequence === undefined
          ? thread.events.findIndex(({ turn_id }) => turn_id === after.turn_id)
          : thread.events.findIndex(
              ({ turn_id, sequence }) => turn_id === after.turn_id && sequence === after.sequence,
            ) + 1;
      positions.set(thread.id, Math.max(0, from));
      flush(socket, positions, thread);
    });
  });

  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await writeFile(
    path.join(home, 'serve.json'),
    JSON.stringify({ pid: process.pid, url, loginUrl: `${url}/login?token=t` }),
  );
  await writeFile(path.join(home, 'webui-token'), 'token-of-the-tests');
  return {
    url,
    seen,
    /** A thread that was there before. */
    addThread(texts: readonly string[]): string {
      const id = randomUUID();
      const items = texts.map((text, index) => message(index % 2 ? 'assistant' : 'user', text, randomUUID()));
      threads.set(id, { id, items, events: [] });
      return id;
    },
    dropLines: () => {
      for (const socket of sockets.keys()) socket.terminate();
    },
    loseNextAnswer: () => (refuseSends = 1),
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets.keys()) socket.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  function render(thread: Thread) {
    const first = thread.items[0] as { content?: { text: string }[] } | undefined;
    const title = first?.content?.[0]?.text.slice(0, 40) ?? '';
    const status = thread.gate ? 'waiting' : 'idle';
    return { id: thread.id, title, status, usage: USAGE, updated_at: new Date().toISOString() };
  }
}

const ok = (body: unknown) => ({ status: 200, body });

const message = (role: string, text: string, turn: string) => ({
  id: randomUUID(),
  turn_id: turn,
  type: 'message',
  role,
  content: text ? [{ type: 'text', text }] : [],
  status: 'completed',
});

const SECRETIVE = {
  name: 'mail',
  description: 'Sends mail.',
  needs_sign_in: true,
  auth: {
    secret_name: 'mail_token',
    display_name: 'Mail token',
    instructions: 'Make one in the settings.',
    setup_url: null,
    oauth: false,
  },
};
