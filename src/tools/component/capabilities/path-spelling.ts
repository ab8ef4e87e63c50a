const MAX_LAYERS = 4;

/**
 * Returns why servers may read `path` differently. It is decoded as often as there is something to decode,
 * because proxies on the way may each do so once: what looks like one segment here must not become two there.
 */
export function pathProblem(path: string): string | undefined {
  if (path.includes('\\') || countControls(path) > 0) return 'has a backslash or a control character in it';
  const letters = decodeLetters(path);
  if (letters === undefined) return 'has a "%" in it that is not followed by the hex digits of UTF-8';
  if (countMarks(letters.normalize('NFKC')) > countMarks(letters))
    return 'has a letter in it that some servers read as a slash or dot: leave it out';

  let decoded = path;
  for (let layer = 0; decoded.includes('%'); layer++) {
    const outer = decoded;
    decoded = decodeOnce(outer);
    if (decoded === outer) break;
    if (layer === MAX_LAYERS) return 'is percent-encoded too many times over';
    if (countMarks(decoded) > countMarks(outer))
      return 'hides a slash, backslash, dot or control character behind a "%": write it plainly, or leave it out';
  }
  return decoded.split('/').some(isDotSegment) ? 'has a "." or ".." segment in it' : undefined;
}

/** Whether `path` is `prefix` or below it: `/v1` has `/v1/x` below it, and not `/v10`. */
export function isBelow(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}

/** Some servers drop what follows a `;`, and some the spaces wherever they are, before they look for dots. */
function isDotSegment(segment: string): boolean {
  return /^[\s.]*\.[\s.]*(;|$)/.test(segment);
}

function decodeLetters(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Byte by byte and without complaint, like the most lenient of servers. */
function decodeOnce(path: string): string {
  return path.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function countMarks(path: string): number {
  return count(path, /[./\\]/g) + countControls(path);
}

/** Of ASCII alone: what follows it is part of other letters once UTF-8 has been decoded byte by byte. */
function countControls(path: string): number {
  return count(path, /(?=\p{ASCII})\p{Cc}/gu);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
