import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Parts } from '#app/parts.ts';
import type { Tool } from '#tools/tool.ts';
import { addUser } from '../test/support/accounts.ts';
import { freshHome } from '../test/support/fresh-home.ts';
import { createMailPerson } from '../test/support/mail/mail-person.ts';
import { hasMailServers, startMailServers } from '../test/support/mail/mail-servers.ts';
import { type Answer, type SeenPrompt, startScriptedModel } from '../test/support/scripted-model.ts';
import { startService } from '../test/support/service.ts';
import { createPerson as createSlackPerson } from '../test/support/slack/person.ts';
import { APP, startWorkspace } from '../test/support/slack/workspace.ts';
import { BOT, startBotApi } from '../test/support/telegram/bot-api.ts';
import { createPerson } from '../test/support/telegram/person.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { type ChatLine, chatToSvg } from './pictures/chat-to-svg.ts';

/** `npm run pictures:chats`: runs a person's journey on each channel, and draws what the stand-in or the mailbox received. */
const FOLDER = path.resolve('docs/pictures');
const ASKED = 'How many visits did we have last week?';
const ORDER = 'Send the table to the team.';
const ANSWER =
  'Last week had 1,240 visits, 12 % more than the week before. Most people came on Tuesday, after the newsletter. The table has every day.';
const TABLE = 'day,visits\nMonday,160\nTuesday,310\nWednesday,190\n';
const AGENT = 'agent@reborn.test';
const ADDRESS = 'ann@example.test';

/** A message as the platform has it. */
type Received = {
  readonly text: string;
  readonly texts?: readonly string[];
  readonly buttons?: readonly string[];
  readonly file?: string | undefined;
};
type Side = {
  readonly name: string;
  readonly account: object;
  readonly parts: Parts;
  say(text: string): unknown;
  /** All messages that the person has got so far. */
  received(): Promise<readonly Received[]>;
  /** Presses the first button of the newest message with one. Left out where an approval is a link. */
  press?(): unknown;
  close(): Promise<void>;
};

const visits: Tool = {
  definition: { name: 'visits', description: 'Counts visits.', parameters: { type: 'object' }, strict: null },
  repeatable: true,
  level: 'allow',
  call: async (_given, { onFile }) => {
    const base64 = Buffer.from(TABLE).toString('base64');
    onFile?.({ type: 'file', mediaType: 'text/csv', filename: 'visits.csv', base64 });
    return TABLE;
  },
};

const send: Tool = {
  definition: { name: 'send', description: 'Sends a file.', parameters: { type: 'object' }, strict: null },
  repeatable: false,
  call: async () => 'sent',
};

const model = await startScriptedModel({ decide });
try {
  for (const start of [startTelegram, startSlack, ...(hasMailServers ? [startMail] : [])]) await draw(await start());
} finally {
  await model.close();
}

async function draw(side: Side): Promise<void> {
  const home = await freshHome();
  const env = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url };
  const parts = {
    tools: [visits, send],
    chats: { pollEveryMs: 100, leaseSeconds: 45, pauseMs: 100, editEveryMs: 300 },
    deliveries: { pollEveryMs: 50 },
    ...side.parts,
  };
  const service = await startService({ ...home.env, ...env, PUBLIC_URL: 'https://reborn.example' }, parts);
  const post = async (route: string, body: object = {}, headers = {}) => {
    const answer = await service.request(route, { method: 'POST', body: JSON.stringify(body), headers });
    return (await answer.json()) as { id: string; code: string };
  };
  try {
    const { headers } = await addUser(service, 'Ann');
    await post('/api/channels', side.account);
    const lines: ChatLine[] = [];
    const follow = createFollower(side, lines);
    const { code } = await post('/api/channels/codes', {}, headers);
    const [asking, approving] = side.press
      ? ['the answer grows while it is written', 'the call with its exact arguments']
      : ['the answer is one mail, with its file', 'a link to the web app, which shows the call'];
    await follow('1. Pair: the code comes from the settings in the browser', code, /is connected/);
    await follow(`2. Ask: ${asking}`, ASKED, /every day/, 1);
    await follow(`3. Approve: ${approving}`, ORDER, /pproval is needed|Approve this call/);
    if (side.press) {
      lines.push({ from: 'person', text: '(presses Approve)' });
      await side.press();
      await follow(undefined, undefined, /is sent/);
    }
    const schedule = { cron: '0 8 * * 1', time_zone: 'Europe/Oslo' };
    const mission = { name: 'Weekly visits', instruction: ASKED, schedule };
    const { id } = await post('/api/missions', mission, headers);
    await post(`/api/missions/${id}/run`, {}, headers);
    await follow('4. A mission has run', undefined, /Weekly visits[^]*every day/, 2);
    await writeFile(path.join(FOLDER, `journey-${side.name}.svg`), chatToSvg(lines, `A journey on ${side.name}`));
  } finally {
    await service.close();
    await side.close();
    await home.remove();
  }
}

