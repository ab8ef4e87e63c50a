import { RE2JS, RE2JSException } from 're2js';
import { InvalidRequest } from '#domain/errors.ts';
import type { WorkspaceFile } from '#domain/workspace/version.ts';

type Wanted = { readonly text?: string | undefined; readonly pattern?: string | undefined };
type Read = (file: WorkspaceFile) => Promise<{ readonly text: string } | { readonly problem: string }>;

const MOST_SHOWN = 300;

/** Lines that match, as `path:line: text`. RE2 takes time in proportion to the text, whatever the pattern is. */
export async function findInFiles(
  files: readonly WorkspaceFile[],
  read: Read,
  wanted: Wanted,
  most: number,
): Promise<string[]> {
  const matches = matcherFor(wanted);
  const found: string[] = [];
  for (const file of files) {
    const content = await read(file);
    if ('problem' in content) continue;
    for (const [index, line] of content.text.split('\n').entries()) {
      if (!matches(line)) continue;
      if (found.length === most) return [...found, `(only the first ${most} lines are listed)`];
      found.push(`${file.path}:${index + 1}: ${line.trim().slice(0, MOST_SHOWN)}`);
    }
  }
  return found;
}

function matcherFor({ text, pattern }: Wanted): (line: string) => boolean {
  if (pattern === undefined) {
    const wanted = (text ?? '').toLowerCase();
    return (line) => line.toLowerCase().includes(wanted);
  }
  try {
    const compiled = RE2JS.compile(pattern);
    return (line) => compiled.matcher(line).find();
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new InvalidRequest('invalid_request', 'pattern', `pattern is not valid: ${error.message}`);
  }
}
