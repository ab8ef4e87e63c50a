import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { renderCounts } from './counts.ts';
import { type EngineRun, renderCosts, renderFacts, renderGates, renderRun } from './tables.ts';

const ROOT = path.join(import.meta.dirname, '../..');
export const ENGINE_PAGE = path.join(ROOT, 'docs/decisions/engine.md');

/** The page about the engine, with what was measured and counted in the parts that are marked for it. */
export async function enginePage(): Promise<string> {
  const run = JSON.parse(await readFile(path.join(ROOT, 'bench/results/engines.json'), 'utf8')) as EngineRun;
  const parts: Record<string, string> = {
    counts: await renderCounts(ROOT),
    run: renderRun(run),
    costs: renderCosts(run),
    facts: renderFacts(run),
    gates: renderGates(run),
  };
  return (await readFile(ENGINE_PAGE, 'utf8')).replaceAll(
    /(<!-- part: (\w+) -->\n).*?(<!-- end -->)/gs,
    (_, begin: string, name: string, end: string) => `${begin}\n${parts[name] ?? ''}\n\n${end}`,
  );
}
