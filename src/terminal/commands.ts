/** What can be typed instead of a message. */
export const COMMANDS = [
  { name: 'new', description: 'Start a new thread' },
  { name: 'temporary', description: 'Start a thread that reads and writes no memory, and is deleted after a day' },
  { name: 'threads', description: 'Open another thread, pin one or delete one' },
  { name: 'rename', description: 'Give this thread another title: /rename Trip to Oslo' },
  { name: 'now', description: 'Stop the step, and read this message: /now leave out June' },
  { name: 'stop', description: 'Stop the answer, also where it waits for you; Esc does the same' },
  { name: 'subagents', description: 'List the subagents at work: open one, or stop one' },
  { name: 'edit', description: 'Replace an earlier message' },
  { name: 'regenerate', description: 'Ask for another answer' },
  { name: 'version', description: 'Go to other versions of a message' },
  { name: 'agent', description: 'Choose which assistant answers: /agent research, or /agent off' },
  { name: 'project', description: 'Move this thread into a project: /project Move to Oslo, or /project off' },
  { name: 'model', description: 'Choose which model answers: /model fast' },
  {
    name: 'memory',
    description: 'Search the notes: /memory words. Also /memory history people/ann, /memory undo people/ann',
  },
  { name: 'tools', description: 'List the tools' },
  { name: 'usage', description: 'Show what the last days have cost' },
  { name: 'files', description: 'List the files of this thread' },
  { name: 'get', description: 'Save a file of this thread here: /get data/costs.csv' },
  { name: 'undo', description: 'Undo the newest change of the files' },
  { name: 'copy', description: 'Copy the last answer' },
  { name: 'status', description: 'Show the thread, its model, tokens and cost' },
  { name: 'context', description: 'Show how full the context of the model is' },
  { name: 'compact', description: 'Begin the next message with a summary of this thread; /compact off takes it back' },
  { name: 'good', description: 'Rate the last answer as good; once more takes it back' },
  { name: 'bad', description: 'Rate the last answer as bad: /bad too long' },
  { name: 'export', description: 'Write this thread to a file: /export notes.md' },
  { name: 'help', description: 'Show the keys and commands' },
] as const;

export type CommandName = (typeof COMMANDS)[number]['name'];

export type Command =
  | { readonly name: CommandName; readonly argument: string }
  /** A prompt of an MCP server, such as `/docs:summary style=short`. */
  | { readonly name: 'prompt'; readonly server: string; readonly prompt: string; readonly argument: string };

/** The command that a line is, 'unknown' when there is none of that name, undefined when it is a message. */
export function parseCommand(line: string): Command | 'unknown' | undefined {
  const [, server, prompt, values = ''] = /^\/([a-z][a-z0-9-]*):([\w.-]+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
  if (server !== undefined && prompt !== undefined) return { name: 'prompt', server, prompt, argument: values.trim() };
  const [, word, argument = ''] = /^\/([a-z][a-z0-9-]*)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? [];
  if (word === undefined) return undefined;
  const found = COMMANDS.find(({ name }) => name === word.toLowerCase());
  return found ? { name: found.name, argument: argument.trim() } : 'unknown';
}

/** `name=value` pairs; values with spaces in quotes. The only argument of a prompt needs no name. */
export function parsePromptArguments(names: readonly string[], text: string): Record<string, string> {
  const [only] = names;
  if (names.length === 1 && only !== undefined && text !== '' && !text.startsWith(`${only}=`)) return { [only]: text };
  const pairs = text.matchAll(/([\w.-]+)=(?:"([^"]*)"|(\S+))/g);
  return Object.fromEntries([...pairs].map(([, name = '', quoted, word = '']) => [name, quoted ?? word]));
}

export const HELP = [
  'Enter sends; while the agent works, it reads the message after its present step. Ctrl+Shift+Enter sends now and stops the step.',
  'Shift+Enter, Ctrl+J or Alt+Enter makes a new line. Esc stops the running turn, or goes back.',
  'Page Up, Page Down and the wheel scroll, Ctrl+F searches. Ctrl+L clears the screen. Ctrl+C quits, Ctrl+D too; Ctrl+Z suspends.',
  'Ctrl+G opens your editor with the message.',
  'Up in an empty composer brings back earlier messages, as do Ctrl+P and Ctrl+N; Ctrl+R searches them.',
  '@ attaches a file: @notes.md. So does the path of an image, which most terminals paste for a dropped file.',
  '@ names a note or a skill, too. / offers your prompt templates and asks for their values: /review file=notes.md.',
  '@server:address attaches a resource of an MCP server; /server:name writes one of its prompts.',
  'Tab goes to the next waiting message, question or tool call. Enter edits a waiting message and Delete withdraws it;',
  'Enter unfolds a call; y, a or n answers a question; Left and Right show other versions of a message.',
  '',
  ...COMMANDS.map(({ name, description }) => `/${name.padEnd(10)} ${description}`),
].join('\n');
