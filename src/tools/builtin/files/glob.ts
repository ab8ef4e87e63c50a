import { RE2JS } from 're2js';

/** Whether a path is like `*.csv` (in any folder), `data/*.csv` or `data/**`. */
export function matchesGlob(path: string, pattern: string): boolean {
  const source = pattern
    .replace(/^\.?\//, '')
    .split(/(\*\*\/?|\*|\?)/)
    .map(toExpression)
    .join('');
  const inAnyFolder = pattern.includes('/') ? '' : '(?:.*/)?';
  return RE2JS.compile(`${inAnyFolder}${source}`, RE2JS.DOTALL).matches(path);
}

function toExpression(piece: string): string {
  if (piece === '**/') return '(?:.*/)?';
  if (piece === '**') return '.*';
  if (piece === '*') return '[^/]*';
  if (piece === '?') return '[^/]';
  return RE2JS.quote(piece);
}
