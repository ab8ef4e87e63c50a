import { afterAll, describe, expect, test } from 'vitest';
import type { JailedComponent } from '#tools/component/jail/jails.ts';
import { attacks } from './attack-components.ts';
import { createAttackedJails, failureOf, install } from './attacked-jails.ts';

const jails = createAttackedJails({ callsPerTool: 1 });
afterAll(() => jails.close());

/** JavaScript that got past the gates runs inside the generator that instantiates the component, so it may `yield`. */
const infected = await install('infected', await attacks.injectedJavaScript('INJECTED'), { gates: false });

function inject(name: string, code: string): JailedComponent {
  const load = async () => {
    const files = await infected.load();
    const text = Buffer.from(files['tool.js'] ?? []).toString();
    return { ...files, 'tool.js': Buffer.from(text.replace('INJECTED', () => code.replaceAll('\n', ' '))) };
  };
  return { name, hash: name, load };
}

/**
 * `say` logs. `caught` is what the attack got hold of; `foreign` walks through all that can be reached from it, and
 * returns the path of the first object that was not made in the guest's realm.
 */
const PRELUDE = `
  const host = imports[\`reborn:tool/host\`];
  const log = host.log;
  const say = (text) => log('info', String(text));
  const realm = { Object, Promise, Reflect, Error, Uint8Array, apply: Reflect.apply, ownKeys: Reflect.ownKeys,
    proto: Reflect.getPrototypeOf, describe: Reflect.getOwnPropertyDescriptor, root: Object.prototype };
  const isThing = (x) => (typeof x === 'object' && x !== null) || typeof x === 'function';
  const rootOf = (x) => { let root = x; for (let p = realm.proto(x); p !== null; p = realm.proto(p)) root = p; return root; };
  const foreign = (start) => {
    const seen = new Set(), open = [[start, 'it']];
    while (open.length > 0) {
      const [x, path] = open.pop();
      if (!isThing(x) || seen.has(x)) continue;
      seen.add(x);
      const root = rootOf(x);
      if (root !== realm.root && root !== x) return path;
      if (root === x && x !== realm.root && realm.describe(x, 'hasOwnProperty')) return path + ' (another Object.prototype)';
      open.push([realm.proto(x), path + '.__proto__']);
      for (const key of realm.ownKeys(x)) {
        const d = realm.describe(x, key);
        for (const part of [d.value, d.get, d.set]) open.push([part, path + '.' + String(key)]);
      }
    }
    return 'nothing';
  };
  const caught = [];
  const attempt = (act) => { try { caught.push(act()); } catch (error) { caught.push(error); } };
  const overflow = (act) => {
    let tries = 700;
    const deeper = () => { try { deeper(); } catch (error) { caught.push(error); } if (tries-- > 0) attempt(act); };
    deeper();
  };
  const restores = [];
  const spyOn = (owner, key) => {
    const { value, configurable } = realm.describe(owner, key);
    if (typeof value !== 'function' || !configurable || key === 'push' || key === 'pop') return;
    const spy = function (...all) { caught.push(this); for (let i = 0; i < all.length; i++) caught.push(all[i]); return realm.apply(value, this, all); };
    realm.Object.defineProperty(owner, key, { value: spy, configurable: true, writable: true });
    restores.push(() => realm.Object.defineProperty(owner, key, { value, configurable: true, writable: true }));
  };
  const watch = (promise) => { promise.then((x) => caught.push(x), (x) => caught.push(x)); return promise; };
  const settle = () => new realm.Promise((resolve) => setTimeout(resolve, 20));
`;

