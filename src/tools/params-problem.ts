const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 64;

/** Problems of the params that are checked before the tool runs. The tool checks the rest. */
export function paramsProblem(params: string): string | undefined {
  if (Buffer.byteLength(params) > MAX_BYTES) return `The parameters are larger than ${MAX_BYTES / 1024} KiB.`;
  if (isDeeperThan(params, MAX_DEPTH)) return `The parameters are nested more than ${MAX_DEPTH} levels deep.`;
  return undefined;
}

/** Counted in one pass over the text, which is not parsed: brackets inside strings don't count. */
function isDeeperThan(json: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') inString = !inString;
    else if (inString && character === '\\') at++;
    else if (!inString && (character === '[' || character === '{') && ++depth > limit) return true;
    else if (!inString && (character === ']' || character === '}')) depth--;
  }
  return false;
}
