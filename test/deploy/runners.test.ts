import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { options } from '#config/options.ts';
import { packagesFor } from '#sandbox/describe-strength.ts';
import { DEFAULT_LIMITS } from '#sandbox/sandbox.ts';

// No image is built and no cluster is asked here: these are texts. test/sandbox/runners.test.ts runs what is in the image.
const image = readStages('programs', 'runner');
const pods = readFileSync('deploy/helm/reborn/templates/runners.yaml', 'utf8');
const values = readFileSync('deploy/helm/reborn/values.yaml', 'utf8');
const compose = /^ {2}runner:\n(?: {4}.*\n)+/m.exec(readFileSync('deploy/docker/compose.yaml', 'utf8'))?.[0] ?? '';

/** Stages of the Dockerfile. */
function readStages(...names: string[]): string {
  const stages = readFileSync('deploy/docker/Dockerfile', 'utf8')
    .replaceAll(/\\\n\s*/g, '')
    .split(/^(?=FROM )/m);
  return stages.filter((stage) => names.some((name) => stage.split('\n')[0]?.endsWith(` AS ${name}`))).join('');
}

test('the image of a runner has every package that `reborn doctor` would ask for', () => {
  const names = Array.from(
    readFileSync('src/sandbox/inside/probe.py', 'utf8').matchAll(/'(\w+)'/g),
    ([, name = '']) => name,
  );
  const packages = packagesFor([...new Set(names)]);

  expect(packages.length).toBeGreaterThan(15);
  for (const name of [...packages, 'python3', 'sqlite3']) expect(image).toMatch(new RegExp(` ${name}\\s`));
});

test('it starts the program of this version as an ordinary user', () => {
  const [, source = '', target] = /^COPY (\S+) (\S+)$/m.exec(image) ?? [];

  expect(existsSync(source)).toBe(true);
  expect(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(image)?.[1] ?? '')).toEqual(['python3', '-IBS', target, '7070']);
  expect(image).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
});

test('a runner gets no secret, no variable and no right, and can reach no one', () => {
  for (const text of [pods, compose]) {
    expect(text).not.toMatch(
      /^\s*-?\s*(env|envFrom|environment|env_file|serviceAccountName|secrets|init|hostNetwork|hostPID):/m,
    );
    expect(text).not.toMatch(/secretKeyRef|secretRef|docker\.sock/);
  }
  for (const line of [
    'automountServiceAccountToken: false',
    'readOnlyRootFilesystem: true',
    'drop: [ALL]',
    'egress: []',
  ])
    expect(pods).toContain(line);
  for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true', 'networks: [runners]'])
    expect(compose).toContain(line);
});

test('its folders are as large as a workspace may be, and not larger', () => {
  const bytes = Number(options.WORKSPACE_QUOTA_MB.default) * 1_000_000;

  expect(values).toContain(`workspaceSize: ${bytes / 1_000_000}M\n`);
  expect(compose).toContain(`/workspace:exec,size=${bytes},`);
  expect(DEFAULT_LIMITS.tmpBytes).toBe(64 * 2 ** 20);
  expect(pods.match(/sizeLimit: 64Mi/g)).toHaveLength(2);
  expect(compose).toContain('/tmp:exec,size=64m,');
  expect(compose).toContain('shm_size: 64m');
});
