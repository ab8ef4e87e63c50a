import { createChatAdmin } from '#agent/chats/accounts/chat-admin.ts';
import type { Transport } from '#agent/chats/chat-port.ts';
import { createConnections } from '#agent/chats/connections.ts';
import { createUpdateHandler } from '#agent/chats/incoming/handle-update.ts';
import { startInbox } from '#agent/chats/incoming/inbox.ts';
import { createLinking } from '#agent/chats/incoming/linking.ts';
import { createChatCarrier } from '#agent/chats/outgoing/chat-carrier.ts';
import { createComposePost } from '#agent/chats/outgoing/compose-post.ts';
import { createHideComposed } from '#agent/chats/outgoing/composed-links.ts';
import { createLiveReplies } from '#agent/chats/outgoing/live-replies.ts';
import { askToCompact } from '#agent/threads/ask-to-compact.ts';
import { createMailPort } from '#channels/mail/mail-port.ts';
import { createSlackPort } from '#channels/slack/slack-port.ts';
import type { Connect } from '#channels/slack/socket-link.ts';
import { createTelegramPort } from '#channels/telegram/telegram-port.ts';
import { runInWorker, unlessGivenUp } from '#safety/worker-threads/worker-pool.ts';
import { findUser } from '#store/accounts/users.ts';
import type { Core } from './core.ts';

const MAIL_PARSER = { program: 'channels/mail/parse-mail', run: 'parseMail' } as const;
const MAIL_READER = { program: 'tools/builtin/web/read-page', run: 'readMailHtml', deadlineMs: 3_000 } as const;

/** The chat channels: receives their updates, and carries replies to them. */
export function openChats(core: Core) {
  const { config, parts, db, engine, secrets, agent, attachments, threadUrl, log, onError, undo } = core;
  const { system } = engine;
  const ports = openPorts(core);
  const connections = createConnections({ db, secrets, ports });
  const claimSeconds = parts.chats?.claimSeconds;
  const everyMs = parts.chats?.editEveryMs;
  const hideComposed = createHideComposed(db);
  const live = createLiveReplies({ db, agent, connections, hideComposed, everyMs, claimSeconds, onError });
  undo.defer(() => live.stop());
  const linking = createLinking({ db, system });
  const sendsPerMinute = config.chatRatePerMinute;
  const onRefused = (channelId: string, reason: string) => log.info({ channelId, reason }, 'a message was ignored');
  const handle = createUpdateHandler({
    db,
    agent,
    connections,
    linking,
    live,
    sendsPerMinute,
    onRefused,
    findName: async ({ userId }) => (await findUser(core.identities, userId))?.name,
    askToCompact: (...asked) => askToCompact(db, engine, ...asked),
  });
  const inbox = startInbox({ engine, connections, handle, pace: parts.chats, onError });
  undo.defer(() => inbox.stop());
  return {
    carrier: createChatCarrier({
      db,
      connections,
      live,
      compose: createComposePost({ agent, attachments, threadUrl, hideComposed }),
      claimSeconds,
    }),
    admin: createChatAdmin({ db, system, secrets, connections, linking, inbox, publicUrl: () => config.publicUrl }),
  };
}

function openPorts({ egress, parts, undo }: Core) {
  const mail = createMailPort((host, options) => egress.lookUp(host, options), {
    parse: (source, lane) => unlessGivenUp(runInWorker({ ...MAIL_PARSER, input: source, lane })),
    htmlToText: (html, lane) => unlessGivenUp(runInWorker({ ...MAIL_READER, input: html, lane })),
  });
  undo.defer(() => mail.close());
  const transport: Transport = (request) => egress.send(request);
  const connect: Connect = (request) => egress.connect(request);
  return {
    telegram: createTelegramPort(transport),
    slack: createSlackPort({ transport, connect, pace: parts.chats?.sockets }),
    mail,
  };
}
