import { afterAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '#tools/component/jail/jail-call.ts';
import { attacks, buildTool } from './attack-components.ts';
import { createAttackedJails, failureOf, install, SHORT } from './attacked-jails.ts';

const jails = createAttackedJails();
const neighbour = await install('neighbour', await buildTool());
afterAll(() => jails.close());

const ECHOED = { result: { output: '{"still":"here"}' }, logs: [] };

/** Attacks, and how each ends in a jail if it gets past the gates. */
const CONTAINED: [keyof typeof attacks, RegExp, RegExp][] = [
  ['endlessLoop', /^cpu$/, /computed for more than 0.5 s/],
  ['endlessMemory', /^memory$/, /too much memory/],
  ['manyMemories', /^memory$/, /too much memory/],
  ['endlessTable', /^trap$/, /unreachable/],
  ['deepRecursion', /^trap$/, /call stack/],
  ['collectedArrays', /^(crashed|memory)$/, /./],
  ['hugeList', /^trap$/, /./],
  ['invalidUtf8', /^trap$/, /not UTF-8/],
];

describe.each(CONTAINED)('%s, past the gates,', (name, reason, message) => {
  test('fails alone, and its neighbour answers during and after the attack', async () => {
    const evil = await install(name, await attacks[name](), { gates: false });
    const attack = failureOf(jails.run(evil, '{}', { limits: name === 'manyMemories' ? DEFAULT_LIMITS : SHORT }));
    expect(await jails.run(neighbour, '{"still":"here"}')).toEqual(ECHOED);

    const failure = await attack;
    expect(failure.reason).toMatch(reason);
    expect(failure.message).toMatch(message);
    expect(failure.message).toContain(name);
    expect(await jails.run(neighbour, '{"still":"here"}')).toEqual(ECHOED);
  });
});

/** Expressions that an attacker would try first, and their values. */
const REACHED: [string, string][] = [
  ['globalThis.PWNED=1', '1'],
  ['typeof process', 'undefined'],
  ['typeof require', 'undefined'],
  ['typeof module', 'undefined'],
  ['typeof fetch', 'undefined'],
  ['typeof Buffer', 'undefined'],
  ['typeof Worker', 'undefined'],
  ['typeof postMessage', 'undefined'],
  ['typeof performance', 'undefined'],
  ['eval(`1`)', 'Code generation from strings disallowed for this context'],
  ['Function(`return this`)()', 'Code generation from strings disallowed for this context'],
  [
    'imports[`reborn:tool/host`].log.constructor(`return process`)()',
    'Code generation from strings disallowed for this context',
  ],
  ['imports[`reborn:tool/host`].log.constructor===Function', 'true'],
  ['instantiateCore.constructor===Function', 'true'],
  ['setTimeout.constructor===Function&&TextDecoder.constructor===Function', 'true'],
  ['Object.getPrototypeOf(imports)===Object.prototype', 'true'],
  ['getCoreModule(`tool.core.wasm`)', 'tool.core.wasm'],
];

test('JavaScript injected past the gates cannot reach Node', async () => {
  const tries = REACHED.map(([expression]) => `()=>(${expression})`).join();
  const report = 'const say=m=>imports[`reborn:tool/host`].log(`info`,String(m))';
  const evil = await attacks.injectedJavaScript(
    `${report};for(const f of[${tries}])try{say(f())}catch(e){say(e.message)}`,
  );
  const { logs } = await jails.run(await install('injected', evil, { gates: false }));

  expect(logs.map(({ message }, index) => [REACHED[index]?.[0], message])).toEqual(REACHED);
  expect('PWNED' in globalThis).toBe(false);
});

describe.each(['outputAndError', 'neitherOutputNorError', 'longOutput'] as const)('%s', (name) => {
  test('breaks the contract', async () => {
    const failure = await failureOf(jails.run(await install(name, await attacks[name]())));
    expect(failure.reason).toBe('contract');
    expect(failure.message).toMatch(/exactly one of output and error|above 1 MiB/);
  });
});

test('of a hundred thousand log lines the first thousand are kept, and the rest is counted', async () => {
  const tool = await install('manyLogLines', await attacks.manyLogLines());
  const { result, logs } = await jails.run(tool, '{}', { limits: DEFAULT_LIMITS });
  expect(result).toEqual({ output: '{}' });
  expect(logs).toHaveLength(1001);
  expect(logs[0]).toEqual({ level: 'info', message: 'GET' });
  expect(logs.at(-1)).toEqual({ level: 'warn', message: '99000 more lines were dropped.' });
});

test('a log line of six million bytes is cut to four thousand', async () => {
  const { logs } = await jails.run(await install('longLogLine', await attacks.longLogLine()));
  expect(logs).toEqual([{ level: 'info', message: 'x'.repeat(4096) }]);
});

test('lines logged before a loop is stopped are not lost', async () => {
  const wasm = await buildTool({
    execute: '(call $log (i32.const 3) (i32.const 512) (i32.const 3)) (loop $again (br $again)) unreachable',
  });
  const failure = await failureOf(jails.run(await install('logs-then-loops', wasm)));
  expect(failure.reason).toBe('cpu');
  expect(failure.logs).toEqual([{ level: 'warn', message: 'GET' }]);
});
