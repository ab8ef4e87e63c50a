import { expect, test } from 'vitest';
import { codeResultOf, codeRunOf } from './code-run.ts';

test('the code of a call', () => {
  const run = (name: string, given: string) => codeRunOf({ name, arguments: given });

  expect(run('reborn_shell', '{"command":"ls","title":"List"}')).toEqual({
    language: 'bash',
    code: 'ls',
    title: 'List',
  });
  expect(run('reborn_python', '{"code":"1"}')).toEqual({ language: 'python', code: '1', title: '' });
  expect(run('reborn_python', '{"code":')).toBeUndefined();
  expect(run('reborn_python', '{"code":1}')).toBeUndefined();
  expect(run('reborn_time', '{}')).toBeUndefined();
});

test('the output of a run in parts', () => {
  expect(codeResultOf('one\ntwo\n(exit code 3)\nfiles: +a.png (1 kB); version 2')).toEqual({
    lines: ['one', 'two'],
    problem: 'exit code 3',
    files: '+a.png (1 kB); version 2',
  });
  expect(codeResultOf('(new interpreter: variables of earlier calls are gone, files are not)\n(no output)')).toEqual({
    lines: [],
    problem: undefined,
    files: undefined,
  });
});
