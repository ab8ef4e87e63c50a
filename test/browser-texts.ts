import { parseSync } from 'rolldown/utils';

/** A name, an address or a file name is the same in every language. */
const ALLOWED = /^(?:Reborn|API|SKILL\.md|people\/ann|Draws diagrams|Norsk bokmål|https?:\S+)$/;
/** Attributes and properties whose values people read. */
const READ = /^(?:aria-label|aria-description|placeholder|title|label|hint|words|alt|about|action|message)$/;
/** Components that show their `name`. */
const NAMED = /^(?:Figure|Part|Speaker)$/;
/** Their arguments are for developers. */
const UNREAD = /^(?:Error|TypeError|console\.\w+|client\.call|lazyRouteComponent)$/;
const MACRO = /^(?:t|plural|select|selectOrdinal|msg|defineMessage)$/;
const TRANSLATED = /^(?:Trans|Plural|Select|SelectOrdinal)$/;
const SENTENCE = /^\p{Lu}[\p{L}’']* \p{L}/u;

type Node = { readonly type: string; readonly start: number; readonly [key: string]: unknown };
type Place = {
  /** The value is read by people: an attribute such as `aria-label`. */
  readonly isRead: boolean;
  readonly isUnread: boolean;
  readonly isInFunction: boolean;
  /** The element shows its `name`. */
  readonly isNamed: boolean;
};

/** The texts of a file of the browser app that do not go through the catalogues, and texts that are translated too early. */
export function findHardCoded(file: string, code: string): string[] {
  const { program } = parseSync(file, code, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  const found: string[] = [];
  const report = (node: Node, words: string) =>
    found.push(`${file}:${code.slice(0, node.start).split('\n').length}: ${words.replaceAll(/\s+/g, ' ').trim()}`);

  const visit = (value: unknown, place: Place): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, place);
    if (!isNode(value) || /^(?:Import|ExportAll|TSType|TSInterface|TSLiteral|TSEnum)/.test(value.type)) return;
    if (isMacro(value)) {
      if (!place.isInFunction) report(value, `translated before the language is known: ${textOf(value, code)}`);
      return;
    }
    if (value.type === 'JSXElement' && TRANSLATED.test(nameOf(value))) return;
    const text = literalOf(value, code);
    if (text !== undefined && isHardCoded(value, text, place)) report(value, text);
    for (const [key, child] of Object.entries(value)) visit(child, placeOf(value, key, place));
  };
  visit(program, { isRead: false, isUnread: false, isInFunction: false, isNamed: false });
  return found;
}

function isHardCoded(node: Node, text: string, { isRead, isUnread }: Place): boolean {
  const words = text.trim();
  if (isUnread || ALLOWED.test(words)) return false;
  if (node.type === 'JSXText') return /\p{L}/u.test(words);
  return isRead ? /\p{L}{2}/u.test(words.replaceAll(/\$\{[^}]*\}/g, '')) : SENTENCE.test(words);
}

function placeOf(node: Node, key: string, place: Place): Place {
  if (/Function/.test(node.type)) return { ...place, isRead: false, isInFunction: true };
  if (node.type === 'JSXAttribute') {
    const name = textName(node['name']);
    return { ...place, isRead: key === 'value' && (READ.test(name) || (place.isNamed && name === 'name')) };
  }
  if (node.type === 'Property') return { ...place, isRead: key === 'value' && READ.test(textName(node['key'])) };
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    const callee = calleeOf(node['callee']);
    if (UNREAD.test(callee)) return { ...place, isUnread: true };
    return { ...place, isRead: callee === 'useTitle' };
  }
  // The test of a condition is compared, not shown.
  if (node.type === 'BinaryExpression' || (node.type === 'ConditionalExpression' && key === 'test'))
    return { ...place, isRead: false, isUnread: true };
  if (node.type === 'JSXOpeningElement') return { ...place, isNamed: NAMED.test(textName(node['name'])) };
  return place;
}

/** A text of the code: words between tags, a string, or a template. */
function literalOf(node: Node, code: string): string | undefined {
  if (node.type === 'JSXText') return String(node['value']);
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  return node.type === 'TemplateLiteral' ? textOf(node, code).slice(1, -1) : undefined;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const textOf = (node: Node, code: string) => code.slice(node.start, Number(node['end']));

function textName(name: unknown): string {
  const text = isNode(name) && (name['name'] ?? name['value']);
  return typeof text === 'string' ? text : '';
}

const nameOf = (element: Node) =>
  isNode(element['openingElement']) ? textName(element['openingElement']['name']) : '';

function calleeOf(callee: unknown): string {
  if (!isNode(callee)) return '';
  if (callee.type !== 'MemberExpression') return textName(callee);
  return `${calleeOf(callee['object'])}.${textName(callee['property'])}`;
}

const isMacro = (node: Node) =>
  (node.type === 'TaggedTemplateExpression' && MACRO.test(textName(node['tag']))) ||
  (node.type === 'CallExpression' && MACRO.test(textName(node['callee'])));
