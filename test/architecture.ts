import { posix } from 'node:path';
import { parseAst } from 'vitest/node';

/** A file below src/, its path written from there: `agent/turn/run-turn.ts`. */
export type SourceFile = { path: string; text: string };

/** Which folder may import which. A key is a folder of src/, or a file directly in it. */
const MAY_IMPORT: Record<string, string[] | 'everything'> = {
  'main.ts': 'everything',
  app: 'everything',
  cli: 'everything',
  config: [],
  'program-files.ts': [],
  terminal: ['domain'],
  lifecycle: ['engine', 'domain'],
  cells: ['domain'],
  channels: ['agent', 'memory', 'auth', 'http', 'domain'],
  agent: [
    'tools',
    'documents',
    'models',
    'search',
    'memory',
    'safety',
    'engine',
    'egress',
    'telemetry',
    'store',
    'domain',
  ],
  documents: ['memory', 'store', 'domain', 'program-files.ts'],
  tools: ['documents', 'safety', 'search', 'egress', 'sandbox', 'store', 'domain', 'program-files.ts'],
  http: ['auth', 'domain'],
  memory: ['store', 'domain'],
  auth: ['store', 'domain'],
  models: ['domain'],
  search: ['egress', 'domain'],
  safety: ['domain', 'program-files.ts'],
  sandbox: ['domain', 'program-files.ts'],
  store: ['domain'],
  engine: ['domain'],
  egress: ['domain'],
  telemetry: ['domain'],
  database: ['domain', 'program-files.ts'],
  domain: [],
};

/** Files whose types, but not values, a folder may import. */
const MAY_IMPORT_TYPES: Record<string, string[]> = {
  engine: ['store/connection.ts', 'store/system/system-connection.ts'],
};

/** Folders of channels/ that the channels share. They don't import channels. */
const SHARED_BY_CHANNELS = ['model-api', 'chat-text'];

/** Tests beside the code also use a real PostgreSQL, any package, and the environment. */
const TESTS_MAY_ALSO_IMPORT = ['database', 'store', 'cells'];

/** Files outside src/ that may be imported from inside it. */
const MAY_IMPORT_OUTSIDE: Record<string, string[]> = {
  'main.ts': ['package.json'],
  app: ['package.json'],
  cli: ['package.json', 'sdk/src/'],
  database: ['migrations/'],
};

const VENDORS: { packages: RegExp; places: string[] }[] = [
  { packages: /^(kysely|pg)$/, places: ['store', 'database', 'engine', 'cells'] },
  { packages: /^(fastify|fastify-.+|@fastify\/.+)$/, places: ['http', 'channels', 'app'] },
  { packages: /^(ai|@ai-sdk\/.+)$/, places: ['models'] },
  { packages: /^(undici|ipaddr\.js)$/, places: ['egress'] },
  { packages: /^@bytecodealliance\/.+$/, places: ['tools/component/install'] },
  { packages: /^@aws-sdk\/client-s3$/, places: ['store/bucket.ts'] },
  { packages: /^@modelcontextprotocol\/client$/, places: ['tools/mcp'] },
  { packages: /^@modelcontextprotocol\/server$/, places: ['channels/mcp'] },
  { packages: /^@napi-rs\/keyring$/, places: ['tools/secrets'] },
  { packages: /^@secretlint\/.+$/, places: ['safety'] },
  { packages: /^ajv$/, places: ['safety/json-schema'] },
  { packages: /^prom-client$/, places: ['telemetry'] },
  { packages: /^grammy$/, places: ['channels/telegram'] },
  { packages: /^@slack\/.+$/, places: ['channels/slack'] },
  { packages: /^(imapflow|nodemailer)$/, places: ['channels/mail'] },
  { packages: /^postal-mime$/, places: ['channels/mail', 'documents/inside'] },
  { packages: /^unpdf$/, places: ['documents/inside'] },
  { packages: /^marked$/, places: ['channels/chat-text'] },
  { packages: /^tldts$/, places: ['channels/mail'] },
  { packages: /^htmlparser2$/, places: ['tools/builtin/web', 'documents/inside'] },
  { packages: /^croner$/, places: ['agent/missions'] },
  { packages: /^@clack\/prompts$/, places: ['cli'] },
  { packages: /^(jose|openid-client)$/, places: ['auth'] },
  { packages: /^@earendil-works\/pi-tui$/, places: ['terminal'] },
  { packages: /^@reborn-agent\/client$/, places: ['terminal', 'cli', 'agent/gates'] },
];

