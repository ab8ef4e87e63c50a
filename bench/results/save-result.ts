import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Keeps what a benchmark measured beside this file, where the charts of the docs are drawn from. `--save` asks for it. */
export function saveResult(name: string, result: object): void {
  if (!process.argv.includes('--save')) return;
  const dated = { date: new Date().toISOString().slice(0, 10), ...result };
  const round = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
  writeFileSync(path.join(import.meta.dirname, `${name}.json`), `${JSON.stringify(dated, round, 2)}\n`);
}
