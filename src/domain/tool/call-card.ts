import { isObject } from '../is-object.ts';
import { cut } from '../text/cut.ts';
import { jsonOf } from '../text/json.ts';
import type { ToolDefinition } from './tool.ts';

/** A text in the languages of the browser app. */
export type Words = { readonly en: string; readonly de?: string; readonly nb?: string };

/** How a tool says what a call does. The first template that fits the arguments is used. */
export type CallTemplate = {
  /** Only for calls where this argument has this value. */
  readonly when?: { readonly path: string; readonly value: string | number | boolean };
  /** A question with arguments in braces, such as `Delete the note {path}?`. It fits only calls that have all of them. */
  readonly ask: Words;
  /** The same when the call has run, with the verb marked: `**Deleted** the note {path}`. */
  readonly did: Words;
};

/** `exact`: each character matters, such as in an address. */
export type ValueKind = 'text' | 'exact' | 'code' | 'time';

export type CallField = {
  /** The keys that lead to the argument, with dots: `schedule.cron`. */
  readonly path: string;
  readonly label: Words;
  readonly kind?: ValueKind;
};

/** What a tool knows about the words of its calls. */
export type ToolCard = { readonly templates: readonly CallTemplate[]; readonly fields: readonly CallField[] };

/** What a card says about a call, besides its arguments. It is stored with the gate: what was shown is what was approved. */
export type CallCard = {
  /** What the tool calls itself, if others wrote it. */
  readonly title?: string;
  /** The first sentence of its description, if others wrote it. */
  readonly says?: string;
  /** The MCP server that it belongs to. */
  readonly server?: string;
  readonly templates?: readonly CallTemplate[];
  readonly fields?: readonly CallField[];
  /** Names of what arguments identify, by the argument. null: there is no such thing. */
  readonly names?: Readonly<Record<string, string | null>>;
};

/** A tool that others wrote, in its own words. */
export type ForeignTool = Pick<ToolDefinition, 'description' | 'parameters'> & {
  readonly title?: string | undefined;
  readonly server?: string | undefined;
};

const MOST_TITLE = 80;
const MOST_SAID = 200;
const MOST_LABEL = 60;
const MOST_FIELDS = 100;

/** The card of a call of such a tool: its words, cleaned, and the titles in its schema as labels. */
export function cardOfForeign(
  { title, description, parameters, server }: ForeignTool,
  argumentsJson: string,
): CallCard | undefined {
  const called = cleanLine(title ?? '', MOST_TITLE);
  const says = firstSentence(description ?? '');
  const fields = labelsIn(parameters, argumentsJson);
  const card = {
    ...(called !== '' && { title: called }),
    ...(says !== '' && { says }),
    ...(server !== undefined && { server }),
    ...(fields.length > 0 && { fields }),
  };
  return Object.keys(card).length > 0 ? card : undefined;
}

function firstSentence(description: string): string {
  const [paragraph = ''] = description.trim().split(/\n\s*\n/);
  const line = cleanLine(paragraph, 2 * MOST_SAID);
  return cut(/^.*?[.!?](?=\s|$)/u.exec(line)?.[0] ?? line, MOST_SAID);
}

/** Schemas title what they contain; only arguments that the call has need a label. */
function labelsIn(parameters: ToolDefinition['parameters'], argumentsJson: string): CallField[] {
  const given = parseObject(argumentsJson);
  return given ? labelsBelow(parameters, given, '').slice(0, MOST_FIELDS) : [];
}

function labelsBelow(schema: unknown, given: Record<string, unknown>, above: string): CallField[] {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  return Object.entries(given).flatMap(([key, value]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!isObject(property)) return [];
    const path = `${above}${key}`;
    const title = typeof property['title'] === 'string' ? cleanLine(property['title'], MOST_LABEL) : '';
    const inside = isObject(value) ? labelsBelow(property, value, `${path}.`) : [];
    return [...(title === '' ? [] : [{ path, label: { en: title } }]), ...inside];
  });
}

function parseObject(json: string): Record<string, unknown> | undefined {
  const value = jsonOf(json);
  return isObject(value) ? value : undefined;
}

/** One visible line: others wrote it. */
const cleanLine = (text: string, length: number) =>
  cut(
    text
      .slice(0, 4 * length)
      .toWellFormed()
      .replace(/[\p{C}\p{Default_Ignorable_Code_Point}\s]+/gu, ' ')
      .trim(),
    length,
  );
