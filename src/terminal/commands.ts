/** What can be typed instead of a message. */
export const COMMANDS = [
  { name: 'new', description: 'Start a new thread' },
  { name: 'threads', description: 'Open another thread' },
  { name: 'model', description: 'Choose which model answers: /model fast' },
  { name: 'memory', description: 'Search the notes: /memory words' },
  { name: 'tools', description: 'List the tools' },
  { name: 'usage', description: 'Show what the last days have cost' },
  { name: 'export', description: 'Write this thread to a file: /export notes.md' },
  { name: 'help', description: 'Show the keys and commands' },
] as const;

export type CommandName = (typeof COMMANDS)[number]['name'];

export type Command = { readonly name: CommandName; readonly argument: string };

/** The command that a line is, 'unknown' when there is none of that name, undefined when it is a message. */
export function parseCommand(line: string): Command | 'unknown' | undefined {
  const [, word, argument = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? [];
  if (word === undefined) return undefined;
  const found = COMMANDS.find(({ name }) => name === word.toLowerCase());
  return found ? { name: found.name, argument: argument.trim() } : 'unknown';
}

export const HELP = [
  'Enter sends. Shift+Enter, Ctrl+J or Alt+Enter makes a new line. Esc stops the running turn, or goes back.',
  'Up, Down, Page Up and Page Down scroll, Ctrl+F searches. Ctrl+L clears the screen, Ctrl+C quits.',
  'Ctrl+P and Ctrl+N bring back earlier messages, Ctrl+R searches them. Ctrl+D quits while nothing is typed.',
  '@ attaches a file: @notes.md. So does the path of an image, which most terminals paste for a dropped file.',
  'Tab goes to the next waiting message, question or tool call. Enter edits a waiting message and Delete withdraws it;',
  'Enter unfolds a call; y, a or n answers a question.',
  '',
  ...COMMANDS.map(({ name, description }) => `/${name.padEnd(8)} ${description}`),
].join('\n');
