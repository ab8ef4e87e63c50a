import { Absurd } from 'absurd-sdk';
import pg from 'pg';

// As short as the lease of pg-boss; the default is 120. A long step must renew it.
const LEASE_SECONDS = 10;
const RENEW_MS = 3000;

/** A task with three steps. */
export async function createEngine({ connection, worker, body }) {
  const pool = new pg.Pool({ ...connection, max: 20 });
  const app = new Absurd({ db: pool, queueName: 'turns', defaultMaxAttempts: 20 });
  await app.createQueue('turns');
  const ended = new Map();
  app.registerTask({ name: 'turn' }, async (input, context) => {
    const renewing = setInterval(() => context.heartbeat().catch(() => {}), RENEW_MS);
    try {
      await body(input, {
        write: (n, make) => context.step(`write ${n}`, make),
        wait: () => context.awaitEvent(`answer ${input.id}`),
      });
    } finally {
      clearInterval(renewing);
    }
    ended.get(input.id)?.();
    ended.delete(input.id);
  });
  let working = await start(8);

  function start(concurrency) {
    return app.startWorker({
      concurrency,
      claimTimeout: LEASE_SECONDS,
      workerId: worker,
      fatalOnLeaseTimeout: false,
      onError: (error) => console.error(worker, error),
    });
  }

  const accept = async (input) => void (await app.spawn('turn', input));
  return {
    accept,
    async run(input) {
      const end = new Promise((resolve) => ended.set(input.id, resolve));
      await accept(input);
      await end;
    },
    async makeRoom(atOnce) {
      await working.close();
      working = await start(atOnce);
    },
    answer: (id) => app.emitEvent(`answer ${id}`, 'yes'),
    async countWaiting() {
      const { rows } = await pool.query("select count(*)::int as count from absurd.t_turns where state = 'sleeping'");
      return rows[0].count;
    },
    async findWriters(id) {
      const { rows } = await pool.query(
        `select c.checkpoint_name as name, c.state from absurd.c_turns as c
         join absurd.t_turns as t on t.task_id = c.task_id where t.params ->> 'id' = $1`,
        [id],
      );
      return [0, 1, 2].map((n) => rows.find(({ name }) => name === `write ${n}`)?.state.by);
    },
    async stop() {
      await working.close();
      await pool.end();
    },
  };
}
