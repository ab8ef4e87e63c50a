import type { ChatConnection, Transport } from '#agent/chats/chat-port.ts';
import { isSigned, type SlackCredentials } from './credentials.ts';
import { createSlackFiles, downloadFile } from './files.ts';
import { answerPress, editMessage, findMessage, sendMessage } from './messages.ts';
import { failed } from './socket-link.ts';
import type { SocketSession } from './socket-session.ts';
import { createSlackApi } from './web-api.ts';

/** A workspace. */
export function connectSlack(
  credentials: SlackCredentials,
  transport: Transport,
  sessionFor: (appToken: string, askAddress: () => Promise<string>) => SocketSession,
): ChatConnection {
  const { token, signingSecret, appToken } = credentials;
  const api = createSlackApi(credentials, transport);
  const { call } = api;
  const files = createSlackFiles(call, transport);
  return {
    identify: () =>
      call(async (slack) => {
        const { team_id: team, user_id: self, user = '' } = await slack.auth.test();
        if (!team || !self) throw failed('Slack: the token belongs to no workspace.');
        return { remoteId: `${team}:${self}`, name: user };
      }),
    async receive(cursor, signal) {
      if (appToken === undefined) throw failed('Socket Mode needs an app-level token. Add the channel again with one.');
      return api.guard(() => sessionFor(appToken, () => api.askAddress(appToken)).receive(cursor, signal));
    },
    isGenuine: (request) => isSigned(request, signingSecret),
    /** An operator sets the address in the settings of the app; Slack has no call for it. */
    async setAddress() {},
    send: (chat, message, key) => sendMessage(call, chat, message, key),
    edit: (chat, remoteId, message) => editMessage(call, files, { chat, remoteId, message }),
    upload: (file) => files.upload(file),
    findSent: (chat, key) => findMessage(call, chat, key),
    /** The placeholder shows that an answer is being written. `assistant.threads.setStatus` works in threads of assistants alone. */
    async showTyping() {},
    /** Slack does not wait for an answer. If the press counts, its message changes; otherwise only the person who pressed sees why. */
    async answerPress(press, text, counted) {
      if (!counted) await answerPress(call, press, text);
    },
    download: ({ id }) => api.guard(() => downloadFile(transport, token, id)),
  };
}
