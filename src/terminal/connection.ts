import type { ServiceStatus } from '@reborn-agent/client/api';
import type { Chat } from './chat-commands.ts';
import type { ConnectionState } from './screen/render-status.ts';
import type { Locate } from './service.ts';

type Options = {
  readonly locate: Locate;
  readonly threadId: string | undefined;
  readonly notices: readonly string[];
};

/** Whether the service answers. */
export type Connection = {
  state(): ConnectionState;
  /** Seconds since the line was lost. */
  lostFor(): number;
  change(isLive: boolean): void;
};

/** Tells the person when the line is lost and when it is back, and greets at the first connection, but for a thread that continues. */
export function createConnection(chat: Chat, options: Options): Connection {
  let state: ConnectionState = 'connecting';
  let lostAt = 0;
  const lostMs = () => Date.now() - lostAt;
  return {
    state: () => state,
    lostFor: () => Math.round(lostMs() / 1000),
    change(isLive) {
      const before = state;
      state = isLive ? 'live' : before === 'connecting' ? 'connecting' : 'lost';
      if (state === 'lost' && before === 'live') {
        lostAt = Date.now();
        chat.thread.note('The service is gone. Waiting for it to come back; what you type stays.', 'failed');
      }
      if (isLive && before === 'lost') chat.thread.note(`Connected again after ${(lostMs() / 1000).toFixed(1)} s.`);
      if (isLive && before === 'connecting') chat.attempt(() => greet(chat, options));
      chat.screen.draw();
    },
  };
}

async function greet(chat: Chat, { locate, threadId, notices }: Options): Promise<void> {
  const { client, thread, model } = chat;
  void chat.offers.commands(); // so that they are there when a slash is typed
  chat.attempt(() => chat.earlier.load());
  chat.attempt(() => thread.learnTools());
  const found = await client.call('GET /api/status');
  model.setDefault(found.model.demo ? 'demo model' : found.model.name);
  chat.attempt(async () => model.learn((await client.call('GET /api/models')).models));
  if (threadId) await thread.open(threadId);
  else {
    const hasGateway = (await locate())?.hasGateway ?? false;
    const link = hasGateway ? await client.call('POST /api/sign-in-links') : undefined;
    thread.note(greetingOf(found, link?.url));
  }
  for (const notice of notices) thread.note(notice, 'failed');
}

/** What the first screen says: where the browser finds the same, and how to begin. */
function greetingOf({ version, model }: ServiceStatus, link: string | undefined): string {
  return [
    `Reborn ${version}`,
    ...(link ? [`In a browser: ${link} (works once, for 15 minutes)`] : []),
    ...(model.demo ? ['The demo model answers. `reborn init` sets a real one.'] : []),
    'Type a message, and Enter sends it. / lists the commands, Ctrl+C quits.',
  ].join('\n');
}
