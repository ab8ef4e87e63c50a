import type { Colours, Paint } from '../colours.ts';
import { findLanguage, type Language } from './languages.ts';

const NUMBER = '\\b(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)\\w*';
const WORD = '[\\p{L}_$][\\p{L}\\p{N}_$]*';
const LITERALS = /^(?:true|false|null|nil|none|undefined|nullptr)$/i;

/** Code as painted lines. It reads words, not grammar: that takes no time, even for a text that still grows. */
export function highlightCode(code: string, info: string, colours: Colours): string[] {
  if (isDiff(code, info)) return code.split('\n').map((line) => paintDiffLine(line, colours));
  const language = findLanguage(info);
  return (language ? paintWords(code, language, colours) : paintLines(code, colours.code)).split('\n');
}

/** What a tool got or gave: JSON and diffs are coloured, other text stays plain. */
export function highlightData(text: string, colours: Colours): string[] {
  const isJson = /^[{[]/.test(text);
  return isJson || looksLikeDiff(text) ? highlightCode(text, isJson ? 'json' : 'diff', colours) : text.split('\n');
}

function paintWords(code: string, language: Language, colours: Colours): string {
  const { comment, string, name, literal, keyword } = colours;
  return code.replace(patternOf(language), (text: string, ...groups: (string | undefined)[]) => {
    const [isComment, isName, isString, isNumber] = groups;
    if (isComment !== undefined) return paintLines(text, comment);
    if (isName !== undefined) return paintLines(text, name);
    if (isString !== undefined) return paintLines(text, string);
    if (isNumber !== undefined) return literal(text);
    if (!language.keywords.has(language.anyCase ? text.toLowerCase() : text)) return text;
    return LITERALS.test(text) ? literal(text) : keyword(text);
  });
}

const patterns = new WeakMap<Language, RegExp>();

/** What is found first counts: a quote inside of a comment begins no string. */
function patternOf(language: Language): RegExp {
  const { comments, names, strings } = language;
  const anyOf = (parts: readonly string[]) => (parts.length > 0 ? `(${parts.join('|')})` : '((?!))');
  const known =
    patterns.get(language) ??
    new RegExp([anyOf(comments), anyOf(names), anyOf(strings), `(${NUMBER})`, WORD].join('|'), 'gmu');
  patterns.set(language, known);
  return known;
}

/** A colour ends with its line, because lines are drawn one by one. */
const paintLines = (text: string, paint: Paint): string => text.replace(/[^\n]+/g, paint);

/** A block without a language can be a diff, too. */
function isDiff(code: string, info: string): boolean {
  const [word = ''] = info.trim().toLowerCase().split(/\s/, 1);
  if (word === 'diff' || word === 'patch') return true;
  return word === '' && looksLikeDiff(code);
}

const looksLikeDiff = (text: string): boolean =>
  /^(?:diff --git |Index: )/.test(text) || /^--- \S.*\n\+\+\+ \S.*\n@@ /m.test(text);

function paintDiffLine(line: string, { added, removed, literal, bold }: Colours): string {
  if (/^(?:\+\+\+ |--- |diff |index |Index: )/.test(line)) return bold(line);
  if (line.startsWith('@@')) return literal(line);
  if (line.startsWith('+')) return added(line);
  return line.startsWith('-') ? removed(line) : line;
}
