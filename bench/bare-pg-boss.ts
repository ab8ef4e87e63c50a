import type pg from 'pg';
import { PgBoss } from 'pg-boss';

/** A job sent, fetched and completed, by pg-boss alone. */
export async function prepareBarePgBoss(pool: pg.Pool, onError: (error: unknown) => void) {
  const boss = new PgBoss({ db: { executeSql: (text, values) => pool.query(text, values) }, schema: 'bench_boss' });
  boss.on('error', onError);
  await boss.start();
  await boss.createQueue('bench', { partition: true });
  return {
    turn: async () => {
      await boss.send('bench', { hello: 'world' });
      const jobs = await boss.fetch('bench');
      if (jobs.length > 0) await boss.complete('bench', jobs);
    },
    stop: () => boss.stop({ graceful: false, close: false }),
  };
}
