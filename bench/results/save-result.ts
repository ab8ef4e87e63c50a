import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Keeps what a benchmark measured beside this file: the docs quote it, and their charts are drawn from it. `--save` asks for it. */
export function saveResult(name: string, result: object): void {
  if (!process.argv.includes('--save')) return;
  const dated = { ...measuredNow(), ...result };
  const round = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
  writeFileSync(path.join(import.meta.dirname, `${name}.json`), `${JSON.stringify(dated, round, 2)}\n`);
}

/** The date, and the commit that is checked out. Commit changes before you save a result. */
export function measuredNow(): { readonly date: string; readonly commit: string } {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim();
  return { date: new Date().toISOString().slice(0, 10), commit };
}
