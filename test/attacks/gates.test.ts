import { readFileSync } from 'node:fs';
import { parse, print } from '@bytecodealliance/jco-transpile/wasm-tools';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkComponent } from '#tools/component/install/check-component.ts';
import { GateRefusal } from '#tools/component/install/gate-refusal.ts';
import { InstallRefused, prepareComponent } from '#tools/component/install/prepare-component.ts';
import { attacks, buildTool, withCoreExport } from './attack-components.ts';

const WORLD = readFileSync(new URL('../../wit/tool.wit', import.meta.url), 'utf8');

const refusalOf = async (wasm: Uint8Array) => {
  const ended: unknown = await prepareComponent(wasm).catch((error: unknown) => error);
  expect(ended).toBeInstanceOf(InstallRefused);
  return (ended as InstallRefused).message;
};

/** The refusals of the gates that inspect only the bytes. */
const gateRefusalOf = (wasm: Uint8Array) => {
  try {
    checkComponent(wasm);
  } catch (error) {
    expect(error).toBeInstanceOf(GateRefusal);
    return (error as GateRefusal).message;
  }
  return 'it was taken';
};

test('a harmless component is accepted and described', async () => {
  const wasm = await buildTool({
    schema: '{"oneOf":[{"type":"object"}]}',
    description: ' Says "back" what\nit hears. ',
  });
  const prepared = await prepareComponent(wasm);
  expect(prepared).toMatchObject({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    witVersion: '1.0.0',
    schema: '{"oneOf":[{"type":"object"}]}',
    description: 'Says "back" what\nit hears.',
  });
  expect(Object.keys(prepared.files).toSorted()).toEqual([
    'tool.core.wasm',
    'tool.core2.wasm',
    'tool.core3.wasm',
    'tool.js',
  ]);
});

describe('the gates refuse', () => {
  test('an export name that would be JavaScript', async () => {
    expect(await refusalOf(await attacks.injectedJavaScript())).toContain('"x\'];globalThis.PWNED=1;//"');
  });

  test.each(['`', "'", '\\\\', '\\n', ' ', '\\u{2028}', '"'.replace('"', '\\22'), '*/', '${1}', '(', '<'])(
    'a name with %s in it',
    async (part) => {
      expect(gateRefusalOf(await withCoreExport('schema', `x${part}y`))).toMatch(/rename it/);
    },
  );

  test('arrays of the garbage-collected heap', async () => {
    expect(await refusalOf(await attacks.collectedArrays())).toMatch(/defines a type .* build without them/);
  });

  test.each([
    ['exceptions', { fields: '(tag $tag (param i32))' }, /unknown section, 13/],
    ['a typed reference', { fields: '(func (param (ref null func)) (param (ref any)))' }, /uses a type 0x/],
    ['a memory of 2 GiB', { memory: '32768' }, /memory begins with 32768 units/],
    ['a table of a million entries', { fields: '(table 1000000 funcref)' }, /table begins with 1000000 units/],
    ['a second memory', { fields: '(memory 1)' }, /more than one memory/],
    ['a 64-bit table', { fields: '(table i64 1 funcref)' }, /64-bit/],
  ])('%s', async (_, parts, message) => {
    expect(gateRefusalOf(await buildTool(parts))).toMatch(message);
  });

  test.each([
    ['a schema that is not JSON', { schema: '{"type":' }, /not a JSON object/],
    ['a schema of a string', { schema: '{"type":"string"}' }, /type is "string"/],
    ['a schema that is a list', { schema: '[]' }, /not a JSON object/],
    [
      'a schema that is nested too deep',
      { schema: `${'{"a":'.repeat(40)}1${'}'.repeat(40)}` },
      /nested more than 32 deep/,
    ],
    ['an empty description', { description: '  ' }, /description is empty/],
  ])('%s', async (_, parts, message) => {
    expect(await refusalOf(await buildTool(parts))).toMatch(message);
  });

  test('a component for another version of the interface', async () => {
    const text = (await print(await buildTool())).replaceAll('host@1.0.0', 'host@2.1.0');
    expect(gateRefusalOf(await parse(text))).toMatch(/built for reborn:tool 2.1.0, and this service speaks 1.0.0/);
  });

  test.each(['wasi:http/outgoing-handler@0.2.0', 'wasi:sockets/tcp@0.2.0', 'evil:host/root@1.0.0'])(
    'the import %s',
    async (name) => {
      const text = (await print(await buildTool())).replace('(component', `(component (import "${name}" (instance))`);
      expect(gateRefusalOf(await parse(text))).toContain(`imports "${name}"`);
    },
  );

  test('the import of a bare function', async () => {
    const text = (await print(await buildTool())).replace('(component', '(component (import "exec" (func))');
    expect(gateRefusalOf(await parse(text))).toMatch(/neither an interface nor the name of a type/);
  });

  test('a component of another world', async () => {
    const world = WORLD.replace('description: func() -> string', 'description: func() -> u32');
    expect(await refusalOf(await buildTool({ world }))).toContain('`export description: func() -> string;`');
  });

  test('a schema() that never ends', async () => {
    const text = await print(await buildTool());
    const endless = text.replace(/(\(func \(;4;\) \(type \d+\) \(result i32\))/, '$1 (loop (br 0))');
    expect(endless).not.toBe(text);
    expect(await refusalOf(await parse(endless))).toMatch(/schema\(\) failed.*computed/);
  });

  test('a core module, a text, nothing at all and half a component', async () => {
    const wasm = await buildTool();
    expect(gateRefusalOf(await parse('(module)'))).toMatch(/core WebAssembly module/);
    expect(gateRefusalOf(new TextEncoder().encode('hello'))).toMatch(/not a WebAssembly component/);
    expect(gateRefusalOf(new Uint8Array(0))).toMatch(/not a WebAssembly component/);
    expect(await refusalOf(wasm.subarray(0, wasm.length / 2))).toMatch(
      /not a well-formed component|can't be transpiled/,
    );
  });

  test('a component over 32 MiB, before parsing', async () => {
    expect(await refusalOf(new Uint8Array(32 * 1024 * 1024 + 1))).toMatch(/32 MiB/);
  });
});

test('memories and tables without a limit, or with a higher one, get ours, and a lower limit stays', async () => {
  const unlimited = await print(checkComponent(await buildTool({ fields: '(table 1 funcref)' })).binary);
  expect(unlimited).toContain('(memory (;0;) 2 4096)');
  expect(unlimited).toContain('(table (;0;) 1 100000 funcref)');
  expect(await print(checkComponent(await buildTool({ memory: '2 60000' })).binary)).toContain('(memory (;0;) 2 4096)');
  expect(await print(checkComponent(await buildTool({ memory: '2 3' })).binary)).toContain('(memory (;0;) 2 3)');
});

test('for any change to a component, the gates return the component or a refusal', async () => {
  const wasm = await buildTool();
  const change = fc.array(fc.tuple(fc.nat(wasm.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(change, fc.nat(wasm.length), (changes, length) => {
      const changed = wasm.slice(0, length % 3 === 0 ? length : wasm.length);
      for (const [at, byte] of changes) changed[at] = byte;
      expect(gateRefusalOf(changed)).not.toBe('');
    }),
    { numRuns: 2000 },
  );
});
