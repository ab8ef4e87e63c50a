import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Config, type ExplainedOption, explainOptions, readEnvironment } from '#config/config.ts';
import { type Option, options } from '#config/options.ts';
import { scrubLine } from '#safety/secrets/scrub-line.ts';

/** Figures of an answer of the service: numbers, switches and null, and texts only under these names. */
export function figuresOf(value: unknown, texts: readonly string[], name = ''): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return texts.includes(name) ? value : '(left out)';
  if (Array.isArray(value)) return value.map((each) => figuresOf(each, texts, name));
  return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, figuresOf(each, texts, key)]));
}

/** Each setting with its source. A value is shown if it is a number, a switch, one of a list that we know, or our default. */
export function explainSettings() {
  return explainOptions().map((explained) => ({
    name: explained.name,
    source: explained.source,
    value: isHarmless(explained) ? explained.value : explained.value === null ? null : 'set (left out)',
  }));
}

function isHarmless({ name, value, source, secret }: ExplainedOption): boolean {
  if (secret) return false;
  const { parser } = options[name as keyof typeof options] as Option;
  return source === 'default' || /^(?:\d{1,12}|true|false)$/.test(value ?? '') || parser.expects.startsWith('one of ');
}

const SHORTEST_SECRET = 6;

/** The values of the settings that are secret, the password of the database, and what the home keeps. */
export async function findSecrets({ home, databaseUrl }: Config): Promise<string[]> {
  const env = readEnvironment();
  const secretOptions = Object.entries<Option>(options).filter(([, { secret }]) => secret);
  const kept = ['webui-token', 'secrets-key'].map((file) => readFile(path.join(home, file), 'utf8').catch(() => ''));
  const password = databaseUrl && URL.canParse(databaseUrl) ? new URL(databaseUrl).password : '';
  const found = [...secretOptions.map(([name]) => env[name] ?? ''), ...(await Promise.all(kept)), password];
  return found.map((secret) => secret.trim()).filter(({ length }) => length >= SHORTEST_SECRET);
}

/** The last check, after each file was composed without content: known secrets, what looks like one, and addresses of people. */
export function scrub(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  return known.split('\n').map(scrubLine).join('\n').replaceAll(E_MAIL, '[redacted]');
}

const E_MAIL = /[\w.%+-]+@[\w-]+(?:\.[\w-]+)+/g;
