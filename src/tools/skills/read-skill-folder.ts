import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Skill } from '#domain/tool/skill.ts';
import { checkFileSize, checkSkillFiles, MAX_FILES, tooManyFiles } from './check-skill-files.ts';
import { InvalidSkill, parseSkill } from './parse-skill.ts';

/** The skill in a folder. Links are not followed; hidden files and files that are not text are left out. */
export async function readSkillFolder(folder: string): Promise<Skill> {
  const paths = await listFiles(folder);
  const files: Record<string, string> = {};
  for (const file of paths) {
    const text = await readText(path.join(folder, file), file);
    if (text !== undefined) files[file] = text;
  }
  checkSkillFiles(files);
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
    if (found.length + folders.length > MAX_FILES) throw tooManyFiles();
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
  checkFileSize(name, size);
  const bytes = await readFile(file);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
