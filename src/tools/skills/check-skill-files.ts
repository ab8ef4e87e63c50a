import { InvalidSkill } from './parse-skill.ts';

export const MAX_FILES = 100;
const MAX_FILE_BYTES = 256 * 1024;
const MAX_BYTES = 1024 * 1024;
const MAX_PATH = 200;

/** Refuses files that no folder of a skill would hold, or more than a skill may have. */
export function checkSkillFiles(files: Readonly<Record<string, string>>): void {
  const entries = Object.entries(files);
  if (entries.length > MAX_FILES) throw tooManyFiles();
  for (const [file, text] of entries) {
    if (!isPath(file)) throw new InvalidSkill(`${JSON.stringify(file)} is not the path of a file in a skill.`);
    if (text.includes('\0') || !text.isWellFormed())
      throw new InvalidSkill(`${file} is not text. Leave it out, or save it as UTF-8.`);
    checkFileSize(file, Buffer.byteLength(text));
  }
  if (entries.reduce((bytes, [, text]) => bytes + Buffer.byteLength(text), 0) > MAX_BYTES)
    throw new InvalidSkill('The texts of a skill may have 1 MiB together.');
}

export function checkFileSize(file: string, bytes: number): void {
  if (bytes > MAX_FILE_BYTES) throw new InvalidSkill(`${file} is larger than 256 KiB.`);
}

export const tooManyFiles = () => new InvalidSkill(`A skill may have ${MAX_FILES} files, and this one has more.`);

/** Relative, with no hidden part and none that leads up. */
function isPath(file: string): boolean {
  if (file.length > MAX_PATH || /[\\\p{Control}]/u.test(file) || !file.isWellFormed()) return false;
  return file.split('/').every((part) => part !== '' && !part.startsWith('.'));
}
