import { expect, test } from 'vitest';
import { judgeJoining, type ReplicaFacts } from './joining-replica.ts';

const serve = (model: string | null): ReplicaFacts => ({ model, isCommand: false });
const command = (model: string): ReplicaFacts => ({ model, isCommand: true });

test.each<[string, ReplicaFacts, ReplicaFacts[]]>([
  ['alone', serve('demo'), []],
  ['beside a replica with the same settings', serve('a'), [serve('a')]],
  ['as the demo model beside demo models', serve('demo'), [serve('demo'), command('demo')]],
  ['as a command beside another command with the same model', command('a'), [command('a')]],
])('a replica joins %s', (_when, self, living) => {
  expect(judgeJoining(self, living)).toEqual({});
});

test.each<[string, ReplicaFacts, ReplicaFacts[], RegExp]>([
  ['a command while a service is alive', command('a'), [command('a'), serve('a')], /A service \(a\).*REBORN_HOME/],
  ['a command beside a command with another model', command('a'), [command('b')], /Another command.*\(b\)/],
  ['the demo model beside a configured one', serve('demo'), [serve('a')], /\(a\).*LLM_PROVIDER/],
  ['the demo model beside an unknown one', serve('demo'), [serve(null)], /not known/],
])('%s is refused', (_who, self, living, refusal) => {
  expect(judgeJoining(self, living)).toEqual({ refusal: expect.stringMatching(refusal) });
});

test('a service with other settings joins, with a warning that names them all once', () => {
  expect(judgeJoining(serve('c'), [serve('a'), serve('b'), serve('a'), serve('c')])).toEqual({
    warning: expect.stringMatching(/settings are c, but .* have a; b\./),
  });
  expect(judgeJoining(serve('c'), [serve('demo')])).toHaveProperty('warning');
});