/** Each is a way for an object of the worker's realm to reach the guest. */
const ATTEMPTS: Record<string, string> = {
  'the globals and imports': 'caught.push(globalThis, imports, getCoreModule, instantiateCore)',
  'the error of a log line that is not text': `
    attempt(() => log({}, { length: 0, f() {} }));
    attempt(() => log(Symbol(), 1n))`,
  'the error of encodeInto': `
    attempt(() => new TextEncoder().encodeInto('x', {}));
    attempt(() => new TextEncoder().encodeInto('xyz', new Uint8Array(1)))`,
  'the error of decode': `
    attempt(() => new TextDecoder().decode({ byteLength: 4 }));
    attempt(() => new TextDecoder().decode(new Proxy(new Uint8Array(4), {})));
    attempt(() => new TextDecoder().decode(Uint8Array.of(255)))`,
  'the error of a timer': `
    for (const delay of [Symbol(), {}, 2 ** 40]) attempt(() => setTimeout(() => {}, delay));
    attempt(() => setTimeout(1, 1))`,
  'an error inside a timer': `
    setTimeout(() => { throw { [Symbol.for('nodejs.util.inspect.custom')]: (...all) => caught.push(all) }; });
    caught.push(yield settle())`,
  'the error of a request': `
    for (const all of [[], [1, 2, 3], ['GET', 'u', '{}', {}], ['GET', 'u', '{}', undefined, {}]])
      attempt(() => watch(host.httpRequest(...all)));
    yield settle()`,
  'the error of secret-exists': 'attempt(() => watch(host.secretExists({}))); yield settle()',
  'the answer to a request': `
    attempt(() => watch(host.httpRequest('GET', 'https://example.com/', '{}')));
    yield settle();
    for (const answer of [...caught]) caught.push(answer.body, answer.body?.buffer)`,
  'an overflow in a log line': "overflow(() => log('info', ''))",
  'an overflow in encode and decode': `
    overflow(() => new TextEncoder().encode('xyz'));
    overflow(() => new TextDecoder().decode(new Uint8Array(3)))`,
  'an overflow in a timer and in the clock': `
    overflow(() => setTimeout(() => {}));
    overflow(() => imports['wasi:clocks/monotonic-clock'].now())`,
  'an overflow where V8 asks Node for the stack': `
    overflow(() => new Error().stack);
    overflow(() => { const o = {}; Error.captureStackTrace(o); return o.stack; })`,
  'the frames of a stack': `
    Reflect.set(Error, 'stackTraceLimit', 50);
    Error.prepareStackTrace = (error, frames) => { caught.push(frames); return frames; };
    attempt(() => new Error().stack);
    attempt(() => { const o = {}; Error.captureStackTrace(o); return o.stack; })`,
  'the constructors that slice and subarray ask for': `
    const get = function () { caught.push(this, this.buffer); return Uint8Array; };
    for (const owner of [Uint8Array.prototype, Object.getPrototypeOf(Uint8Array.prototype)])
      Object.defineProperty(owner, 'constructor', { get });
    attempt(() => new TextEncoder().encode('abc'));
    attempt(() => new TextDecoder().decode(Uint8Array.of(97)));
    attempt(() => imports['wasi:random/random'].getRandomBytes(8n))`,
  'methods that are replaced': `
    for (const owner of [Uint8Array, Object.getPrototypeOf(Uint8Array), Array, Function, Promise, String])
      for (const key of realm.ownKeys(owner.prototype)) spyOn(owner.prototype, key);
    attempt(() => new TextEncoder().encode('abc'));
    attempt(() => log('info', 'x'));
    attempt(() => host.httpRequest('GET', 'https://example.com/', '{}'));
    yield settle();
    while (restores.length > 0) restores.pop()()`,
  'globals that are replaced': `
    const construct = (target, all) => { caught.push(...all); return Reflect.construct(target, all); };
    const apply = (target, self, all) => { caught.push(self, ...all); return Reflect.apply(target, self, all); };
    for (const name of ['Uint8Array', 'Promise', 'Error', 'TypeError', 'Object', 'Array', 'Map'])
      globalThis[name] = new Proxy(globalThis[name], { construct, apply });
    attempt(() => host.httpRequest('GET', 'https://example.com/', '{}'));
    yield settle();
    attempt(() => host.secretExists('x'));
    yield settle()`,
  'properties that everything inherits': `
    for (const key of ['noDeprecation', 'get', 'written', 'body', 'status', 'error', 'exists', 'type', 'transfer'])
      Object.defineProperty(realm.root, key, {
        configurable: true, set(value) { caught.push(this, value); }, get() { caught.push(this); } });
    attempt(() => host.httpRequest('GET', 'https://example.com/', '{}'));
    yield settle()`,
  'a rejection that Node would print': `
    Promise.reject({
      [Symbol.for('nodejs.util.inspect.custom')]: (...all) => caught.push(all),
      get stack() { caught.push(this); } });
    caught.push(yield settle())`,
  'code from a string': `
    attempt(() => eval('1'));
    attempt(() => Function('return this')());
    attempt(() => new (async () => {}).constructor('return 1'))`,
  'WebAssembly that is compiled here': `
    attempt(() => new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)));
    attempt(() => watch(WebAssembly.compileStreaming({})));
    attempt(() => watch(WebAssembly.compile({})));
    yield settle()`,
  'an instance of a value that is not a module': `
    for (const path of ['constructor', '__proto__', {}]) attempt(() => instantiateCore(path, {}))`,
};

