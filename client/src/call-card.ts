import { escapeInvisible, isExactly } from './exact-json.ts';

/** A call as a card shows it. */
export type ShownCall = {
  readonly name: string;
  readonly arguments: string;
  readonly card?: CallCard | undefined;
};

type Words = { readonly en: string; readonly de?: string | undefined; readonly nb?: string | undefined };
type Template = {
  readonly when?: { readonly path: string; readonly value: string | number | boolean } | undefined;
  readonly ask: Words;
  readonly did: Words;
};
type Field = { readonly path: string; readonly label: Words; readonly kind?: Kind | undefined };
type Kind = 'text' | 'exact' | 'code' | 'time';
type CallCard = {
  readonly title?: string | undefined;
  readonly says?: string | undefined;
  readonly server?: string | undefined;
  readonly templates?: readonly Template[] | undefined;
  readonly fields?: readonly Field[] | undefined;
  readonly names?: Readonly<Record<string, string | null>> | undefined;
};

/** The reader's language, and how they write times. */
export type Reader = {
  readonly language: string;
  readonly locales?: readonly string[] | undefined;
  readonly zone?: string | undefined;
};

const ENGLISH: Reader = { language: 'en', locales: ['en-GB'] };

/** A piece of a sentence. Only `words` and `strong` are the service's own; the others come from the arguments. */
export type Part = { readonly kind: 'words' | 'strong' | 'text' | 'exact'; readonly text: string };

/** One line of a value; `yes`, `no` and `none` are put into words by the client. */
export type Value = { readonly kind: Kind | 'yes' | 'no' | 'none'; readonly text: string };

/** An argument with its label. `isKey`: it has no label, and is listed by its key. */
export type LabelledValue = {
  readonly path: string;
  readonly label: string;
  readonly isKey: boolean;
  readonly lines: readonly Value[];
  /** What the value identifies; null if there is no such thing. */
  readonly name?: string | null;
};

/**
 * What a call would do, as a question: the tool's own template with the arguments, else the tool's title, else its name. A value in
 * it can't pass for the service's words: it is cut, has no invisible characters, and is quoted unless it is one short word.
 */
export const askSentence = (call: ShownCall, reader: Reader = ENGLISH): Part[] => sentence(call, 'ask', reader);

/** What a call does or would have done, which its question says: "Read notes.txt". */
export function doesSentence(call: ShownCall, reader: Reader = ENGLISH): Part[] {
  const parts = askSentence(call, reader);
  const last = parts.at(-1);
  if (last?.kind !== 'words') return parts;
  const bare = { ...last, text: last.text.replace(/\s*\?$/, '') };
  return [...parts.slice(0, -1), ...(bare.text === '' ? [] : [bare])];
}

/** What a call has done, with the verb marked. */
export const didSentence = (call: ShownCall, reader: Reader = ENGLISH): Part[] => sentence(call, 'did', reader);

export const plainText = (parts: readonly Part[]): string => parts.map(({ text }) => text).join('');

function sentence(call: ShownCall, tense: 'ask' | 'did', reader: Reader): Part[] {
  const given = argumentsOf(call.arguments);
  const fields = new Map(call.card?.fields?.map((field) => [field.path, field]));
  for (const template of given ? (call.card?.templates ?? []) : []) {
    const filled = given && fill(template, tense, given, { ...reader, fields, names: call.card?.names ?? {} });
    if (filled) return filled;
  }
  return generalSentence(call, tense, reader);
}

type Filling = Reader & {
  readonly fields: ReadonlyMap<string, Field>;
  readonly names: Readonly<Record<string, string | null>>;
};

/** Undefined if the call lacks one of the arguments, or has another value than the template is for. */
function fill(
  template: Template,
  tense: 'ask' | 'did',
  given: Record<string, unknown>,
  filling: Filling,
): Part[] | undefined {
  const { when } = template;
  if (when && valueAt(given, when.path) !== when.value) return undefined;
  const parts: Part[] = [];
  for (const [, bold, path, form, words] of inLanguage(template[tense], filling.language).matchAll(PIECE)) {
    if (words !== undefined || bold !== undefined)
      parts.push({ kind: bold === undefined ? 'words' : 'strong', text: bold ?? words ?? '' });
    if (path === undefined) continue;
    const shown = partsOf(given, path, form, filling);
    if (!shown) return undefined;
    parts.push(...shown);
  }
  return parts;
}

