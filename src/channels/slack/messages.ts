import { ChatFailed, type ChatMessage } from '#agent/chats/chat-port.ts';
import type { SlackFiles } from './files.ts';
import { renderMrkdwn } from './render-mrkdwn.ts';
import type { Call } from './web-api.ts';

/** How far back a message is searched whose request had no answer. */
const SEARCH_SECONDS = 3600;
const EVENT = 'reborn_message';

/** Returns the id of the message. `key` becomes a part of it, so that it can be found again. */
export function sendMessage(call: Call, chat: string, message: ChatMessage, key: string): Promise<string> {
  const { channel, thread } = parseChat(chat);
  const asked = {
    channel,
    ...contentOf(message),
    // A preview would fetch an address that a model wrote.
    unfurl_links: false,
    unfurl_media: false,
    ...(thread && { thread_ts: thread }),
    ...(key && { metadata: { event_type: EVENT, event_payload: { key } } }),
  };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a message of Slack, not of a window
  return call(async (slack) => (await slack.chat.postMessage(asked)).ts ?? '');
}

/** Returns false when the message is not there any more. */
export async function editMessage(
  call: Call,
  files: SlackFiles,
  { chat, remoteId, message }: { readonly chat: string; readonly remoteId: string; readonly message: ChatMessage },
): Promise<boolean> {
  const { channel, thread } = parseChat(chat);
  const [file] = message.files ?? [];
  try {
    if (file) await files.share({ id: remoteId, title: file.name, channel, thread });
    else await call((slack) => slack.chat.update({ channel, ts: remoteId, ...contentOf(message) }));
    return true;
  } catch (error) {
    if (error instanceof ChatFailed && IS_GONE.test(error.message)) return false;
    throw error;
  }
}

const IS_GONE = /message_not_found|cant_update_message|edit_window_closed|file_not_found|file_deleted/;

/** The message that was sent with `key`. */
export function findMessage(call: Call, chat: string, key: string): Promise<string | undefined> {
  const { channel, thread } = parseChat(chat);
  const asked = {
    channel,
    oldest: String(Math.floor(Date.now() / 1000) - SEARCH_SECONDS),
    limit: 200,
    include_all_metadata: true,
  };
  return call(async (slack) => {
    const { messages = [] } = await (thread
      ? slack.conversations.replies({ ...asked, ts: thread })
      : slack.conversations.history(asked));
    const isOurs = (made: (typeof messages)[number]) => {
      const { event_type: type, event_payload: payload } = made.metadata ?? {};
      return type === EVENT && payload !== undefined && 'key' in payload && payload['key'] === key;
    };
    return messages.find(isOurs)?.ts;
  });
}

/** Tells the person who has pressed a button, and no one else. */
export async function answerPress(call: Call, press: string, text: string): Promise<void> {
  const [chat = '', user = ''] = press.split(' ');
  const { channel, thread } = parseChat(chat);
  const content = contentOf({ markdown: text });
  await call((slack) => slack.chat.postEphemeral({ channel, user, ...content, ...(thread && { thread_ts: thread }) }));
}

/** Nothing is linked that is not marked up, and no mention is guessed from a name. */
function contentOf({ markdown, buttons = [] }: ChatMessage) {
  const text = renderMrkdwn(markdown);
  const section = { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } } as const;
  const elements = buttons.map(
    ({ label, data }, index) =>
      ({
        type: 'button',
        text: { type: 'plain_text', text: label },
        value: data,
        action_id: `answer-${index}`,
      }) as const,
  );
  // An empty list removes the buttons of an edited message.
  const blocks = elements.length > 0 ? [section, { type: 'actions', elements } as const] : [];
  return { text, blocks, parse: 'none', link_names: false } as const;
}

/** A chat is `CHANNEL`, or `CHANNEL/TS` for a thread. */
function parseChat(chat: string): { readonly channel: string; readonly thread: string | undefined } {
  const [channel = '', thread] = chat.split('/');
  return { channel, thread };
}
