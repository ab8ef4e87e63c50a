import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';

type Envelope = {
  readonly envelope_id: string;
  readonly type: 'events_api' | 'interactive' | 'slash_commands';
  readonly payload: object;
  retry_attempt: number;
};

const MOST_SOCKETS = 10;

/**
 * Socket Mode: a ticket opens one socket, an envelope goes to any of the open ones, and an event that is not acknowledged comes again.
 * Slack gives up after three retries within six minutes; here they come faster and do not end, so that none is lost by the clock.
 * Presses and slash commands are sent once.
 */
export function createSockets(
  server: Server,
  { retryAfterMs, isDown }: { readonly retryAfterMs: number; readonly isDown: () => boolean },
) {
  const tickets = new Set<string>();
  const open = new Set<WebSocket>();
  const frozen = new Set<WebSocket>();
  const waiting = new Map<string, Envelope>();
  const acknowledged: { readonly id: string; readonly at: number }[] = [];
  const acceptor = new WebSocketServer({ noServer: true });
  let opened = 0;
  let turn = 0;

  server.on('upgrade', (request, socket, head) => {
    const ticket = new URL(request.url ?? '/', 'https://slack.com').searchParams.get('ticket') ?? '';
    if (isDown() || !tickets.delete(ticket) || open.size >= MOST_SOCKETS) return void socket.destroy();
    acceptor.handleUpgrade(request, socket, head, (link) => {
      opened++;
      open.add(link);
      link.on('close', () => open.delete(link) && frozen.delete(link));
      link.on('error', () => {});
      link.on('message', (data) => acknowledge((data as Buffer).toString('utf8')));
      link.send(JSON.stringify({ type: 'hello', num_connections: open.size, debug_info: {} }));
      for (const envelope of waiting.values()) send(envelope);
    });
  });

  function acknowledge(text: string): void {
    const { envelope_id: id } = JSON.parse(text) as { envelope_id: string };
    if (waiting.delete(id)) acknowledged.push({ id, at: performance.now() });
  }

  /** A half-open socket still counts as open; what is sent there is lost. */
  function send(envelope: Envelope): void {
    const links = [...open];
    const link = links[turn++ % Math.max(1, links.length)];
    if (link && !frozen.has(link)) link.send(JSON.stringify({ ...envelope, accepts_response_payload: false }));
  }

  const retrying = setInterval(() => {
    for (const envelope of waiting.values()) {
      envelope.retry_attempt++;
      send(envelope);
    }
  }, retryAfterMs);

  return {
    issueTicket(): string {
      const ticket = randomUUID();
      tickets.add(ticket);
      return ticket;
    },
    deliver(type: Envelope['type'], payload: object): string {
      const envelope = { envelope_id: randomUUID(), type, payload, retry_attempt: 0 };
      if (type === 'events_api') waiting.set(envelope.envelope_id, envelope);
      send(envelope);
      return envelope.envelope_id;
    },
    /** Events that were not acknowledged yet. */
    waiting,
    acknowledged,
    open,
    opened: () => opened,
    /** Slack renews a connection: it says so, and closes it a little later. */
    refresh(reason: 'warning' | 'refresh_requested' | 'link_disabled' = 'refresh_requested', closeAfterMs = 200): void {
      for (const link of open) {
        link.send(JSON.stringify({ type: 'disconnect', reason, debug_info: {} }));
        setTimeout(() => link.close(), closeAfterMs);
      }
    },
    /** The other end stays silent, and the connection stays open. */
    freeze(): void {
      for (const link of open) {
        frozen.add(link);
        link.pause();
      }
    },
    cut(): void {
      for (const link of open) link.terminate();
    },
    close(): void {
      clearInterval(retrying);
      for (const link of open) link.terminate();
    },
  };
}
