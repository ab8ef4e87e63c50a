import type { ChatPort, Transport } from '#agent/chats/chat-port.ts';
import { connectSlack } from './connect.ts';
import { parseCredentials } from './credentials.ts';
import { fileUpdate, readUpdate } from './read-update.ts';
import { splitForSlack } from './render-mrkdwn.ts';
import type { Connect } from './socket-link.ts';
import { createSocketSession, SESSION_PACE, type SessionPace, type SocketSession } from './socket-session.ts';

export type SlackParts = {
  readonly transport: Transport;
  readonly connect: Connect;
  readonly pace?: Partial<SessionPace> | undefined;
};

/** Slack: its Web API, and either Socket Mode or the Events API. A session outlives a connection, because it holds a socket. */
export function createSlackPort({ transport, connect, pace }: SlackParts): ChatPort {
  const sessions = new Map<string, SocketSession>();

  function sessionFor(appToken: string, askAddress: () => Promise<string>): SocketSession {
    const known = sessions.get(appToken);
    if (known) return known;
    const made = createSocketSession({
      askAddress,
      connect,
      pace: { ...SESSION_PACE, ...pace },
      onClose: () => {
        if (sessions.get(appToken) === made) sessions.delete(appToken);
      },
    });
    sessions.set(appToken, made);
    return made;
  }

  return {
    style: 'chat',
    modes: ['polling', 'webhook'],
    credentialsIn: 'token',
    connect: (credentials) => connectSlack(parseCredentials(credentials), transport, sessionFor),
    file: fileUpdate,
    read: readUpdate,
    split: splitForSlack,
    // Slack takes more, but an upload must end within one attempt.
    mostFileBytes: 50_000_000,
    // About fifty edits a minute are allowed.
    editEveryMs: 1500,
  };
}
