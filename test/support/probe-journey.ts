import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildTool } from '@reborn-agent/tool/build-tool';
import { journey } from './journey.ts';
import { runReborn } from './run-reborn.ts';
import { type Service, textOf } from './service.ts';
import { type Answer, type Asked, startStandIn } from './stand-in.ts';
import { waitFor } from './wait-for.ts';

export const SECRET = 'probe-secret-0123456789';
export const CAPABILITIES = {
  version: '1.0.0',
  wit_version: '1.0.0',
  http: {
    allowlist: [
      { host: 'api.example.com', path_prefix: '/v1/', methods: ['GET', 'POST'] },
      { host: '*.cdn.example.com', path_prefix: '/', methods: ['GET'] },
    ],
    rate_limit: { requests_per_minute: 1000, requests_per_hour: 1000 },
    credentials: {
      main: { secret_name: 'probe_key', location: { type: 'bearer' }, host_patterns: ['api.example.com'] },
    },
  },
  secrets: { allowed_names: ['probe_key'] },
  setup: { required_secrets: [{ name: 'probe_key', prompt: 'The key of the probe' }] },
};

/** How the hosts answer, and the addresses of their names. */
type Hosts = { answer: (asked: Asked) => Answer; readonly addresses: Map<string, string> };

export const FINE = { status: 200, text: 'fine' };

/** Journeys with the probe, a tool that makes the requests in its arguments, and a stand-in for all hosts. */
export const probeJourney = () =>
  journey()
    .extend('hosts', { scope: 'file' }, (): Hosts => ({ answer: () => ({ text: FINE.text }), addresses: new Map() }))
    .extend('standIn', { scope: 'file' }, async ({ hosts }, { onCleanup }) => {
      const standIn = await startStandIn((asked) => hosts.answer(asked));
      onCleanup(() => standIn.close());
      return standIn;
    })
    .override('parts', ({ standIn, hosts }) => ({
      network: { ...standIn.network, resolve: async (host) => [hosts.addresses.get(host) ?? '93.184.215.14'] },
    }))
    .extend('folder', { scope: 'file' }, async ({}, { onCleanup }) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'reborn-test-'));
      onCleanup(() => rm(folder, { recursive: true }));
      return folder;
    })
    .extend('wasm', { scope: 'file' }, async () => (await buildTool('test/fixtures/tools/probe')).path)
    .extend(
      'rebornDone',
      { scope: 'file' },
      ({ home, service }) =>
        async (args: readonly string[], input = ''): Promise<void> => {
          const { code, stdout, stderr } = await runReborn(args, { env: { ...home.env, ...service.remote }, input });
          if (code !== 0 || stdout.includes(SECRET)) throw new Error(`reborn ${args.join(' ')}: ${stdout}${stderr}`);
        },
    )
    .extend(
      'install',
      { scope: 'file' },
      ({ service, model, folder, wasm, rebornDone }) =>
        /** The API is faster than the command. */
        async (name: string, capabilities: object, by: 'API' | 'command' = 'API'): Promise<void> => {
          const file = path.join(folder, `${name}.json`);
          await writeFile(file, JSON.stringify(capabilities));
          if (by === 'command')
            await rebornDone(['tool', 'install', wasm, '--capabilities', file, '--name', name, '--yes']);
          else
            await send(service, 'POST', '/api/tools', {
              name,
              wasm: await readFile(wasm, 'base64'),
              capabilities: JSON.stringify(capabilities),
            });
          // It can write, and these tests are about later checks.
          await send(service, 'PUT', `/api/tool-policies/${name}`, { level: 'allow' });
          await waitFor(`${name} to be offered`, async () => {
            await service.ask('say ready');
            return model.seen.at(-1)?.tools.includes(name);
          });
        },
    );

async function send(service: Service, method: string, route: string, body: object): Promise<void> {
  const response = await service.request(route, { method, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${route}: ${await response.text()}`);
}

type ProbeResult = { answers: object[]; secrets: boolean[] };

/** Runs a turn that calls the probe, and returns the probe's result. */
export async function probe(service: Service, what: object, name = 'probe'): Promise<ProbeResult> {
  const response = await service.ask(`use ${name} ${JSON.stringify(what)}`);
  return JSON.parse(textOf(response).replace(/^result: /, '')) as ProbeResult;
}

export async function request(service: Service, asked: object): Promise<object> {
  const { answers } = await probe(service, { requests: [asked] });
  return answers[0] ?? {};
}
