import type { Command } from 'commander';
import { type AskSecret, askingSecrets } from '../ask-secret.ts';
import { toName } from '../assistant/work-options.ts';
import { orMissing, withClient } from '../connect/with-client.ts';
import { printJson, printLine, printTable } from '../print.ts';
import { askMailChannel, type MailOptions } from './ask-mail.ts';

type AddOptions = MailOptions & { readonly webhook?: true; readonly groups?: true };

const MISSING = 'This channel does not exist. `reborn channel list` shows all channels.';

/** `reborn channel`: accounts on chat platforms. */
export function addChannelCommands(program: Command): void {
  const channel = program
    .command('channel')
    .description('Manage chat channels, such as a Telegram bot, a Slack app or a mailbox.');
  channel
    .command('list')
    .option('--json', 'print JSON')
    .description('List the channels, with their last problem and the messages that wait.')
    .addHelpText('after', '\nExample:\n  reborn channel list')
    .action(listChannels);
  channel
    .command('add')
    .argument('<platform>', 'telegram, slack or mail')
    .option('--webhook', 'let the platform send messages to PUBLIC_URL, instead of asking for them')
    .option('--groups', 'answer in groups, too, when addressed')
    .option('--address <address>', 'mail: the address of the agent')
    .option('--alias <address...>', 'mail: other addresses whose mail arrives in the same mailbox')
    .option('--imap <host[:port]>', 'mail: the IMAP server (port: 993)')
    .option('--smtp <host[:port]>', 'mail: the SMTP server (port: 465)')
    .option('--user <name>', 'mail: the user name at both servers (default: the address)')
    .option('--authserv-id <name>', 'mail: the name in the Authentication-Results headers of your server')
    .option('--private-network', 'mail: the servers may have private addresses')
    .option('--plain', 'mail: without encryption, to servers on a private network')
    .description('Add a channel. Its tokens or password are asked for, or read as lines from stdin.')
    .addHelpText(
      'after',
      '\nExamples:\n  reborn channel add telegram < token.txt\n  reborn channel add mail --address agent@example.com --imap imap.example.com --smtp smtp.example.com --authserv-id mx.example.com',
    )
    .action(addChannel);
  channel
    .command('assistant')
    .argument('<id>', 'the id from the list')
    .argument('<name>', 'an assistant for everyone; none for the usual agent', toName)
    .description('Choose the assistant that answers in the chats of a channel.')
    .addHelpText('after', '\nExample:\n  reborn channel assistant 0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11 support')
    .action(chooseAssistant);
  channel
    .command('remove')
    .argument('<id>', 'the id from the list')
    .description('Remove a channel with its links. The threads stay.')
    .addHelpText('after', '\nExample:\n  reborn channel remove 0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11')
    .action(removeChannel);
  channel
    .command('test')
    .argument('<id>', 'the id from the list')
    .description('Ask the platform whether the credentials are good.')
    .addHelpText('after', '\nExample:\n  reborn channel test 0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11')
    .action(testChannel);
  channel
    .command('link')
    .description('Print a code that links your chat or mail address to the operator, when you send it from there.')
    .addHelpText('after', '\nExample:\n  reborn channel link')
    .action(printCode);
}

function listChannels({ json }: { json?: true }): Promise<void> {
  return withClient(async (client) => {
    const { channels } = await client.call('GET /api/channels');
    if (json) return printJson(channels);
    if (channels.length === 0)
      return printLine('No channels yet. Add one with: reborn channel add telegram, slack or mail');
    printTable([
      ['id', 'platform', 'name', 'mode', 'groups', 'waiting', 'failed', 'refused', 'last error'],
      ...channels.map((each) => [
        each.id,
        each.channel,
        each.name,
        each.mode,
        each.groups ? 'yes' : 'no',
        String(each.waiting),
        String(each.failed),
        String(each.refused),
        each.last_error ?? '',
      ]),
    ]);
  });
}

function chooseAssistant(id: string, assistant: string | null): Promise<void> {
  return withClient(async (client) => {
    await orMissing(client.call('PATCH /api/channels/{id}', { params: { id }, body: { assistant } }), MISSING);
    printLine(assistant ? `The assistant ${assistant} answers there.` : 'The usual agent answers there.');
  });
}

function addChannel(platform: string, { webhook, groups, ...mail }: AddOptions): Promise<void> {
  return withClient(async (client) => {
    const asking = <T>(act: (ask: AskSecret) => Promise<T>) =>
      askingSecrets({ input: process.stdin, output: process.stderr }, act);
    if (platform === 'mail') {
      const asked = await asking((ask) => askMailChannel(ask, mail));
      const added = await client.call('POST /api/channels', { body: asked });
      return printLine(`Added ${added.name} as ${added.id}. Link your address with: reborn channel link`);
    }
    if (platform !== 'telegram' && platform !== 'slack')
      throw new Error('The platform must be telegram, slack or mail.');
    const how = { mode: webhook ? 'webhook' : 'polling', groups: groups ?? false } as const;
    const body = await asking(async (ask) => {
      if (platform === 'telegram')
        return { channel: platform, token: await needed(ask, 'The token of the bot', FROM_TELEGRAM), ...how } as const;
      const token = await needed(ask, 'The bot token (xoxb-…)', FROM_SLACK);
      const proof = webhook
        ? { signing_secret: await needed(ask, 'The signing secret', FROM_SLACK) }
        : { app_token: await needed(ask, 'The app-level token (xapp-…)', FROM_SLACK) };
      return { channel: platform, token, ...proof, ...how } as const;
    });
    const { id, name, request_url: url } = await client.call('POST /api/channels', { body });
    printLine(`Added @${name} as ${id}. Link your chat with: reborn channel link`);
    if (platform === 'slack' && url !== null)
      printLine(`Enter this address in the settings of the app, for events, interactivity and slash commands: ${url}`);
  });
}

const FROM_TELEGRAM = 'The token is needed: @BotFather on Telegram gives one to each bot.';
const FROM_SLACK = 'It is needed: the settings of the app at api.slack.com/apps show it.';

async function needed(ask: AskSecret, question: string, otherwise: string): Promise<string> {
  const answer = await ask(question);
  if (answer === undefined) throw new Error(otherwise);
  return answer;
}

function removeChannel(id: string): Promise<void> {
  return withClient(async (client) => {
    await orMissing(client.call('DELETE /api/channels/{id}', { params: { id } }), MISSING);
    printLine('The channel is removed.');
  });
}

function testChannel(id: string): Promise<void> {
  return withClient(async (client) => {
    const { error } = await orMissing(client.call('POST /api/channels/{id}/test', { params: { id } }), MISSING);
    if (error !== null) throw new Error(error);
    printLine('The platform accepts the credentials.');
  });
}

function printCode(): Promise<void> {
  return withClient(async (client) => {
    const { code, links } = await client.call('POST /api/channels/codes');
    printLine(`Send this to the bot in a private chat, or by mail, within ten minutes: ${code}`);
    for (const { url } of links) printLine(`Or open: ${url}`);
  });
}