/** Folders that import no package. */
const WITHOUT_PACKAGES = ['domain'];

const MAY_READ_ENVIRONMENT = ['config/config.ts'];

/** Texts that may occur in a few places only, or nowhere. The first two are the settings that open branches of the row-level policies; closing them is allowed everywhere. */
const KEPT_TO: { words: RegExp; places: string[]; problem: string }[] = [
  {
    words: /\bapp\.engine\b(?! = 'off')/,
    places: ['engine', 'database/migrate.ts', 'database/migrate.test.ts', 'cells/move-user.test.ts'],
    problem: 'sets or reads app.engine',
  },
  {
    words: /\bapp\.identities\b(?! = 'off')/,
    places: ['store/identity-connection.ts'],
    problem: 'sets or reads app.identities',
  },
  {
    words: /\b(?:body|call) ->/,
    places: ['nowhere'],
    problem: 'looks inside a JSON body, which fails for null characters and lone surrogates',
  },
  { words: /\btimingSafeEqual\b/, places: ['domain/secret-hash.ts'], problem: 'compares secrets (timingSafeEqual)' },
];

/** What only these commands may use: they open the database or start the service. All others call the API. */
const WIRED_COMMANDS = [
  'cli/connect',
  'cli/serve.ts',
  'cli/status.ts',
  'cli/doctor',
  'cli/archive',
  'cli/cell',
  'cli/service',
  'cli/setup',
  'cli/support',
  'cli/upgrade.ts',
  'cli/user/user-move.ts',
  'cli/user/user-erase.ts',
  'cli/user/user-export.ts', // no operator can read another user through the API
];
const WIRING =
  /^(?:app|agent|auth|cells|channels|database|documents|egress|engine|lifecycle|memory|models|sandbox|search|store)\/|^cli\/connect\/(?:with-database|with-accounts|start-service)\.ts$/;

/** Every violation of the tables above, as sentences. */
export function findViolations(files: SourceFile[]): string[] {
  return files.flatMap((file) => {
    if (!(placeOf(file.path) in MAY_IMPORT)) return [`${file.path}: ${placeOf(file.path)} is not in the import table`];

    const { imports, readsEnvironment } = scan(file.text);
    const problems = imports.map((found) => checkImport(file.path, found));
    if (readsEnvironment && !isTest(file.path) && !MAY_READ_ENVIRONMENT.includes(file.path))
      problems.push(`reads process.env; only ${MAY_READ_ENVIRONMENT.join(' and ')} may`);

    for (const { words, places, problem } of KEPT_TO)
      if (words.test(file.text) && !places.some((place) => isIn(place, file.path)))
        problems.push(`${problem}; only ${places.join(', ')} may`);

    return problems.filter((problem) => problem !== undefined).map((problem) => `${file.path}: ${problem}`);
  });
}

/** Files that import each other in a circle, also by types alone. */
export function findCycles(files: SourceFile[]): string[][] {
  return findCircles(new Map(withoutTests(files).map((file) => [file.path, importsOf(file)])));
}

/** Folders below `room` that import each other in a circle. */
export function findFolderCycles(files: SourceFile[], room: string): string[][] {
  const imports = new Map<string, string[]>();
  for (const file of withoutTests(files).filter(({ path }) => isIn(room, path))) {
    const folder = posix.dirname(file.path);
    const others = importsOf(file).map((target) => posix.dirname(target));
    imports.set(folder, [...(imports.get(folder) ?? []), ...others.filter((other) => other !== folder)]);
  }
  return findCircles(imports);
}

