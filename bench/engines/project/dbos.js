import { DBOS } from '@dbos-inc/dbos-sdk';
import pg from 'pg';

/** A workflow with three steps. Ordered inputs go through a queue with one partition for each thread. */
export async function createEngine({ connection, identity, body }) {
  const { host, port, user, password, database } = connection;
  const address = new URL(`postgresql://localhost:${port}/${database}`);
  address.username = user;
  address.password = password;
  address.searchParams.set('host', host);
  DBOS.setConfig({
    name: 'engines',
    systemDatabaseUrl: address.href,
    systemDatabasePoolSize: 20,
    executorID: identity,
    applicationVersion: 'one',
    logLevel: 'error',
  });
  const turn = DBOS.registerWorkflow(
    (input) =>
      body(input, {
        write: (n, make) => DBOS.runStep(make, { name: `write ${n}` }),
        wait: () => DBOS.recv('answer', { timeoutSeconds: 86_400 }),
      }),
    { name: 'turn', maxRecoveryAttempts: 1000 },
  );
  await DBOS.launch();
  await DBOS.registerQueue('threads', { partitionConcurrency: 1 });
  const pool = new pg.Pool({ ...connection, max: 2 });

  const start = (input) =>
    DBOS.startWorkflow(turn, {
      workflowID: input.id,
      ...(input.isOrdered && { queueName: 'threads', enqueueOptions: { queuePartitionKey: input.thread } }),
    })(input);
  return {
    accept: async (input) => void (await start(input)),
    run: async (input) => void (await (await start(input)).getResult()),
    answer: (id) => DBOS.send(id, 'yes', 'answer'),
    async countWaiting() {
      const { rows } = await pool.query(
        `select count(*)::int as count from dbos.workflow_status as w where status = 'PENDING'
         and 2 <= (select count(*) from dbos.operation_outputs as o where o.workflow_uuid = w.workflow_uuid)`,
      );
      return rows[0].count;
    },
    async findWriters(id) {
      const steps = (await DBOS.listWorkflowSteps(id)) ?? [];
      return [0, 1, 2].map((n) => steps.find(({ name }) => name === `write ${n}`)?.output?.by);
    },
    async stop() {
      await pool.end();
      await DBOS.shutdown();
    },
  };
}
