import type { NumberedSource } from '#domain/search/source.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { listSources, readNumbers } from '#store/sources.ts';
import type { OpenSources } from '#tools/source-port.ts';

/** The sources that one call shows. The turn writes them together with the output: after a crash both exist, or neither does. */
export function stageSources(db: Database, turn: Turn) {
  const staged: NumberedSource[] = [];
  const numbered = new Map<string, number>();
  let opened: ReturnType<typeof readNumbers> | undefined;
  const open = () => (opened ??= withOwner(db, turn, (trx) => readNumbers(trx, turn, turn.threadId)));

  const port: OpenSources = {
    async add(sources) {
      const { numbers, highest } = await open();
      return sources.map((source) => {
        const number = numbers.get(source.url) ?? numbered.get(source.url) ?? highest + numbered.size + 1;
        if (!numbers.has(source.url)) numbered.set(source.url, number);
        staged.push({ ...source, number });
        return number;
      });
    },
    find: async (number) =>
      (await withOwner(db, turn, (trx) => listSources(trx, turn, turn.threadId, [number]))).at(-1),
  };
  return { port, staged: staged as readonly NumberedSource[] };
}