function findCircles(arrows: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const circles: string[][] = [];
  const visit = (place: string, trail: readonly string[]): void => {
    if (trail.includes(place)) return void circles.push([...trail.slice(trail.indexOf(place)), place]);
    if (done.has(place)) return;
    for (const target of arrows.get(place) ?? []) visit(target, [...trail, place]);
    done.add(place);
  };
  for (const place of arrows.keys()) visit(place, []);
  return circles;
}

const withoutTests = (files: SourceFile[]) => files.filter(({ path }) => !isTest(path));

const importsOf = ({ path, text }: SourceFile): string[] =>
  scan(text).imports.map(({ specifier }) => resolveImport(path, specifier));

const MOST_FILES = 20;

/** Folders that hold more files than a reader takes in at once. Tests do not count. */
export function findCrowded(files: SourceFile[]): string[] {
  const counts = Map.groupBy(withoutTests(files), ({ path }) => posix.dirname(path));
  return [...counts].filter(([, inside]) => inside.length > MOST_FILES).map(([folder]) => folder);
}

const resolveImport = (from: string, specifier: string) =>
  specifier.startsWith('#') ? specifier.slice(1) : posix.join(posix.dirname(from), specifier);

type Import = { specifier: string; typeOnly: boolean };

function checkImport(from: string, { specifier, typeOnly }: Import): string | undefined {
  if (specifier.startsWith('#')) {
    const target = specifier.slice(1);
    if (folderOf(target) === folderOf(from)) return `imports ${specifier}; inside a folder imports are relative`;
    return checkTarget(from, target, typeOnly);
  }
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(from), specifier);
    if (target.startsWith('../')) return checkOutside(from, target.slice('../'.length));
    if (folderOf(target) !== folderOf(from)) return `imports ${specifier}; across folders imports begin with #`;
    return checkTarget(from, target, typeOnly);
  }
  return specifier.startsWith('node:') || isTest(from) ? undefined : checkPackage(from, specifier);
}

function checkTarget(from: string, target: string, typeOnly: boolean): string | undefined {
  const place = placeOf(from);
  const [channel, otherChannel] = [channelOf(from), channelOf(target)];
  if (channel && otherChannel && ![channel, ...SHARED_BY_CHANNELS].includes(otherChannel))
    return `imports ${target}; channels never import each other`;

  if (place === 'cli' && WIRING.test(target) && !isTest(from) && !WIRED_COMMANDS.some((each) => isIn(each, from)))
    return `imports ${target}; a command calls the API, unless it is one of ${WIRED_COMMANDS.join(', ')}`;

  const allowed = MAY_IMPORT[place];
  if (placeOf(target) === place || allowed === 'everything' || allowed?.includes(placeOf(target))) return undefined;
  if (isTest(from) && TESTS_MAY_ALSO_IMPORT.includes(placeOf(target))) return undefined;
  if (typeOnly && MAY_IMPORT_TYPES[place]?.includes(target)) return undefined;

  const types = (MAY_IMPORT_TYPES[place] ?? []).map((file) => `the types of ${file}`);
  return `imports ${target}; ${place} may import ${[...(allowed ?? []), ...types].join(', ') || 'nothing'}`;
}

function checkOutside(from: string, target: string): string | undefined {
  const allowed = [...(MAY_IMPORT_OUTSIDE[placeOf(from)] ?? []), ...(isTest(from) ? ['test/'] : [])];
  if (allowed.some((path) => target === path || (path.endsWith('/') && target.startsWith(path)))) return undefined;

  return `imports ${target}, which is outside src`;
}

