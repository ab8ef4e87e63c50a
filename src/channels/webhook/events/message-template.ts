import { wrapUntrusted } from '#domain/text/untrusted.ts';

/** Text of the operator, and between it the places where values of the body go. */
export type MessageTemplate = readonly (string | Placeholder)[];

/** Where a value is found in the body; an empty path is the whole of it. */
type Placeholder = { readonly path: readonly string[] };

/** A template that can't be used. The message says where, and what to write instead. */
export class InvalidTemplate extends Error {
  override readonly name = 'InvalidTemplate';
}

const MAX_LENGTH = 16 * 1024;
const MAX_PLACEHOLDERS = 50;

/** Reads `{{path.to.field}}`, `{{items.0.name}}`, and `{{.}}` or `{{body}}` for everything. There is nothing else to it. */
export function parseTemplate(text: string): MessageTemplate {
  if (text.trim() === '') throw new InvalidTemplate('The template is empty. Write the message for the agent.');
  if (text.length > MAX_LENGTH) throw new InvalidTemplate(`The template is longer than ${MAX_LENGTH} characters.`);

  const parts: (string | Placeholder)[] = [];
  let at = 0;
  for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', at)) {
    const end = text.indexOf('}}', start);
    if (end < 0) throw new InvalidTemplate(`The {{ at ${positionOf(text, start)} has no }} after it.`);
    parts.push(text.slice(at, start), { path: parsePath(text, start, end) });
    at = end + '}}'.length;
  }
  if (parts.length > 2 * MAX_PLACEHOLDERS)
    throw new InvalidTemplate(`The template has more than ${MAX_PLACEHOLDERS} {{places}}.`);
  return [...parts, text.slice(at)].filter((part) => part !== '');
}

const PATH = /^[\p{L}\p{N}_$@:+-]+(?:\.[\p{L}\p{N}_$@:+-]+)*$/u;

function parsePath(text: string, start: number, end: number): string[] {
  const path = text.slice(start + '{{'.length, end).trim();
  if (path === '.' || path === 'body') return [];
  if (PATH.test(path)) return path.split('.');

  const hint = 'Write {{path.to.field}}, {{items.0.name}}, or {{.}} for the whole body.';
  throw new InvalidTemplate(`{{${path}}} at ${positionOf(text, start)} is not the way to a field. ${hint}`);
}

function positionOf(text: string, index: number): string {
  const lines = text.slice(0, index).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

/** The message for the agent. Each value is wrapped as foreign text; a missing value is empty. */
export function renderTemplate(template: MessageTemplate, body: unknown, source: string): string {
  return fill(template, body, (value) => wrapUntrusted(value, source));
}

/** The same without wrappers, for names that no model reads, such as a conversation's. */
export function renderPlain(template: MessageTemplate, body: unknown): string {
  return fill(template, body, (value) => value);
}

function fill(template: MessageTemplate, body: unknown, write: (value: string) => string): string {
  const parts = template.map((part) => {
    if (typeof part === 'string') return part;
    const value = textOf(findValue(body, part.path));
    return value === '' ? '' : write(value);
  });
  return parts.join('');
}

/** Only what the sender wrote is found: neither the length of a list nor what every object inherits. */
function findValue(body: unknown, path: readonly string[]): unknown {
  let value = body;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : printJson(value);
}

const MAX_DEPTH = 32;

/** JSON for a reader. What is nested too deeply is left out: its indentation alone could fill the memory. */
export function printJson(value: unknown): string {
  return JSON.stringify(prune(value, 1), null, 2);
}

function prune(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[Nested too deeply: left out.]';
  if (Array.isArray(value)) return value.map((item) => prune(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, prune(inner, depth + 1)]));
}
