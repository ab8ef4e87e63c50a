import { expect, test } from 'vitest';
import { compilerCommand } from './tool-kit.ts';

const COMPILERS = { rolldown: '1.2.3', 'componentize-qjs': '0.4.5' };

test.each([
  ['/usr/local/lib/node_modules/reborn-agent', '--global --prefix "/usr/local"'],
  ['/home/ann/my agent/node_modules/reborn-agent', '--prefix "/home/ann/my agent"'],
])('the compiler of tools is installed where %s finds it', (root, where) => {
  expect(compilerCommand(root, COMPILERS)).toBe(`npm install ${where} rolldown@1.2.3 componentize-qjs@0.4.5`);
});
