import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import type { AskOptions } from './chat/ask.ts';
import type { ChatOptions } from './chat/chat.ts';
import type { StatusOptions } from './status.ts';

const TALK = 'Talk to the agent:';
const SET_UP = 'Set up what it can do:';
const PEOPLE = 'People and their access:';
const RUN = 'Run the service:';
const DATA = 'Move and keep data:';

/** The `reborn` command with what the words after it need: one command, or all of them for help and for a typo. */
export async function createProgram(given: readonly string[]): Promise<Command> {
  const program = new Command('reborn')
    .description('An agent service that picks up where it left off.')
    .version(packageJson.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .enablePositionalOptions()
    .option('--thread <thread>', 'continue this thread: its id or title')
    .option('-c, --continue', 'continue the newest thread')
    .option('--plain', 'chat in plain lines, for screen readers and logs; also with TERM=dumb')
    .addHelpText('after', TERMINAL_HELP)
    .helpCommand('help [command]', 'show the help of a command') // the commands below inherit it
    .configureOutput({ outputError: (text, write) => write(inOwnWords(text)) });
  program
    .command('ask')
    .helpGroup(TALK)
    .argument('[message...]', 'the message; text from stdin is appended to it')
    .option('--thread <thread>', 'continue this thread: its id or title')
    .option('-c, --continue', 'continue the newest thread')
    .option('-f, --file <path>', 'attach a file (repeatable); @path in the message attaches it, too', collect)
    .option('--model <name>', 'the model that answers; `reborn models` lists them')
    .option('--assistant <name>', 'the assistant that answers; `reborn assistant list` lists them')
    .option('--schema <file>', 'a JSON Schema; the answer is JSON that fits it')
    .option('--json', 'print the result as JSON when the turn ends')
    .option('--stream', 'print each event of the turn as a line of JSON')
    .description('Send one message and print the answer.')
    .addHelpText('after', ASK_HELP)
    .action(async (words: string[], options: AskOptions) => (await import('./chat/ask.ts')).ask(words, options));
  program
    .command('init')
    .helpGroup(SET_UP)
    .description('Choose the model provider, key and model, and test them. Run it again to change them.')
    .addHelpText('after', '\nExample:\n  reborn init\n\nExit codes: 0 set up, 1 cancelled or failed.')
    .action(async () => (await import('./setup/init.ts')).init());
  program
    .command('serve')
    .helpGroup(RUN)
    .description('Serve the gateway and the Responses API until stopped.')
    .addHelpText('after', '\nExample:\n  GATEWAY_PORT=8000 reborn serve')
    .action(async () => (await import('./serve.ts')).serve());
  program
    .command('doctor')
    .helpGroup(RUN)
    .option('--json', 'print JSON')
    .option('--offline', 'do not ask the model, the chat platforms and the bucket')
    .description('Check everything the service needs, and say how to fix it.')
    .addHelpText(
      'after',
      '\nExample:\n  reborn doctor --json\n\nExit codes: 0 no problems were found, 1 there are some.',
    )
    .action(async (options: { json?: true; offline?: true }) => (await import('./doctor/doctor.ts')).doctor(options));
  program
    .command('status')
    .helpGroup(RUN)
    .option('--json', 'print JSON')
    .option('--watch [seconds]', 'print the figures of all replicas every few seconds')
    .option('--cells <addresses>', 'show a line for each of these cells, separated by commas')
    .description('Show whether the service is running, and how busy it is.')
    .addHelpText(
      'after',
      '\nExample:\n  reborn status --watch 5\n  reborn status --cells http://cell-1:3000,http://cell-2:3000\n\n' +
        'Exit codes: 0 running, 3 not running.',
    )
    .action(async (options: StatusOptions) => (await import('./status.ts')).status(options));
  const isComplete = given.length === 0 || program.commands.some((command) => command.name() === given[0]);
  for (const { heading, load } of isComplete ? [] : groupsFor(given[0])) (await load())(program.commandsGroup(heading));
  // Without an action, commander takes the first word for an unknown command, and suggests a known one.
  if (given.length === 0 || given[0]?.startsWith('-'))
    program
      .helpCommand(false)
      .action(async (options: ChatOptions) =>
        (await import('./chat/chat.ts')).chat(options, async () => (await createProgram(['--help'])).outputHelp()),
      );
  return program;
}

/** The parser's own messages, in the words of all others. */
const inOwnWords = (text: string): string =>
  text
    .replace(/^error: /, 'reborn: ')
    .replace(
      /(?:command-argument|option|argument) value '(.*)' (?:from env '.*' )?is invalid for (?:argument|option) '(.*?)'\. Allowed choices are (.*)\.\n/,
      (_, given: string, name: string, choices: string) => `${name} can't be "${given}". Choose one of ${choices}.\n`,
    );

function groupsFor(first = ''): readonly Group[] {
  if (first === '--version') return [];
  const named = GROUPS.filter(({ name }) => name === first && name !== 'completion'); // it names them all
  return named.length > 0 ? named : GROUPS;
}

type Group = {
  readonly name: string;
  readonly heading: string;
  readonly load: () => Promise<(program: Command) => void>;
};

const inGroup = (heading: string, loads: Readonly<Record<string, Group['load']>>): Group[] =>
  Object.entries(loads).map(([name, load]) => ({ name, heading, load }));

/** Each is loaded only when it is asked for: `serve` starts without all of them. */
const GROUPS: readonly Group[] = [
  ...inGroup(TALK, {
    project: async () => (await import('./project/project.ts')).addProjectCommands,
    thread: async () => (await import('./thread/thread.ts')).addThreadCommands,
    file: async () => (await import('./file/file.ts')).addFileCommands,
    memory: async () => (await import('./memory.ts')).addMemoryCommands,
    assistant: async () => (await import('./assistant/assistant.ts')).addAssistantCommands,
    mission: async () => (await import('./mission/mission.ts')).addMissionCommands,
    gate: async () => (await import('./gate/gate.ts')).addGateCommands,
    models: async () => (await import('./setup/models.ts')).addModelsCommand,
    usage: async () => (await import('./usage.ts')).addUsageCommand,
  }),
  ...inGroup(SET_UP, {
    config: async () => (await import('./setup/config.ts')).addConfigCommands,
    tool: async () => (await import('./tool/tool.ts')).addToolCommands,
    mcp: async () => (await import('./mcp/mcp.ts')).addMcpCommands,
    search: async () => (await import('./search.ts')).addSearchCommands,
    skill: async () => (await import('./skill.ts')).addSkillCommands,
    policy: async () => (await import('./policy.ts')).addPolicyCommands,
    channel: async () => (await import('./channel/channel.ts')).addChannelCommands,
    webhook: async () => (await import('./webhook/webhook.ts')).addWebhookCommands,
  }),
  ...inGroup(PEOPLE, {
    user: async () => (await import('./user/user.ts')).addUserCommands,
    token: async () => (await import('./user/token.ts')).addTokenCommands,
    session: async () => (await import('./user/session.ts')).addSessionCommands,
    link: async () => (await import('./user/link.ts')).addLinkCommand,
  }),
  ...inGroup(RUN, {
    service: async () => (await import('./service/service.ts')).addServiceCommands,
    logs: async () => (await import('./service/service.ts')).addLogsCommand,
    audit: async () => (await import('./audit.ts')).addAuditCommand,
    cell: async () => (await import('./cell/cell.ts')).addCellCommands,
    delivery: async () => (await import('./delivery/delivery.ts')).addDeliveryCommands,
    retention: async () => (await import('./retention.ts')).addRetentionCommands,
    upgrade: async () => (await import('./upgrade.ts')).addUpgradeCommand,
    'support-bundle': async () => (await import('./support/support-bundle.ts')).addSupportBundleCommand,
    completion: async () => (await import('./completion/completion.ts')).addCompletionCommand,
  }),
  ...inGroup(DATA, {
    backup: async () => (await import('./archive/backup.ts')).addBackupCommand,
    restore: async () => (await import('./archive/restore.ts')).addRestoreCommand,
    export: async () => (await import('./archive/export.ts')).addExportCommand,
    import: async () => (await import('./archive/import.ts')).addImportCommand,
  }),
];

const collect = (path: string, before: readonly string[] = []): readonly string[] => [...before, path];

const TERMINAL_HELP = `
Without a command, the chat opens in the terminal: attached to \`reborn serve\`
if it runs, otherwise it starts one for as long as the chat is open. With
REBORN_URL and REBORN_TOKEN, the chat and the commands use the service at that
address, as the user of that token.

Examples:
  reborn
  reborn --continue
  reborn --thread "Trip to Oslo"

Exit codes: 0 success, 1 failure (stderr says why), 78 a setting is wrong.`;

const ASK_HELP = `
Examples:
  reborn ask "What time is it?"
  reborn ask --continue "And in Oslo?"
  reborn ask "What does @lease.pdf say about pets?"
  git diff | reborn ask "Write a commit message for this." > message.txt
  reborn ask --stream "Count to three." | jq -r 'select(.event.type == "text-delta") | .event.delta'

Exit codes: 0 answered, 1 failed, 3 it waits for an approval or a sign-in, 4 cut short by the model's limit,
78 a setting is wrong, 130 cancelled with Ctrl+C.`;
