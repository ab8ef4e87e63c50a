import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Skill } from '#domain/skill.ts';
import { InvalidSkill, parseSkill } from './parse-skill.ts';

const MAX_FILES = 100;
const MAX_FILE_BYTES = 256 * 1024;
const MAX_BYTES = 1024 * 1024;

/** The skill in a folder. Links are not followed; hidden files, and those that are no text, are left out. */
export async function readSkillFolder(folder: string): Promise<Skill> {
  const paths = await listFiles(folder);
  const files: Record<string, string> = {};
  let bytes = 0;
  for (const file of paths) {
    const text = await readText(path.join(folder, file), file);
    if (text === undefined) continue;
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_BYTES) throw new InvalidSkill('The texts of a skill may have 1 MiB together.');
    files[file] = text;
  }
  return parseSkill(files);
}

/** Written by hand, because the recursive `readdir` goes through links to folders. */
async function listFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [''];
  for (let inner = folders.shift(); inner !== undefined; inner = folders.shift()) {
    const entries = await listFolder(path.join(folder, inner));
    for (const entry of entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')) {
      if (entry.isDirectory()) folders.push(`${inner}${entry.name}/`);
      if (entry.isFile()) found.push(`${inner}${entry.name}`);
    }
    if (found.length + folders.length > MAX_FILES)
      throw new InvalidSkill(`A skill may have ${MAX_FILES} files, and this one has more.`);
  }
  return found.toSorted();
}

async function listFolder(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    throw new InvalidSkill(`The folder ${folder} can't be read. Name a folder with a SKILL.md in it.`, {
      cause: error,
    });
  }
}

async function readText(file: string, name: string): Promise<string | undefined> {
  const { size } = await stat(file);
  if (size > MAX_FILE_BYTES) throw new InvalidSkill(`${name} is larger than 256 KiB.`);
  const bytes = await readFile(file);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
