import pg from 'pg';
import { PgBoss } from 'pg-boss';

// The smallest that it allows.
const HEARTBEAT_SECONDS = 10;
const QUEUE = { notify: true, heartbeatSeconds: HEARTBEAT_SECONDS, retryLimit: 20, retryDelay: 0 };

/**
 * pg-boss has jobs, no steps and no waits: the handler keeps what it writes in a table of the application. Its fence is the
 * number of the attempt in the row of the job.
 */
export async function createEngine({ connection, worker, body, isFenced }) {
  const pool = new pg.Pool({ ...connection, max: 20 });
  const boss = new PgBoss({
    ...connection,
    max: 20,
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  });
  boss.on('error', (error) => console.error(worker, error));
  const noWaits = () => Promise.reject(new Error('pg-boss has no waits.'));
  await boss.start();
  await boss.createQueue('turns', QUEUE);
  await boss.createQueue('threads', { ...QUEUE, policy: 'key_strict_fifo' });
  await pool.query('create table if not exists steps (job uuid, n integer, body jsonb, primary key (job, n))');
  const ended = new Map();

  async function handle([job]) {
    const { data: input } = job;
    const { rows } =
      job.retryCount > 0 ? await pool.query('select n, body from steps where job = $1', [input.id]) : { rows: [] };
    const known = new Map(rows.map((row) => [row.n, row.body]));
    await body(input, {
      write: async (n, make) => known.get(n) ?? write(job, n, await make()),
      wait: noWaits,
    });
    ended.get(input.id)?.();
    ended.delete(input.id);
  }

  async function write(job, n, made) {
    const { rowCount } = isFenced
      ? await pool.query(
          `insert into steps select $1, $2, $3 from pgboss.job
           where name = $4 and id = $1 and state = 'active' and retry_count = $5 for no key update`,
          [job.id, n, made, job.name, job.retryCount],
        )
      : await pool.query(
          'insert into steps values ($1, $2, $3) on conflict (job, n) do update set body = excluded.body',
          [job.id, n, made],
        );
    if (rowCount === 0) throw new Error('another attempt has the job');
    return made;
  }

  const work = (queue, localConcurrency) =>
    boss.work(
      queue,
      {
        localConcurrency,
        batchSize: 1,
        includeMetadata: true,
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: 1,
        heartbeatRefreshSeconds: 3,
      },
      handle,
    );
  await work('turns', 8);
  await work('threads', 8);

  const accept = (input) =>
    boss.send(input.isOrdered ? 'threads' : 'turns', input, { id: input.id, singletonKey: input.thread });
  return {
    accept,
    async run(input) {
      const end = new Promise((resolve) => ended.set(input.id, resolve));
      await accept(input);
      await end;
    },
    async makeRoom(atOnce) {
      await boss.offWork('turns', { wait: true });
      await work('turns', atOnce);
    },
    answer: noWaits,
    countWaiting: noWaits,
    async findWriters(id) {
      const { rows } = await pool.query('select n, body from steps where job = $1', [id]);
      return [0, 1, 2].map((n) => rows.find((row) => row.n === n)?.body.by);
    },
    async stop() {
      await boss.stop({ graceful: false });
      await pool.end();
    },
  };
}