describe('JavaScript past the gates reaches no object from outside its realm:', () => {
  test.each(Object.entries(ATTEMPTS))('%s', async (title, code) => {
    const tool = inject(
      `realm-${Object.keys(ATTEMPTS).indexOf(title)}`,
      `${PRELUDE} ${code}; say(caught.length > 0); say(foreign(caught));`,
    );
    const { logs } = await jails.run(tool);
    expect(logs.map(({ message }) => message).slice(-2)).toEqual(['true', 'nothing']);
  });
});

test('import() is a syntax error inside, because its promise would be one of Node’s', async () => {
  for (const [index, code] of ['import(`node:fs`)', 'import/**/(`node:fs`)', 'say(import.meta)'].entries()) {
    const failure = await failureOf(jails.run(inject(`imports-${index}`, code)));
    expect(failure.message).toMatch(/SyntaxError: Keyword must not contain escaped characters/);
  }
});

test('a call leaves nothing behind for the next one', async () => {
  const tool = inject(
    'remembers',
    `const log = imports[\`reborn:tool/host\`].log;
    log('info', 'seen: ' + (globalThis.seen ?? []).join());
    globalThis.seen = [];
    const { encodeInto } = TextEncoder.prototype;
    TextEncoder.prototype.encodeInto = function (text, into) { seen.push(text); return encodeInto.call(this, text, into); };`,
  );
  const said = [await jails.run(tool, '"a diagnosis"'), await jails.run(tool, '"what was it?"')];
  expect(said.map(({ logs }) => logs.map(({ message }) => message))).toEqual([['seen: '], ['seen: ']]);
});

test('work that continues after a call cannot log in the next call', async () => {
  const tool = inject(
    'lingers',
    `const host = imports[\`reborn:tool/host\`];
    const linger = () => { host.log('info', 'late'); host.httpRequest('GET', 'https://example.com/', '{}'); setTimeout(linger, 1); };
    host.log('info', 'early');
    setTimeout(linger, 5);`,
  );
  for (let call = 0; call < 5; call++) {
    const requests: unknown[] = [];
    const httpRequest = async (request: unknown) => {
      requests.push(request);
      return { status: 200, body: new Uint8Array(0) };
    };
    const { logs, result } = await jails.run(tool, '1', { host: { httpRequest, secretExists: () => false } });
    expect({ logs, result, requests }).toEqual({
      logs: [{ level: 'info', message: 'early' }],
      result: { output: '1' },
      requests: [],
    });
  }
});

test('CPU time used after an answer counts against the same call', async () => {
  const tool = inject('computes-on', 'const again = () => Promise.resolve().then(again); again();');
  expect((await failureOf(jails.run(tool))).reason).toMatch(/^(cpu|wall|memory|crashed)$/);
});
