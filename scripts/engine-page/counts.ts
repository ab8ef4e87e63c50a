import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

const FUNCTIONS = ['accept_turns', 'append_items', 'settle_turns', 'claim_turns_with_trees', 'take_over_turns'];

/** How much code the engine is, and how much of it is tests, in hundreds of lines: the page need not follow every change. */
export async function renderCounts(root: string): Promise<string> {
  const linesOf = async (patterns: string[], exclude: string[] = []) => {
    let lines = 0;
    for await (const file of glob(patterns, { cwd: root, exclude }))
      lines += (await readFile(path.join(root, file), 'utf8')).split('\n').length - 1;
    return lines;
  };
  const rows = [
    ['the five functions', await linesOf(FUNCTIONS.map((name) => `src/engine/sql/${name}.sql`))],
    ['all SQL of the engine', await linesOf(['src/engine/sql/*.sql'])],
    ['its TypeScript, with streams and presence', await linesOf(['src/engine/**/*.ts'], ['**/*.test.ts'])],
    ['its unit tests', await linesOf(['src/engine/**/*.test.ts'])],
    ['tests that kill, stop or cut off replicas', await linesOf(['test/{faults,chaos}/**/*.ts'])],
  ] as const;
  const lines = rows.map(([what, count]) => `| ${what.padEnd(41)} | ${roundLines(count).padStart(5)} |`);
  return [`| ${'part'.padEnd(41)} | lines |`, `| ${'-'.repeat(41)} | ----: |`, ...lines].join('\n');
}

const roundLines = (count: number): string => (Math.round(count / 100) * 100).toLocaleString('en');
