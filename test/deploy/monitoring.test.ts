import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import { journey } from '../support/journey.ts';
import { type Service, WEBHOOK_SECRET } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Prometheus, type Query, startAlertmanager, startPrometheus } from './prometheus.ts';

const broken: Tool = {
  definition: { name: 'broken', description: 'Fails.', parameters: { type: 'object' }, strict: null },
  repeatable: true,
  flow: { reads: {}, runs: 'always' },
  level: 'allow',
  call: async () => {
    throw new Error('It always fails.');
  },
};

const test = journey()
  // A model with a known price, so that there is a cost.
  .override('settings', { LLM_MODEL: 'gpt-4o-mini', HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET, LLM_RETRY_SECS: '1' })
  .override('parts', { tools: [broken] })
  .extend('alertmanager', { scope: 'file' }, async ({}, { onCleanup }) => {
    const alertmanager = await startAlertmanager();
    onCleanup(() => alertmanager.close());
    return alertmanager;
  })
  .extend('prometheus', { scope: 'file' }, async ({ service, alertmanager }, { onCleanup }) => {
    const prometheus = await startPrometheus(service.url, alertmanager.url);
    onCleanup(() => prometheus.close());
    return prometheus;
  });

describe.runIf(isInstalled('prometheus') && isInstalled('prometheus-alertmanager'))('with a real Prometheus', () => {
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

  test('when too many turns fail, the person on duty hears of it', async ({ service, prometheus, alertmanager }) => {
    const paged = () =>
      alertmanager.sent
        .filter(({ route }) => route === '/page')
        .flatMap(({ alerts }) => alerts.map(({ labels }) => labels['alertname']));
    await waitFor(
      'the page',
      async () => {
        await useAll(service); // two of these turns fail
        return paged().includes('RebornTurnsFailFast');
      },
      60_000,
    );
    expect(await prometheus.ask('ALERTS{alertname="RebornTurnsFailFast", alertstate="firing"}')).toBe(1);
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

function isInstalled(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`]);
    return true;
  } catch {
    return false;
  }
}