/** Says something, and adds what came of it until `words` are there, and so many files in all. */
function createFollower(side: Side, lines: ChatLine[]) {
  let known = 0;
  return async (title: string | undefined, text: string | undefined, words: RegExp, files = 0): Promise<void> => {
    if (title) lines.push({ from: 'title', text: title });
    if (text) lines.push({ from: 'person', text });
    if (text) await side.say(text);
    await waitFor(`${words}`, async () => (await side.received()).slice(known).some((each) => words.test(each.text)));
    await waitFor('the files', async () => (await countFiles(side)) >= files);
    const all = await side.received();
    for (const { text: shown, texts = [], buttons = [], file } of all.slice(known)) {
      const middle = texts.slice(1, -1);
      const earlier = middle[Math.floor(middle.length / 2)];
      lines.push({ from: 'agent', text: shown, earlier, buttons, file });
    }
    known = all.length;
  };
}

async function countFiles(side: Side): Promise<number> {
  const all = await side.received();
  return all.filter(({ file, text }) => file !== undefined || text.includes('[file]')).length;
}

/** Without the marks of bold text and code, which the apps don't show. */
function plain(text: string): string {
  return text
    .replaceAll(/^```\n?/gm, '')
    .replaceAll(/\*+([^*\n]+)\*+|`([^`\n]+)`/g, '$1$2')
    .trim();
}

function decide({ messages }: SeenPrompt): Answer {
  const last = messages.at(-1);
  const asked = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  if (asked.includes(ORDER))
    return last?.role === 'tool'
      ? { pieces: ['The table is sent to the team.'] }
      : { calls: [{ name: 'send', arguments: '{"to": "team@example.com", "file": "visits.csv"}' }] };
  return last?.role === 'tool'
    ? { pieces: ANSWER.split(/(?<= )/), pace: 60 }
    : { calls: [{ name: 'visits', arguments: '{"week": "last"}' }] };
}

async function startTelegram(): Promise<Side> {
  const telegram = await startBotApi();
  const ann = createPerson(501, 'Ann');
  const shown = () => telegram.in(ann.id);
  return {
    name: 'telegram',
    account: { channel: 'telegram', token: BOT.token },
    parts: { network: telegram.network },
    say: (text) => ann.say(telegram, text),
    received: async () =>
      shown().map(({ text, texts, buttons, file }) => ({
        text,
        texts: file ? [] : texts,
        buttons: buttons.map((each) => each.text),
        file: file?.name,
      })),
    press: () => {
      const question = shown().findLast(({ buttons }) => buttons.length > 0);
      const [approve] = question?.buttons ?? [];
      return question && approve && ann.press(telegram, question, approve.callback_data);
    },
    close: () => telegram.close(),
  };
}

async function startSlack(): Promise<Side> {
  const slack = await startWorkspace();
  const ann = createSlackPerson('U501', 'Ann');
  return {
    name: 'slack',
    account: { channel: 'slack', token: APP.token, app_token: APP.appToken },
    parts: { network: slack.network },
    say: (text) => ann.say(slack, text),
    received: async () =>
      slack.in(ann.home).map(({ text, texts, buttons, file }) => ({
        text: plain(text),
        texts,
        buttons: buttons.map((each) => each.text),
        file: file?.name,
      })),
    press: () => {
      const question = slack.in(ann.home).findLast(({ buttons }) => buttons.length > 0);
      const [approve] = question?.buttons ?? [];
      return question && approve && slack.sockets.deliver('interactive', ann.press(question, approve.data));
    },
    close: () => slack.close(),
  };
}

async function startMail(): Promise<Side> {
  const servers = await startMailServers([AGENT, ADDRESS]);
  const ann = createMailPerson(servers, ADDRESS, AGENT);
  const order: string[] = [];
  return {
    name: 'mail',
    account: servers.channel(AGENT),
    parts: { network: { resolve: async () => ['127.0.0.1'] } },
    say: (text) => ann.say(text, text === ASKED ? 'Visits' : 'Hello'),
    received: async () => {
      const inbox = await ann.inbox();
      order.push(...inbox.map(({ messageId }) => messageId).filter((id) => !order.includes(id)));
      const mails = inbox.toSorted((one, other) => order.indexOf(one.messageId) - order.indexOf(other.messageId));
      return mails.map(({ subject, text, files }) => ({
        text: [`Subject: ${subject}`, '', plain(text), ...files.map(({ name }) => `[file] ${name}`)].join('\n'),
      }));
    },
    close: () => servers.close(),
  };
}
