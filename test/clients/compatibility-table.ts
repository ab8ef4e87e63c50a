import { readFile } from 'node:fs/promises';
import { table } from '../../scripts/reference/markdown.ts';
import type { Program } from './coding-agents/programs.ts';
import { type Client, FEATURES, type Feature } from './features.ts';

/** A feature that a test has shown a client to support. */
export type Success = { readonly client: Client; readonly feature: Feature };

/** The compatibility page, from the results of the tests. */
export async function renderTable(
  clients: readonly Client[],
  successes: readonly Success[],
  programs: readonly Program[],
): Promise<string> {
  const reasons: string[] = [];
  const cell = (client: Client, feature: Feature) => {
    const check = client.features[feature];
    if (typeof check !== 'string')
      return successes.some((seen) => seen.client === client && seen.feature === feature) ? 'yes' : 'fails';
    if (!reasons.includes(check)) reasons.push(check);
    return `limit ${reasons.indexOf(check) + 1}`;
  };
  const head = ['The client…', ...(await Promise.all(clients.map(nameOf)))];
  const rows = FEATURES.map((feature) => [feature, ...clients.map((client) => cell(client, feature))]);
  const limits = reasons.map((reason, index) => `${index + 1}. ${reason}\n`).join('');
  return `${INTRODUCTION}\n${table([head, ...rows])}\n${limits && `\nLimits:\n\n${limits}`}\n${renderPrograms(programs)}`;
}

function renderPrograms(programs: readonly Program[]): string {
  const rows = programs.map(({ name, package: packageName, version, route, settings }) => [
    name,
    `\`${packageName}\` ${version}`,
    `\`/v1/${route}\``,
    Object.entries(settings)
      .map(([key, value]) => `\`${key}=${value}\``)
      .join(', ') || 'none',
  ]);
  return `## Coding agents

\`npm run compatibility:agents\` runs these programs as they are published against a service: an answer, a tool, and two parallel
tools. It records what they send, and a test sends it again. See [coding agents](../build/coding-agents.md) for their settings.

${table([['program', 'package', 'speaks', 'settings of the service'], ...rows])}
`;
}

const INTRODUCTION = `# Client compatibility

Written by \`npm run compatibility\`: each \`yes\` is a test in [test/clients](../../test/clients) where the client, as its
maker publishes it, talks to a running service. A test fails when this page says something else.
`;

async function nameOf({ packages }: Client): Promise<string> {
  const names = packages.map(async (name) => {
    const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, 'utf8')) as { version: string };
    return `\`${name}\` ${version}`;
  });
  return (await Promise.all(names)).join(', ');
}
