import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { cachedFolder, hashOfFiles, ROOT } from '../support/cached-folder.ts';

const CHART = path.join(ROOT, 'deploy/helm/reborn');
const RENDERER = 'test/deploy/render-chart/main.go';
/** Debian's packages of Go libraries are a GOPATH. */
const GO = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' };

export type Values = { readonly [name: string]: unknown };
export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
} & Values;

/** Go and its library for YAML, which Helm is made of, too. */
export const canRender = (): boolean => spawnSync('go', ['list', 'gopkg.in/yaml.v3'], { env: GO }).status === 0;

/** The manifests that `helm template reborn` prints for these values. */
export async function renderChart(values: Values): Promise<Manifest[]> {
  const given = merge(parse(await readFile(path.join(CHART, 'values.yaml'), 'utf8')) as Values, values);
  const problems = await findProblems(given);
  if (problems) throw new Error(problems);
  const { version, appVersion, name } = parse(await readFile(path.join(CHART, 'Chart.yaml'), 'utf8')) as Record<
    string,
    string
  >;
  const files: Record<string, string> = {};
  for await (const file of glob('templates/*', { cwd: CHART }))
    files[file] = await readFile(path.join(CHART, file), 'utf8');
  const chart = { Name: name, Version: version, AppVersion: appVersion };
  const input = { values: given, chart, release: { Name: 'reborn', Service: 'Helm', Namespace: 'agents' }, files };
  const { stdout, stderr, status } = spawnSync(await renderer(), { input: JSON.stringify(input), encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Object.entries(JSON.parse(stdout) as Record<string, string>).flatMap(([file, text]) =>
    readManifests(text, file),
  );
}

/** What the schema says against values, as Helm checks them before it renders. */
export async function findProblems(values: Values): Promise<string | undefined> {
  const schema = JSON.parse(await readFile(path.join(CHART, 'values.schema.json'), 'utf8')) as object;
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strict: false, formats: { hostname: /^[\w.-]+$/ } });
  return ajv.validate(schema, values) ? undefined : ajv.errorsText();
}

export function readManifests(text: string, file: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join('\n')}\n${text}`);
    return document.contents === null ? [] : [document.toJS() as Manifest];
  });
}

async function renderer(): Promise<string> {
  const built = await cachedFolder('chart-renderer', await hashOfFiles([RENDERER]), async (folder) => {
    const words = ['build', '-o', path.join(folder, 'render'), RENDERER];
    await promisify(execFile)('go', words, { cwd: ROOT, env: { ...GO, GOCACHE: path.join(folder, 'cache') } });
    execFileSync('rm', ['-rf', path.join(folder, 'cache')]);
  });
  return path.join(built, 'render');
}

/** As Helm merges values: objects by their fields, everything else as a whole. */
function merge(values: Values, over: Values): Values {
  const merged: Record<string, unknown> = { ...values };
  for (const [name, value] of Object.entries(over))
    merged[name] = isObject(value) && isObject(values[name]) ? merge(values[name], value) : value;
  return merged;
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
