import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import { findFreePort } from '../support/free-port.ts';
import { test as journey } from '../support/journey.ts';
import { type Service, TOKEN, WEBHOOK_SECRET } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;
type Query = { readonly from: string; readonly expr: string };

const broken: Tool = {
  definition: { name: 'broken', description: 'Fails.', parameters: { type: 'object' }, strict: null },
  repeatable: true,
  level: 'allow',
  call: async () => {
    throw new Error('It always fails.');
  },
};

const test = journey
  // A model with a known price, so that there is a cost.
  .override('settings', { LLM_MODEL: 'gpt-4o-mini', HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET, LLM_RETRY_SECS: '1' })
  .override('parts', { tools: [broken] })
  .extend('prometheus', { scope: 'file' }, async ({ service }, { onCleanup }) => {
    const prometheus = await startPrometheus(service.url);
    onCleanup(() => prometheus.close());
    return prometheus;
  });

describe.runIf(isInstalled('prometheus'))('with a real Prometheus', () => {
  test('every query of the dashboard and the alert rules returns data', async ({ service, prometheus }) => {
    const rules = await prometheus.rules();
    expect(rules.length).toBeGreaterThan(15);
    const queries = [...rules, ...(await readDashboard())];

    const unanswered = await waitFor(
      'data for every query',
      async () => {
        await useAll(service);
        const empty = await findEmpty(queries, prometheus);
        return empty.length === 0 ? empty : undefined;
      },
      60_000,
    ).catch(() => findEmpty(queries, prometheus));
    expect(unanswered).toEqual([]);
    expect(await prometheus.problems()).toEqual([]);
    const [exemplar] = await prometheus.exemplars('reborn_turn_duration_seconds_bucket');
    expect(exemplar?.labels.trace_id).toMatch(/^[0-9a-f]{32}$/);
  });

  test('the alerts fire when they should', () => {
    const said = execFileSync('promtool', ['test', 'rules', 'deploy/prometheus/rules.test.yml'], { encoding: 'utf8' });
    expect(said).toContain('SUCCESS');
  });
});

/** A little of everything that the queries measure. */
async function useAll(service: Service): Promise<void> {
  await Promise.all([
    service.ask('say hello'),
    service.ask('use reborn_time {}'),
    service.ask('use broken {}'),
    service.ask(`fail 1 times with 503 ${performance.now()}`),
    service.ask('break 400'),
    service.request('/api/me', { headers: { authorization: 'Bearer wrong' } }),
    fetch(`${service.webhook.url}/webhook`, { method: 'POST' }),
  ]);
}

async function findEmpty(queries: readonly Query[], prometheus: Prometheus): Promise<Query[]> {
  const counts = await Promise.all(queries.map(({ expr }) => prometheus.ask(expr)));
  return queries.filter((_, index) => counts[index] === 0);
}

async function readDashboard(): Promise<Query[]> {
  type Panel = { readonly title: string; readonly targets?: readonly { readonly expr: string }[] };
  const { panels } = JSON.parse(await readFile('deploy/grafana/reborn.json', 'utf8')) as { panels: Panel[] };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      from: title,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', 'reborn'),
    })),
  );
}

/** deploy/prometheus with the address and the token of the test, and without long pauses. */
async function startPrometheus(target: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-prometheus-'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const example = await readFile('deploy/prometheus/prometheus.yml', 'utf8');
  const config = example
    .replaceAll('15s', '500ms')
    .replace('/etc/prometheus/reborn-token', path.join(folder, 'token'))
    .replace('127.0.0.1:3000', new URL(target).host);
  await writeFile(path.join(folder, 'prometheus.yml'), config);
  await writeFile(path.join(folder, 'token'), TOKEN);
  await copyFile('deploy/prometheus/rules.yml', path.join(folder, 'rules.yml'));
  const words = [
    '--config.file=prometheus.yml',
    '--storage.tsdb.path=data',
    `--web.listen-address=127.0.0.1:${port}`,
    '--enable-feature=exemplar-storage',
  ];
  const child = spawn('prometheus', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (data) => (output += String(data)));
  const exited = once(child, 'exit');
  await waitFor('Prometheus to listen', async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus exited:\n${output}`);
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  const get = async (route: string) => (await (await fetch(url + route)).json()) as { status: string; data: never };

  return {
    /** How many series an expression returns. */
    async ask(expr: string): Promise<number> {
      const { status, data } = await get(`/api/v1/query?query=${encodeURIComponent(expr)}`);
      if (status !== 'success') throw new Error(`Prometheus refused: ${expr}`);
      return (data as { result: unknown[] }).result.length;
    },
    /** The exemplars of a histogram, from the last minutes. */
    async exemplars(metric: string): Promise<{ labels: { trace_id?: string } }[]> {
      const now = Date.now() / 1000;
      const { data } = await get(`/api/v1/query_exemplars?query=${metric}&start=${now - 600}&end=${now}`);
      return (data as { exemplars: { labels: { trace_id?: string } }[] }[]).flatMap((series) => series.exemplars);
    },
    /** The expressions of all rules. An alert returns data only while it fires, so its comparisons become true or false. */
    async rules(): Promise<Query[]> {
      type Rule = { readonly type: string; readonly name: string; readonly query: string };
      const { data } = await get('/api/v1/rules');
      const found = (data as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);
      return found.map(({ type, name, query }) => ({
        from: name,
        expr: type === 'alerting' ? query.replaceAll(/ (>|==) /g, ' $1 bool ') : query,
      }));
    },
    /** Rules and targets with an error. */
    async problems(): Promise<string[]> {
      type Problem = { readonly lastError: string };
      const rules = (await get('/api/v1/rules')).data as { groups: { rules: Problem[] }[] };
      const scraped = (await get('/api/v1/targets')).data as { activeTargets: Problem[] };
      const all = [...rules.groups.flatMap((group) => group.rules), ...scraped.activeTargets];
      return all.map(({ lastError }) => lastError).filter(Boolean);
    },
    async close(): Promise<void> {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

function isInstalled(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`]);
    return true;
  } catch {
    return false;
  }
}
