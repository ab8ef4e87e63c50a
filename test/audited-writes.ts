import { parseAst } from 'vitest/node';
import type { SourceFile } from './architecture.ts';

/** The tables that grant rights. */
const GUARDED = new Set(
  'users tokens sessions invitations tools componentFiles secrets settings skills budgets retention erasures pairings approvals standingApprovals webhookRoutes gates shares projectMembers audit chatAccounts chatLinks chatCodes assistants assistantVersions'.split(
    ' ',
  ),
);

/** Writes to these tables that change no rights, and why. */
const HARMLESS: Record<string, string> = {
  'store/audit.ts recordAudit': 'it is the log itself',
  'store/accounts/tokens.ts recordUse': 'notes the time of the last use',
  'store/accounts/sessions.ts recordSeen': 'notes the time of the last use',
  'store/tools/secrets.ts replaceCiphertext': 'the secret stays the same; the new key is recorded',
  'lifecycle/forget.ts FORGET_WORK': 'it was deleted before, and no turn names it',
  'lifecycle/erase.ts complete': 'the request was audited; this records its end, in the log as well',
  'store/tools/approvals.ts useApproval': 'uses up what was granted; the call itself is recorded in the thread',
  'store/tools/approvals.ts restoreApproval': 'gives back what was granted, for a call that has not run',
  'store/system/chats.ts leaseAccounts': 'notes which replica polls',
  'store/system/chats.ts releaseAccounts': 'notes that no replica polls',
  'store/system/chats.ts recordTrouble': 'notes the last problem',
  'store/system/chats.ts storeUpdates': 'notes how far the updates are stored',
  'store/system/chats.ts pruneChats': 'deletes expired codes',
  'cells/claim-cell.ts requireSameRegistrars': 'facts of the installation, which grant nothing',
  'cells/drain-record.ts startDrain': 'how far a drain has come; each move is audited',
  'cells/drain-record.ts START': 'as startDrain',
  'cells/claim-cell.ts storeCell': 'the number of the installation, which grants nothing',
  'cells/claim-cell.ts describeCell': 'facts of the installation, which grant nothing',
  'cells/delete-moved.ts deleteMoved': 'the move was audited; this deletes what is left',
  'cells/move-user.ts leave': 'it records the move in the same transaction',
  'cells/move-user.ts record': 'it is the log itself',
  'store/threads/delete-turn.ts deleteGatesOf': 'its call is deleted too, so nothing is granted',
  'store/threads/shares.ts shortenShare': 'the link shows less than before',
  'store/threads/threads.ts moveUp': 'the link shows less than before',
  'store/threads/gates.ts close': '`closeGate` is for the output of a tool, and `decideGate` is audited',
};

const WRITES = new Set(['insertInto', 'updateTable', 'deleteFrom', 'mergeInto', 'replaceInto']);
const RAW_WRITE = /\b(insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+(?:table\s+|only\s+)*"?([a-z_]+)/gi;

type Node = { type: string; [field: string]: unknown };
type Scope = { readonly name: string; readonly audited: ReadonlySet<string>; readonly node: Node };

/** Opening a gate asks for a decision and grants nothing. */
const ASKS = 'insert into gates';

/** Every write to a guarded table on anything but an `Audited` transaction, as sentences. */
export function findUnauditedWrites(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    // oxlint-disable-next-line typescript/no-deprecated -- the one parser at hand: TypeScript 7 has no API, and vitest passes on no other
    const found = [...writesIn(parseAst(text, { lang: 'ts' }), [])];
    return found
      .filter(({ scope }) => !(`${path} ${scope}` in HARMLESS))
      .map(({ scope, table }) => `${path}: ${scope} writes ${table} on a transaction that is not Audited`);
  });
}

function* writesIn(value: unknown, scopes: readonly Scope[]): Generator<{ scope: string; table: string }> {
  if (typeof value !== 'object' || value === null) return;
  const inside = isNode(value) ? [...scopes, ...scopeOf(value)] : scopes;
  const scope = inside.find(({ name }) => name !== '')?.name ?? 'the file';
  if (isNode(value)) for (const table of tablesWritten(value, inside)) yield { scope, table };
  for (const child of Object.values(value)) yield* writesIn(child, inside);
}

function tablesWritten(node: Node, scopes: readonly Scope[]): string[] {
  if (node.type === 'TemplateElement' || node.type === 'Literal') return rawTables(node);
  const callee = node['callee'] as Node | undefined;
  if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return [];
  if (!WRITES.has(nameOf(callee['property']) ?? '')) return [];
  if (scopes.some(({ audited }) => audited.has(nameOf(callee['object']) ?? ''))) return [];

  const [table] = node['arguments'] as Node[];
  const named = textOf(table);
  // A table in a variable may be any table that the function names.
  const candidates = named === undefined ? textsIn(scopes.at(0)?.node) : [named];
  return candidates.filter((name) => GUARDED.has(name));
}

function rawTables(node: Node): string[] {
  const text = node.type === 'Literal' ? node['value'] : (node['value'] as { cooked?: string }).cooked;
  if (typeof text !== 'string') return [];
  const tables = [...text.matchAll(RAW_WRITE)]
    .filter(([, verb = '', table = '']) => `${verb} ${table}`.toLowerCase() !== ASKS)
    .map(([, , table = '']) => table.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  return tables.filter((table) => GUARDED.has(table));
}

/** A function: its name, and the names of its `Audited` parameters. */
function scopeOf(node: Node): Scope[] {
  if (node.type === 'VariableDeclarator') return [{ name: nameOf(node['id']) ?? '', audited: new Set(), node }];
  if (!('params' in node) || !Array.isArray(node['params'])) return [];
  const audited = (node['params'] as Node[]).filter((param) =>
    [...walk(param['typeAnnotation'])].some((part) => nameOf(part['typeName']) === 'Audited'),
  );
  return [{ name: nameOf(node['id']) ?? '', audited: new Set(audited.map((param) => nameOf(param) ?? '')), node }];
}

const textsIn = (node: Node | undefined) =>
  [...walk(node)].map(textOf).filter((text): text is string => text !== undefined);

function* walk(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) yield value;
  for (const child of Object.values(value)) yield* walk(child);
}

const isNode = (value: object): value is Node => 'type' in value && typeof value.type === 'string';

const nameOf = (value: unknown): string | undefined => {
  const node = value as Node | null | undefined;
  return node?.type === 'Identifier' ? String(node['name']) : undefined;
};

function textOf(node: Node | undefined): string | undefined {
  return node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}
