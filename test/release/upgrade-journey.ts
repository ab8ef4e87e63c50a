import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../support/free-port.ts';
import { settingsFor } from '../support/journey.ts';
import type { ScriptedModel } from '../support/scripted-model.ts';
import { clientOf, TOKEN, textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Machine } from './empty-machine.ts';

type Release = { readonly registry: string; readonly before: string; readonly now: string };

/**
 * What a person does with two releases on an empty machine: installs the earlier one and says something, checks the upgrade,
 * upgrades and continues the thread, rolls back and continues it again. The model recites what it was given.
 */
export async function walkThroughUpgrade(machine: Machine, model: ScriptedModel, { registry, before, now }: Release) {
  const install = (version: string) => measure(() => installGlobally(machine, registry, version));
  const ask = (input: string, follows?: string) =>
    withService(machine, model, (client) => client.ask(input, follows ? { previous_response_id: follows } : {}));

  await install(before);
  const first = await ask('say violet');
  await machine.run(['reborn', 'backup', BACKUP]);
  const seconds = await install(now);
  const bytes = await sizeOf(path.join(machine.home, '.npm-global'));
  const plan = JSON.parse(await machine.run(['reborn', 'upgrade', '--check', '--json'])) as {
    readonly rolling: boolean;
  };
  const upgraded = await ask('recite', first.id);
  await install(before);
  const rolledBack = await ask('recite', upgraded.id);
  return { seconds, bytes, plan, first, upgraded: textOf(upgraded), rolledBack: textOf(rolledBack) };
}

/**
 * The rest of what the upgrade page promises, in empty homes: the earlier release, which is installed, continues with its backup,
 * and the new one starts and answers.
 */
export async function walkThroughHomes(
  machine: Machine,
  model: ScriptedModel,
  releases: Release,
  first: { id: string },
) {
  const [restored, fresh] = [{ REBORN_HOME: '/home/ann/restored' }, { REBORN_HOME: '/home/ann/fresh' }];
  await machine.run(['reborn', 'restore', BACKUP], restored);
  const continued = await withService(
    machine,
    model,
    (client) => client.ask('recite', { previous_response_id: first.id }),
    restored,
  );
  await installGlobally(machine, releases.registry, releases.now);
  const answered = await withService(machine, model, (client) => client.ask('say violet'), fresh);
  return { continued: textOf(continued), answered: textOf(answered) };
}

const BACKUP = '/home/ann/before.reborn';

async function installGlobally(machine: Machine, registry: string, version: string): Promise<void> {
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-online'];
  await machine.run(['npm', 'install', '--global', `reborn-agent@${version}`, ...quietly, `--registry=${registry}`]);
  const said = (await machine.run(['reborn', '--version'])).trim();
  if (said !== version) throw new Error(`Version ${version} was installed, but it says that it is ${said}.`);
}

/** The service of the machine, started and stopped as its user does it. */
async function withService<Result>(
  machine: Machine,
  model: ScriptedModel,
  act: (client: ReturnType<typeof clientOf>) => Promise<Result>,
  home: Record<string, string> = {},
): Promise<Result> {
  const port = String(await findFreePort());
  const settings = { GATEWAY_PORT: port, SERVICE_REBORN_WEBUI_TOKEN: TOKEN, TITLE_MODEL: 'off' };
  const env = { ...settingsFor(model), ...settings, ...home };
  const service = machine.start(['reborn', 'serve'], env);
  let output = '';
  for (const stream of [service.stdout, service.stderr]) stream?.on('data', (data) => (output += String(data)));
  const closed = once(service, 'close');
  try {
    await waitFor('the service to be ready', async () => {
      if (service.exitCode !== null) throw new Error(`The service exited:\n${output}`);
      return (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok;
    });
    return await act(clientOf(`http://127.0.0.1:${port}`));
  } finally {
    process.kill(-(service.pid ?? 0), 'SIGTERM'); // the whole group: bubblewrap passes no signal on
    await closed;
  }
}

async function measure(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return (performance.now() - start) / 1000;
}

/** The bytes of all files, as `du --apparent-size` counts them. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
