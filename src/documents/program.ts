import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { programFile } from '#program-files.ts';

const MOST_BYTES = 64 * 1024 * 1024;

let loaded: Promise<Buffer> | undefined;

/**
 * The program that reads documents, with its packages, as one line of JSON. It is handed to the process that runs it, which
 * therefore needs no file. Another process finds out what belongs to it; nothing foreign is in that one.
 */
export function loadProgram(): Promise<Buffer> {
  loaded ??= recordProgram(pathToFileURL(programFile('documents/inside/extract')).href).catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function recordProgram(entry: string): Promise<Buffer> {
  const args = ['--no-warnings', '--input-type=module', '--eval', RECORD, '--', entry];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {}, maxBuffer: MOST_BYTES });
  return Buffer.from(`${stdout}\n`);
}

const RECORD = `
import { registerHooks, stripTypeScriptTypes } from 'node:module';
const [entry] = process.argv.slice(1);
const modules = {};
const resolved = {};
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    resolved[context.parentURL + ' ' + specifier] = found.url;
    return found;
  },
  load(url, context, next) {
    const found = next(url, context);
    if (url.startsWith('node:')) return found;
    const source = Buffer.from(found.source).toString();
    const isStripped = found.format !== 'module-typescript'; // to strip types costs each reader more than to read
    modules[url] = isStripped ? { format: found.format, source } : { format: 'module', source: stripTypeScriptTypes(source) };
    return found;
  },
});
await (await import(entry)).loadAll();
process.stdout.write(JSON.stringify({ entry, modules, resolved }));`;

/**
 * Runs the program in a process without files: standard input has the program, a line that says what to read, and the bytes.
 * Whatever else the program asks for does not exist.
 */
export const RUN = `
import { registerHooks } from 'node:module';
for (const name of ['fetch', 'WebSocket', 'EventSource', 'BroadcastChannel']) Reflect.deleteProperty(globalThis, name);
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const given = Buffer.concat(chunks.splice(0));
const first = given.indexOf(10);
const second = given.indexOf(10, first + 1);
const { entry, modules, resolved } = JSON.parse(given.subarray(0, first).toString());
const request = JSON.parse(given.subarray(first + 1, second).toString());
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('node:')) return next(specifier, context);
    const url = specifier === entry ? entry : resolved[context.parentURL + ' ' + specifier];
    if (url?.startsWith('node:')) return next(url, context);
    if (!url) throw new Error('There is no ' + specifier + '.');
    return { url, format: modules[url].format, shortCircuit: true };
  },
  load: (url, context, next) => (modules[url] ? { ...modules[url], shortCircuit: true } : next(url, context)),
});
const { extract } = await import(entry);
const result = await extract(request, new Uint8Array(given.subarray(second + 1)));
process.stdout.write(JSON.stringify(result), () => process.exit());`;
