import { createHash } from 'node:crypto';
import { isObject } from '#domain/is-object.ts';
import type { McpTool } from '#domain/tool/mcp-server.ts';
import { mcpPrefix } from '#domain/tool/mcp-server.ts';
import { cleanText } from './clean-text.ts';

/** The tools that can be offered, and why others can't. */
export type CleanTools = { readonly tools: readonly McpTool[]; readonly leftOut: readonly string[] };

type Source = {
  readonly server: string;
  readonly url: string;
  /** The server knows its key, and must not bring it into a prompt. */
  readonly secrets: readonly string[];
};

const MAX_TOOLS = 200;
const MAX_ALL_BYTES = 512 * 1024;
const MAX_TITLE_BYTES = 200;
const MAX_DESCRIPTION_BYTES = 2048;
const MAX_SCHEMA_BYTES = 32 * 1024;
const MAX_SCHEMA_DEPTH = 16;
const MAX_SCHEMA_VALUES = 2000;
const MAX_SCHEMA_TEXT_BYTES = 1024;
const MAX_REASONS = 20;

/** Checks what a server says about its tools: everything in it is text that the model will read. */
export function cleanTools(listed: readonly unknown[], source: Source): CleanTools {
  const tools = new Map<string, McpTool>();
  const leftOut: string[] = [];
  let bytes = 0;
  for (const entry of listed.slice(0, MAX_TOOLS)) {
    try {
      const tool = cleanTool(entry, source);
      const name = offeredName(source.server, tool.name);
      bytes += Buffer.byteLength(JSON.stringify(tool));
      if (tools.has(name)) throw new LeftOut('another tool has the same name');
      if (bytes > MAX_ALL_BYTES)
        throw new LeftOut(`the tools of the server take more than ${MAX_ALL_BYTES / 1024} KiB`);
      tools.set(name, tool);
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      leftOut.push(`${shownName(entry)}: ${error.message}.`);
    }
  }
  if (listed.length > MAX_TOOLS) leftOut.unshift(`Only the first ${MAX_TOOLS} of ${listed.length} tools are offered.`);
  return { tools: [...tools.values()], leftOut: leftOut.slice(0, MAX_REASONS) };
}

/** How the model calls the tool. Dots are not allowed there, and long names are shortened to one that stays unique. */
export function offeredName(server: string, tool: string): string {
  const name = mcpPrefix(server) + tool.replaceAll('.', '_');
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 9)}_${hash(tool).slice(0, 8)}`;
}

const MAX_NAME = 64;

class LeftOut extends Error {}

function cleanTool(entry: unknown, source: Source): McpTool {
  if (!isObject(entry)) throw new LeftOut('it is not an object');
  const { name, title, description, inputSchema, annotations, execution } = entry;
  if (typeof name !== 'string' || !NAME.test(name))
    throw new LeftOut('a name has 1 to 128 letters, digits, dots, dashes and underscores');
  if (isObject(execution) && execution['taskSupport'] === 'required') throw new LeftOut('it runs only as a task');
  const hints = isObject(annotations) ? annotations : {};
  const hide = (text: string, maxBytes: number) => withoutSecrets(cleanText(text, maxBytes), source.secrets);
  const called = [title, hints['title']].find((each) => typeof each === 'string' && each.trim() !== '');
  const tool = {
    name,
    ...(typeof called === 'string' && { title: hide(called, MAX_TITLE_BYTES) }),
    description: typeof description === 'string' ? hide(description, MAX_DESCRIPTION_BYTES) : '',
    parameters: cleanSchema(inputSchema, hide),
    readOnly: hints['readOnlyHint'] === true && hints['destructiveHint'] !== true,
    destructive: hints['destructiveHint'] !== false && hints['readOnlyHint'] !== true,
    idempotent: hints['idempotentHint'] === true,
  };
  return { ...tool, digest: hash(canonical([source.url, tool])) };
}

const NAME = /^[\w.-]{1,128}$/;

function cleanSchema(schema: unknown, clean: (text: string, maxBytes: number) => string): Record<string, unknown> {
  let values = 0;

  function copy(value: unknown, depth: number): unknown {
    if (++values > MAX_SCHEMA_VALUES) throw new LeftOut(`its schema has more than ${MAX_SCHEMA_VALUES} values`);
    if (depth > MAX_SCHEMA_DEPTH) throw new LeftOut(`its schema is nested more than ${MAX_SCHEMA_DEPTH} levels deep`);
    if (typeof value === 'string') return clean(value, MAX_SCHEMA_TEXT_BYTES);
    if (Array.isArray(value)) return value.map((each) => copy(each, depth + 1));
    if (!isObject(value)) return value;
    const fields = Object.entries(value).filter(([key]) => !DROPPED.has(key));
    for (const [key, field] of fields)
      if (REFERENCES.has(key) && typeof field === 'string' && !field.startsWith('#'))
        throw new LeftOut('its schema refers to another document');
    return Object.fromEntries(fields.map(([key, field]) => [clean(key, 128), copy(field, depth + 1)]));
  }

  if (!isObject(schema) || schema['type'] !== 'object') throw new LeftOut('its schema does not describe an object');
  const cleaned = copy(schema, 0) as Record<string, unknown>;
  if (Buffer.byteLength(JSON.stringify(cleaned)) > MAX_SCHEMA_BYTES)
    throw new LeftOut(`its schema is larger than ${MAX_SCHEMA_BYTES / 1024} KiB`);
  return cleaned;
}

/** Keys without a use here: names of documents, one that changes prototypes, and one that copies arguments to headers. */
const DROPPED = new Set(['$schema', '$id', '__proto__', 'x-mcp-header']);
const REFERENCES = new Set(['$ref', '$dynamicRef']);

const withoutSecrets = (text: string, secrets: readonly string[]) =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);

function shownName(entry: unknown): string {
  const name = isObject(entry) ? entry['name'] : undefined;
  return typeof name === 'string' ? cleanText(name, 64).replace(/\s+/g, ' ') || 'A tool' : 'A tool';
}

/** The same for objects whose keys are in another order: a server may write them in any. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
  return `{${fields.toSorted().join()}}`;
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