function checkPackage(from: string, specifier: string): string | undefined {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  if (WITHOUT_PACKAGES.includes(placeOf(from))) return `imports ${name}; ${placeOf(from)} imports no package`;

  const vendor = VENDORS.find(({ packages }) => packages.test(name));
  if (!vendor || vendor.places.some((place) => isIn(place, from))) return undefined;

  return `imports ${name}; only ${vendor.places.join(', ')} may`;
}

function isIn(place: string, path: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function placeOf(path: string): string {
  return isTest(path) && !path.includes('/') ? path.replace('.test.ts', '.ts') : (path.split('/')[0] ?? path);
}

function folderOf(path: string): string {
  return path.includes('/') ? placeOf(path) : '';
}

function channelOf(path: string): string | undefined {
  const [place, channel, file] = path.split('/');
  return place === 'channels' && file !== undefined ? channel : undefined;
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

type Node = { type: string; [field: string]: unknown };

/** Parsed rather than matched: text in strings, comments and regular expressions is not an import. */
function scan(text: string): { imports: Import[]; readsEnvironment: boolean } {
  // oxlint-disable-next-line typescript/no-deprecated -- the one parser at hand: TypeScript 7 has no API, and vitest passes on no other
  const nodes = [...walk(parseAst(text, { lang: 'ts' }))];
  return {
    imports: nodes.map(importOf).filter((found) => found !== undefined),
    readsEnvironment: nodes.some(isEnvironment),
  };
}

function* walk(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) yield value;
  for (const child of Object.values(value)) yield* walk(child);
}

function isNode(value: object): value is Node {
  return 'type' in value && typeof value.type === 'string';
}

function importOf(node: Node): Import | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return toImport(node['source'], isTypeOnly(node));
    case 'ImportExpression':
      return toImport(node['source'], false);
    case 'TSImportType':
      return toImport(node['source'], true);
    case 'TSExternalModuleReference':
      return toImport(node['expression'], false);
    case 'CallExpression':
      return nameOf(node['callee']) === 'require' ? toImport((node['arguments'] as unknown[])[0], false) : undefined;
    default:
      return undefined;
  }
}

function toImport(source: unknown, typeOnly: boolean): Import | undefined {
  const specifier = literalOf(source);
  return specifier === undefined ? undefined : { specifier, typeOnly };
}

function isTypeOnly(node: Node): boolean {
  const specifiers = (node['specifiers'] ?? []) as Node[];
  const kinds = specifiers.map((specifier) => specifier['importKind'] ?? specifier['exportKind']);
  return (
    [node['importKind'], node['exportKind']].includes('type') ||
    (kinds.length > 0 && kinds.every((kind) => kind === 'type'))
  );
}

/** `process.env`, `process['env']`, `globalThis.process.env`, `{ env } = process`, `import { env } from 'node:process'`. */
function isEnvironment(node: Node): boolean {
  switch (node.type) {
    case 'MemberExpression':
      return nameOf(node['property']) === 'env' && isProcess(node['object']);
    case 'VariableDeclarator':
      return isProcess(node['init']) && [...walk(node['id'])].some((part) => nameOf(part['key']) === 'env');
    case 'ImportDeclaration':
      return (
        /^(node:)?process$/.test(literalOf(node['source']) ?? '') &&
        [...walk(node['specifiers'])].some((part) => nameOf(part['imported']) === 'env')
      );
    default:
      return false;
  }
}

function isProcess(value: unknown): boolean {
  const node = value as Node | null;
  return nameOf(node) === 'process' || (node?.type === 'MemberExpression' && nameOf(node['property']) === 'process');
}

function nameOf(value: unknown): string | undefined {
  const node = value as Node | null | undefined;
  return node?.type === 'Identifier' ? String(node['name']) : literalOf(node);
}

function literalOf(value: unknown): string | undefined {
  const node = value as Node | null | undefined;
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node?.type !== 'TemplateLiteral') return undefined;

  const [quasi, ...more] = node['quasis'] as { value: { cooked: string } }[];
  return more.length === 0 ? quasi?.value.cooked : undefined;
}
