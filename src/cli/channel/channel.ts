import type { Command } from 'commander';
import { askingSecrets } from '../ask-secret.ts';
import { orMissing, withClient } from '../connect/with-client.ts';
import { printLine, printRecord, printTable } from '../print.ts';

type AddOptions = { readonly webhook?: true; readonly groups?: true };

const MISSING = 'There is no such channel. `reborn channel list` lists them.';

/** `reborn channel`: accounts on chat platforms. */
export function addChannelCommands(program: Command): void {
  const channel = program.command('channel').description('Manage chat channels, such as a Telegram bot.');
  channel
    .command('list')
    .option('--json', 'print JSON')
    .description('List the channels, with their last problem and the messages that wait.')
    .addHelpText('after', '\nExample:\n  reborn channel list')
    .action(listChannels);
  channel
    .command('add')
    .argument('<platform>', 'telegram')
    .option('--webhook', 'let the platform send messages to PUBLIC_URL, instead of asking for them')
    .option('--groups', 'answer in groups, too, when addressed')
    .description('Add a channel. Its token is asked for, or read as a line from stdin.')
    .addHelpText('after', '\nExample:\n  reborn channel add telegram < token.txt')
    .action(addChannel);
  channel
    .command('remove')
    .argument('<id>', 'the id from the list')
    .description('Remove a channel with its links. The threads stay.')
    .addHelpText('after', '\nExample:\n  reborn channel remove 0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11')
    .action(removeChannel);
  channel
    .command('test')
    .argument('<id>', 'the id from the list')
    .description('Ask the platform whether the token is good.')
    .addHelpText('after', '\nExample:\n  reborn channel test 0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11')
    .action(testChannel);
  channel
    .command('link')
    .description('Print a code that links your chat to the operator, when you send it to the bot.')
    .addHelpText('after', '\nExample:\n  reborn channel link')
    .action(printCode);
}

function listChannels({ json }: { json?: true }): Promise<void> {
  return withClient(async (client) => {
    const { channels } = await client.call('GET /api/channels');
    if (json) return printRecord(channels);
    if (channels.length === 0) return printLine('There are no channels. Add one with: reborn channel add telegram');
    printTable([
      ['id', 'platform', 'name', 'mode', 'groups', 'waiting', 'failed', 'last error'],
      ...channels.map((each) => [
        each.id,
        each.channel,
        each.name,
        each.mode,
        each.groups ? 'yes' : 'no',
        String(each.waiting),
        String(each.failed),
        each.last_error ?? '',
      ]),
    ]);
  });
}

function addChannel(platform: string, { webhook, groups }: AddOptions): Promise<void> {
  return withClient(async (client) => {
    if (platform !== 'telegram') throw new Error('The platform must be telegram.');
    const token = await askingSecrets({ input: process.stdin, output: process.stderr }, (ask) =>
      ask('The token of the bot'),
    );
    if (token === undefined) throw new Error('The token is needed: @BotFather on Telegram gives one to each bot.');
    const body = { channel: platform, token, mode: webhook ? 'webhook' : 'polling', groups: groups ?? false } as const;
    const { id, name } = await client.call('POST /api/channels', { body });
    printLine(`Added @${name} as ${id}. Link your chat with: reborn channel link`);
  });
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
    printLine('The platform accepts the token.');
  });
}

function printCode(): Promise<void> {
  return withClient(async (client) => {
    const { code, links } = await client.call('POST /api/channels/codes');
    printLine(`Send this to the bot in a private chat, within ten minutes: ${code}`);
    for (const { url } of links) printLine(`Or open: ${url}`);
  });
}
