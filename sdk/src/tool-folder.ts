import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The tool's name for `reborn tool`: its package name without the scope. */
export async function readToolName(folder: string): Promise<string> {
  const path = join(folder, 'package.json');
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new Error(`${path} is missing. Run this in the folder of a tool, or create one: reborn tool new`);

  const { name } = JSON.parse(text) as { name?: unknown };
  if (typeof name !== 'string') throw new Error(`${path} has no "name". Add one: it becomes the name of the tool.`);

  return checkToolName(name.replace(/^@[^/]*\//, ''));
}

export function checkToolName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;

  throw new Error(`"${name}" is not a valid tool name. Use 1 to 64 letters, digits, underscores and hyphens.`);
}
