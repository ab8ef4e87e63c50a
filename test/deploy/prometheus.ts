import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { findFreePort } from '../support/free-port.ts';
import { TOKEN } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;
export type Query = { readonly from: string; readonly expr: string };

/** deploy/prometheus with the address and the token of the test, and without long pauses. */
export async function startPrometheus(target: string, alertmanager: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-prometheus-'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const example = await readFile('deploy/prometheus/prometheus.yml', 'utf8');
  const config = example
    .replaceAll('15s', '500ms')
    .replace('/etc/prometheus/reborn-token', path.join(folder, 'token'))
    .replace('127.0.0.1:3000', new URL(target).host)
    .replace('127.0.0.1:9093', new URL(alertmanager).host);
  await writeFile(path.join(folder, 'prometheus.yml'), config);
  await writeFile(path.join(folder, 'token'), TOKEN);
  const patient = await readFile('deploy/prometheus/rules.yml', 'utf8');
  await writeFile(path.join(folder, 'rules.yml'), patient.replaceAll(/for: \d+m/g, 'for: 0s'));
  const words = [
    '--config.file=prometheus.yml',
    '--storage.tsdb.path=data',
    `--web.listen-address=127.0.0.1:${port}`,
    '--enable-feature=exemplar-storage',
  ];
  const program = await startProgram('prometheus', words, { folder, url });
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
      await program.stop();
      await rm(folder, { recursive: true });
    },
  };
}

export type Sent = { readonly route: string; readonly alerts: readonly { readonly labels: Record<string, string> }[] };

/** deploy/prometheus/alertmanager.yml, with a receiver of the test and without long pauses. */
export async function startAlertmanager() {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-alertmanager-'));
  const sent: Sent[] = [];
  const receiver = createServer((request, response) => {
    void json(request).then((body) => {
      sent.push({ route: request.url ?? '', alerts: (body as Sent).alerts });
      response.end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port: receiverPort } = receiver.address() as AddressInfo;
  const example = await readFile('deploy/prometheus/alertmanager.yml', 'utf8');
  const config = example.replaceAll('30s', '100ms').replaceAll('127.0.0.1:9095', `127.0.0.1:${receiverPort}`);
  await writeFile(path.join(folder, 'alertmanager.yml'), config);
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const words = [
    '--config.file=alertmanager.yml',
    '--storage.path=data',
    `--web.listen-address=${new URL(url).host}`,
    '--cluster.listen-address=',
  ];
  const program = await startProgram('prometheus-alertmanager', words, { folder, url });
  return {
    url,
    sent,
    async close(): Promise<void> {
      await program.stop();
      receiver.closeAllConnections();
      receiver.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function startProgram(name: string, words: string[], { folder, url }: { folder: string; url: string }) {
  const child = spawn(name, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (data) => (output += String(data)));
  const exited = once(child, 'exit');
  await waitFor(`${name} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} exited:\n${output}`);
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
