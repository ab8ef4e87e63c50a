import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser } from '../support/accounts.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, startCluster } from './cluster.ts';

let cluster: Cluster;
let replica: Replica;

beforeAll(async () => {
  cluster = await startCluster();
  replica = await cluster.start();
});

afterAll(() => cluster.close());

const PLAIN = 'text/plain; charset=utf-8';

async function answerTo(headers: Record<string, string>, route = '/api/status', method = 'GET') {
  const response = await fetch(replica.url + route, { method, headers });
  return [response.status, response.headers.get('content-type'), await response.text()];
}

test('while PostgreSQL is down every request gets the plain 503, and service resumes without a restart', async () => {
  const ann = await addUser(replica, 'Ann');
  const operator = { authorization: 'Bearer operator-token-of-the-tests' };
  const stranger = { authorization: `Bearer reborn_${'x'.repeat(43)}` };
  const everybody = [operator, ann.headers, stranger, { authorization: 'Bearer wrong' }];
  expect((await answerTo(ann.headers))[0]).toBe(200);

  cluster.proxy.break();
  // A successful check of the database is cached for a second.
  await waitFor('the first 503', async () => (await answerTo(operator, '/api/v1/responses/x'))[0] === 503);
  for (const headers of everybody)
    for (const [route, method] of [
      ['/api/status', 'GET'],
      ['/api/v1/responses/x', 'GET'],
      ['/api/v1/responses', 'POST'],
      ['/api/users', 'GET'],
    ])
      expect(await answerTo(headers, route, method)).toEqual([503, PLAIN, 'Database unavailable']);
  expect(await answerTo({})).toEqual([401, PLAIN, 'Invalid or missing auth token']);
  expect((await answerTo({}, '/healthz'))[0]).toBe(200);
  expect((await answerTo({ 'sec-fetch-site': 'same-origin' }, '/login', 'POST'))[2]).toBe('Database unavailable');

  cluster.proxy.repair();
  await waitFor('service to resume', async () => (await answerTo(operator))[0] === 200);
  expect((await answerTo(ann.headers))[0]).toBe(200);
  expect((await answerTo(stranger))[0]).toBe(401);
});

test('while PostgreSQL stops and restarts, every request gets an answer or the plain 503', async () => {
  const operator = { authorization: 'Bearer operator-token-of-the-tests' };
  const seen = new Set<string>();
  const stop = new AbortController();
  const ask = async () => {
    while (!stop.signal.aborted) {
      const [status, , text] = await answerTo(operator, '/api/v1/responses/resp_' + '0'.repeat(64));
      seen.add(status === 404 ? '404' : `${String(status)} ${String(text)}`);
    }
  };
  const asking = Promise.all(Array.from({ length: 8 }, ask));
  for (let round = 0; round < 3; round++) {
    await stopPostgres();
    await waitFor('it to be back', async () => (await answerTo(operator))[0] === 200);
  }
  stop.abort();
  await asking;

  expect([...seen].toSorted()).toEqual(['404', '503 Database unavailable']);
});

test.for(['kysely_migration', 'unused_objects', 'insert into replicas'])(
  'a replica starts although the connection is lost at "%s"',
  async (words) => {
    const line = await cluster.startLine();
    const lost = line.loseAnswerTo(words);
    const [another] = await Promise.all([cluster.start(line), lost]);
    expect((await another.request('/api/status')).status).toBe(200);
    await another.kill();
  },
);

/** This process owns the embedded server, stops it at once, and starts it again. */
async function stopPostgres(): Promise<void> {
  const file = await readFile(`${cluster.connection.host}/postmaster.pid`, 'utf8');
  process.kill(Number(file.split('\n')[0]), 'SIGINT');
  await waitFor(
    'it to be gone',
    async () => (await answerTo({ authorization: 'Bearer operator-token-of-the-tests' }))[0] === 503,
  );
}
