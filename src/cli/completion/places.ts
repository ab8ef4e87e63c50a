import type { Command, Option } from 'commander';
import type { ValueKind } from './values.ts';

/** A command by the words that lead to it, and what may follow. */
export type Place = {
  readonly words: string;
  readonly next: readonly string[];
  readonly options: readonly string[];
  /** What the service knows about its first argument. */
  readonly values?: ValueKind;
};

/** Names of arguments, as help shows them in brackets. */
const ARGUMENTS: Readonly<Record<string, ValueKind>> = {
  thread: 'thread',
  mission: 'mission',
  gate: 'gate',
  tool: 'tool',
  user: 'user',
  project: 'project',
  assistant: 'assistant',
};

/** Commands whose argument is only called a name. */
const NAMES: Readonly<Record<string, ValueKind>> = { config: 'setting', mcp: 'mcp', skill: 'skill' };

const OPTIONS: Readonly<Record<string, ValueKind>> = {
  '--thread': 'thread',
  '--model': 'model',
  '--project': 'project',
  '--assistant': 'assistant',
};

/** Without those that only our own scripts call, and without the help that each command has. */
export const commandsBelow = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');

export function placesOf(command: Command, above: readonly string[] = []): Place[] {
  const path = [...above, command.name()];
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
  const [first] = command.registeredArguments;
  const values = first && (first.name() === 'name' ? NAMES[path.at(-2) ?? ''] : ARGUMENTS[first.name()]);
  return [
    {
      words: path.join(' '),
      next: [...below.map((each) => each.name()), ...(first?.argChoices ?? [])],
      options: ['--help', ...command.options.flatMap(({ long }) => long ?? [])],
      ...(values && { values }),
    },
    ...below.flatMap((each) => placesOf(each, path)),
  ];
}

/** The options that are followed by something that the service knows. */
export const valuesOfOptions = (command: Command): ReadonlyMap<string, ValueKind> =>
  new Map(optionsOf(command).flatMap(({ long }) => (long && OPTIONS[long] ? [[long, OPTIONS[long]] as const] : [])));

const optionsOf = (command: Command): Option[] => [...command.options, ...command.commands.flatMap(optionsOf)];