/** `**bold**`, `{argument}` or `{argument|host}`, and words. */
const PIECE = /\*\*([^*]+)\*\*|\{([\w.]+)(?:\|(\w+))?\}|([^{*]+)/g;

const MOST_LETTERS = 80;
const MOST_LISTED = 3;

function partsOf(
  given: Record<string, unknown>,
  path: string,
  form: string | undefined,
  filling: Filling,
): Part[] | undefined {
  const value = valueAt(given, path);
  const name = Object.hasOwn(filling.names, path) ? filling.names[path] : undefined;
  if (typeof name === 'string') return quoted(name, filling.language);
  const values = Array.isArray(value) ? value : [value];
  if (values.length === 0 || !values.every(isScalar)) return undefined;
  const shown = values
    .slice(0, MOST_LISTED)
    .map((each) => partsOfScalar(each, form, filling.fields.get(path)?.kind, filling));
  if (shown.some((parts) => plainText(parts) === '')) return undefined;
  const more = values.length - shown.length;
  const all = more > 0 ? [...shown, [{ kind: 'words' as const, text: `+${more}` }]] : shown;
  return all.flatMap((parts, index) => (index === 0 ? parts : [{ kind: 'words' as const, text: ', ' }, ...parts]));
}

function partsOfScalar(
  value: string | number,
  form: string | undefined,
  kind: Kind | undefined,
  reader: Reader,
): Part[] {
  const written = String(value);
  if (form === 'host') return [{ kind: 'exact', text: shorten(URL.parse(written)?.host ?? '') }];
  const time = kind === 'time' ? formatMoment(written, reader) : undefined;
  if (time !== undefined) return [{ kind: 'text', text: time }];
  const isOneWord = typeof value === 'number' || (kind === 'exact' && /^[\p{L}\p{N}\p{P}\p{S}\p{M}]+$/u.test(written));
  if (isOneWord && written.length <= MOST_LETTERS && visible(written) === written && !/[“”„«»"]/.test(written))
    return [{ kind: 'exact', text: written }];
  return quoted(written, reader.language);
}

/** Marks inside the value become apostrophes, so that it can't end its quotation. */
function quoted(text: string, language: string): Part[] {
  const shown = shorten(text).replaceAll(/[“”„‟«»"]/g, "'");
  if (shown === '') return [];
  const [open, close] = QUOTES[language] ?? QUOTES['en'] ?? ['', ''];
  return [
    { kind: 'words', text: open },
    { kind: 'text', text: shown },
    { kind: 'words', text: close },
  ];
}

const QUOTES: Readonly<Record<string, readonly [string, string]>> = {
  en: ['“', '”'],
  de: ['„', '“'],
  nb: ['«', '»'],
};

function shorten(text: string): string {
  const line = visible(text.slice(0, 20 * MOST_LETTERS)).trim();
  return line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}

/** Without characters that a screen does not show or that reorder others: the list of values shows them as escapes. */
const visible = (text: string) =>
  text.replace(/[\p{C}\p{Default_Ignorable_Code_Point}\p{Z}\s\u2800]+/gu, ' ').replace(/(\p{M}{4})\p{M}+/gu, '$1');

/** The sentence of a tool without a template that fits. A server's words are quoted. */
function generalSentence({ name, card }: ShownCall, tense: 'ask' | 'did', reader: Reader): Part[] {
  const server = card?.server;
  const bare = server !== undefined && name.startsWith(`${server}__`) ? name.slice(server.length + 2) : name;
  const tool: Part[] =
    card?.title === undefined ? [{ kind: 'exact', text: shorten(bare) }] : quoted(card.title, reader.language);
  const from: Part[] = server === undefined ? [] : [{ kind: 'text', text: shorten(server) }];
  const words = inLanguage(GENERAL[tense][server === undefined ? 'alone' : 'from'], reader.language);
  return words.split(/(\{\w+\})/).flatMap((piece): Part[] => {
    if (piece === '{tool}') return tool;
    if (piece === '{server}') return from;
    const strong = /^\*\*(.+)\*\*(.*)$/.exec(piece);
    if (!strong) return piece === '' ? [] : [{ kind: 'words', text: piece }];
    return [
      { kind: 'strong', text: strong[1] ?? '' },
      { kind: 'words', text: strong[2] ?? '' },
    ];
  });
}

const GENERAL: Record<'ask' | 'did', Record<'alone' | 'from', Words>> = {
  ask: {
    alone: { en: 'Run {tool}?', de: '{tool} ausführen?', nb: 'Kjøre {tool}?' },
    from: { en: 'Run {tool} of {server}?', de: '{tool} von {server} ausführen?', nb: 'Kjøre {tool} fra {server}?' },
  },
  did: {
    alone: { en: '**Ran** {tool}', de: '**Ausgeführt:** {tool}', nb: '**Kjørte** {tool}' },
    from: {
      en: '**Ran** {tool} of {server}',
      de: '**Ausgeführt:** {tool} von {server}',
      nb: '**Kjørte** {tool} fra {server}',
    },
  },
};

/** More values are better read as they are. */
const MOST_VALUES = 200;

/** All arguments with their labels, in their order. Undefined if a list could mislead: then only the exact arguments are shown. */
export function valuesOf({ arguments: json, card }: ShownCall, reader: Reader = ENGLISH): LabelledValue[] | undefined {
  const given = argumentsOf(json);
  if (!given) return undefined;
  const fields = new Map(card?.fields?.map((field) => [field.path, field]));
  const values = listed(given, { ...reader, fields, names: card?.names ?? {} }, '', '');
  return values.length > MOST_VALUES ? undefined : values;
}

function listed(given: Record<string, unknown>, filling: Filling, above: string, labelled: string): LabelledValue[] {
  return Object.entries(given).flatMap(([key, value]): LabelledValue[] => {
    const path = `${above}${key}`;
    const field = filling.fields.get(path);
    const own = field ? inLanguage(field.label, filling.language) : escapeInvisible(key);
    const label = `${labelled}${own}`;
    if (isObject(value) && Object.keys(value).length > 0) return listed(value, filling, `${path}.`, `${label} › `);
    if (Array.isArray(value) && value.some((each) => typeof each === 'object' && each !== null))
      return value.flatMap((each, index) =>
        listed({ [String(index + 1)]: each }, { ...filling, fields: new Map() }, `${path}.`, `${label} › `),
      );
    const name = Object.hasOwn(filling.names, path) ? filling.names[path] : undefined;
    const lines = (Array.isArray(value) ? value : [value]).map((each) => lineOf(each, field?.kind, filling));
    const shown = lines.length === 0 ? [NONE] : lines;
    return [{ path, label, isKey: field === undefined, lines: shown, ...(name !== undefined && { name }) }];
  });
}

const NONE: Value = { kind: 'none', text: '' };

function lineOf(value: unknown, kind: Kind | undefined, reader: Reader): Value {
  if (value === true) return { kind: 'yes', text: '' };
  if (value === false) return { kind: 'no', text: '' };
  if (value === null || value === '' || isObject(value)) return NONE;
  if (typeof value === 'number') return { kind: 'exact', text: String(value) };
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  const time = formatMoment(written, reader);
  if (time !== undefined && (kind === 'time' || kind === undefined)) return { kind: 'time', text: time };
  if (kind !== undefined && kind !== 'time') return { kind, text: escapeInvisible(written) };
  return { kind: isProse(written) ? 'text' : 'exact', text: escapeInvisible(written) };
}

/** Words. Anything else, such as an address or a number, is a value whose characters matter. */
const isProse = (text: string) => /\s/.test(text) || /^[\p{L}\p{M}]+$/u.test(text);

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A moment as a person writes it, with the zone. Undefined for anything else: a time without a zone stays as it is. */
function formatMoment(written: string, { language, locales, zone }: Reader): string | undefined {
  const at = MOMENT.test(written) ? new Date(written) : undefined;
  if (!at || Number.isNaN(at.getTime())) return undefined;
  return new Intl.DateTimeFormat(locales ? [...locales] : language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    ...(at.getUTCSeconds() !== 0 && { second: '2-digit' }),
    timeZoneName: 'short',
    ...(zone !== undefined && { timeZone: zone }),
  }).format(at);
}

/** The value of an argument as English text. */
export function textOfValue({ kind, text }: Value): string {
  if (kind === 'yes' || kind === 'no') return kind;
  return kind === 'none' ? 'none' : text;
}

/** Undefined for arguments that parsers could read differently, such as with a repeated key. */
function argumentsOf(json: string): Record<string, unknown> | undefined {
  const source = json.trim() === '' ? '{}' : json;
  try {
    const value: unknown = JSON.parse(source);
    return isObject(value) && isExactly(source, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function valueAt(given: Record<string, unknown>, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, given);
}

const inLanguage = (words: Words, language: string): string =>
  (language === 'de' ? words.de : language === 'nb' ? words.nb : undefined) ?? words.en;

const isScalar = (value: unknown): value is string | number =>
  (typeof value === 'string' && value.trim() !== '') || typeof value === 'number';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
