import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What `reborn tool` calls a tool: its package's name, without the scope. */
export async function readToolName(folder: string): Promise<string> {
  const path = join(folder, 'package.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new Error(`${path} is missing. Run this in the folder of a tool, or make one: reborn tool new`);

  const { name } = JSON.parse(text) as { name?: unknown };
  if (typeof name !== 'string') throw new Error(`${path} has no "name". The tool is called by it.`);

  return checkToolName(name.replace(/^@[^/]*\//, ''));
}

export function checkToolName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;

  throw new Error(`"${name}" can't name a tool. Use 1 to 64 letters, digits, underscores and hyphens.`);
}
