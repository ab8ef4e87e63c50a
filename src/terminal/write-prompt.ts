import type { Client } from '@reborn-agent/client';
import { fillTemplate, variablesOf } from '@reborn-agent/client/prompt-template';
import { parsePromptArguments } from './commands.ts';
import type { Drafts } from './drafts.ts';
import { oneLine } from './screen/printable.ts';
import type { Screen } from './screen/screen.ts';
import type { ThreadView } from './thread-view.ts';

type Means = {
  readonly screen: Pick<Screen, 'ask'>;
  readonly drafts: Pick<Drafts, 'giveBack'>;
  readonly client: Client;
  readonly thread: Pick<ThreadView, 'note'>;
};

type Field = { readonly name: string; readonly description: string; readonly required: boolean };

/** A prompt of an MCP server becomes the draft: the person reads it before it is sent. */
export async function writeServerPrompt(
  { client, screen, drafts, thread }: Means,
  { server, prompt: name, argument }: { readonly server: string; readonly prompt: string; readonly argument: string },
): Promise<void> {
  const { prompts } = await client.call('GET /api/mcp/{name}', { params: { name: server } });
  const prompt = prompts.find((each) => each.name === name);
  if (!prompt) return thread.note(`${server} has no prompt "${oneLine(name)}".`);
  const given = parsePromptArguments(
    prompt.arguments.map((each) => each.name),
    argument,
  );
  const values = await askMissing(screen, prompt.arguments, given);
  const missing = prompt.arguments.filter((each) => each.required && !values[each.name]);
  if (missing.length > 0)
    return thread.note(`Add ${missing.map((each) => `${each.name}=…`).join(' ')} to /${server}:${name}.`);
  const body = { prompt: name, arguments: values };
  const { text } = await client.call('POST /api/mcp/{name}/prompt', { params: { name: server }, body });
  drafts.giveBack(text);
}

/**
 * A prompt template becomes the draft, such as `/review file=notes.md`. Asks for the other variables; one without a value
 * stays in the text. Returns whether there is a template of that name.
 */
export async function writeTemplate({ screen, client, drafts }: Omit<Means, 'thread'>, line: string): Promise<boolean> {
  const [, name, given = ''] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
  const { templates } = await client.call('GET /api/templates');
  const found = templates.find((template) => template.name === name);
  if (!found) return false;
  const variables = variablesOf(found.text);
  const fields = variables.map((variable) => ({ name: variable, description: '', required: true }));
  const values = await askMissing(screen, fields, parsePromptArguments(variables, given.trim()));
  drafts.giveBack(fillTemplate(found.text, values));
  return true;
}

/** Asks for one value after the other, until the person goes back. */
async function askMissing(
  screen: Means['screen'],
  fields: readonly Field[],
  given: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const values = { ...given };
  for (const field of fields) {
    if (values[field.name] !== undefined) continue;
    const about = oneLine([field.name, field.description].filter(Boolean).join(': '));
    const value = await screen.ask(
      `${about}${field.required ? '' : ' (optional)'} (Enter continues, Esc leaves the rest open)`,
    );
    if (value === undefined) break;
    if (value !== '') values[field.name] = value;
  }
  return values;
}
