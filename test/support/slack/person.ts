import type { ShownFile } from '../chats/chat-server.ts';
import { APP, type Posted, type Workspace } from './workspace.ts';

export type Said = {
  readonly text: string;
  readonly channel?: string;
  readonly thread?: string;
  readonly more?: Record<string, unknown>;
};

/** Someone with an account in the workspace. */
export function createPerson(id: string, name: string, team = APP.team) {
  const home = `D${id.slice(1)}`;
  let number = 0;

  const event = (slack: Workspace, { text, channel = home, thread, more = {} }: Said, type = 'message') => ({
    type: 'event_callback',
    team_id: APP.team,
    api_app_id: 'A0APP',
    event_id: `Ev${id}${number++}`,
    event: {
      type,
      channel,
      channel_type: channel.startsWith('D') ? 'im' : 'channel',
      user: id,
      team,
      user_team: team,
      text,
      ts: slack.nextTs(),
      ...(thread && { thread_ts: thread }),
      ...more,
    },
  });
  const press = ({ channel, ts, thread }: Pick<Posted, 'channel' | 'ts' | 'thread'>, data: string) => ({
    type: 'block_actions',
    team: { id: APP.team },
    user: { id, username: name.toLowerCase(), team_id: team },
    trigger_id: `${id}.press.${number++}`,
    response_url: 'https://hooks.slack.com/actions/1',
    channel: { id: channel },
    container: { type: 'message', message_ts: ts, channel_id: channel, ...(thread && { thread_ts: thread }) },
    actions: [{ type: 'button', action_id: 'answer-0', value: data, action_ts: `${1_700_000_000 + number}.000000` }],
  });
  const command = (name_: string, text = '', channel = home) => ({
    command: name_,
    text,
    team_id: APP.team,
    user_id: id,
    user_name: name.toLowerCase(),
    channel_id: channel,
    trigger_id: `${id}.command.${number++}`,
  });
  return {
    id,
    home,
    event,
    press,
    command,
    say(slack: Workspace, said: string | Said) {
      const payload = event(slack, typeof said === 'string' ? { text: said } : said);
      slack.sockets.deliver('events_api', payload);
      return payload;
    },
    sendFile(slack: Workspace, sent: ShownFile, words: string) {
      const path = `/files-pri/T0-${id}/download/${sent.name}`;
      slack.files.set(path, sent.bytes);
      const url = `https://files.slack.com${path}`;
      const file = { name: sent.name, mimetype: sent.mediaType, size: sent.bytes.length, url_private_download: url };
      slack.sockets.deliver(
        'events_api',
        event(slack, { text: words, more: { subtype: 'file_share', files: [file] } }),
      );
    },
  };
}
