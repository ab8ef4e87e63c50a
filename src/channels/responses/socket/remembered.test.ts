import { expect, test } from 'vitest';
import { type ItemId, newId } from '#domain/ids.ts';
import { text } from '#domain/thread/item.ts';
import { createMemory } from './remembered.ts';

const response = (responseId: string, length: number) => ({
  responseId,
  items: [
    {
      id: newId<ItemId>(),
      type: 'message',
      role: 'user',
      content: [text('x'.repeat(length))],
      status: 'completed',
    } as const,
  ],
  callId: undefined,
  tools: [],
});

test('a socket remembers its newest response alone', () => {
  const memory = createMemory()('ann');
  memory.replace(response('one', 1));
  memory.replace(response('two', 1));
  expect(memory.find('one')).toBeUndefined();
  expect(memory.find('two')).toMatchObject({ responseId: 'two' });
  memory.forget();
  expect(memory.find('two')).toBeUndefined();
});

test('the sockets of one user share a limit, and a closed one makes room', () => {
  const memoryOf = createMemory(1000);
  const [first, second, other] = [memoryOf('ann'), memoryOf('ann'), memoryOf('bob')];
  first.replace(response('one', 600));
  second.replace(response('two', 600));
  other.replace(response('three', 600));
  expect(second.find('two')).toBeUndefined();
  expect(other.find('three')).toBeDefined();

  first.forget();
  second.replace(response('two', 600));
  expect(second.find('two')).toBeDefined();
});
