import { expect, test } from 'vitest';
import { InvalidRequest } from '#domain/errors.ts';
import { parseMessages } from './messages.ts';

const withoutIds = (messages: unknown) => parseMessages(messages).map(({ id: _, ...body }) => body);
const said = (role: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type: 'text', text }],
  status: 'completed',
});
const call = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'lookup', arguments: '{}' },
  ...more,
});
const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'snow' });
const USER = { role: 'user', content: 'Hello' };

test('a conversation becomes items in its order', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }], name: 'ann' },
    { role: 'assistant', content: 'One moment.', refusal: null, tool_calls: [call('a'), call('b')] },
    tool('b'),
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'rain' }] },
    { role: 'assistant', content: 'Rain and snow.' },
    { role: 'developer', content: 'Be kind.' },
    { role: 'user', content: 'Thanks' },
  ];

  expect(withoutIds(messages)).toEqual([
    said('system', 'Be brief.'),
    said('user', 'Hello'),
    said('assistant', 'One moment.'),
    { type: 'function_call', callId: 'a', name: 'lookup', arguments: '{}', external: true },
    { type: 'function_call', callId: 'b', name: 'lookup', arguments: '{}', external: true },
    { type: 'function_call_output', callId: 'b', output: [{ type: 'text', text: 'snow' }] },
    { type: 'function_call_output', callId: 'a', output: [{ type: 'text', text: 'rain' }] },
    said('assistant', 'Rain and snow.'),
    said('developer', 'Be kind.'),
    said('user', 'Thanks'),
  ]);
});

test.for([null, undefined, '', [], [{ type: 'text', text: '' }], [{ type: 'refusal', refusal: 'No.' }]])(
  'an assistant message with the content %j is its calls alone',
  (content) => {
    expect(withoutIds([USER, { role: 'assistant', content, tool_calls: [call('a')] }, tool('a')])).toMatchObject([
      { role: 'user' },
      { type: 'function_call' },
      { type: 'function_call_output' },
    ]);
  },
);

test('a call id may be used again once its output is there', () => {
  const step = [{ role: 'assistant', tool_calls: [call('call_0')] }, tool('call_0')];

  expect(withoutIds([USER, ...step, ...step])).toHaveLength(5);
});

test('images and files are taken from data URLs', () => {
  const content = [
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO', detail: 'low' } },
    { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' } },
  ];

  expect(withoutIds([{ role: 'user', content }])).toMatchObject([
    {
      content: [
        { type: 'image', mediaType: 'image/png', base64: 'iVBO' },
        { type: 'file', mediaType: 'application/pdf', base64: 'JVBE', filename: 'a.pdf' },
      ],
    },
  ]);
});

const REFUSED: [why: string, messages: unknown, param: string][] = [
  ['no messages', undefined, 'messages'],
  ['a text', 'Hello', 'messages'],
  ['an empty list', [], 'messages'],
  ['a message that is not an object', [USER, 'Hello'], 'messages[1]'],
  ['an unknown role', [{ role: 'function', content: 'x' }], 'messages[0].role'],
  ['no content', [{ role: 'user' }], 'messages[0].content'],
  ['a content of null', [{ role: 'user', content: null }], 'messages[0].content'],
  ['a part that is not an object', [{ role: 'user', content: ['x'] }], 'messages[0].content[0]'],
  ['an unknown part', [{ role: 'user', content: [{ type: 'input_audio' }] }], 'messages[0].content[0].type'],
  ['a part without text', [{ role: 'user', content: [{ type: 'text' }] }], 'messages[0].content[0].text'],
  [
    'an image without a URL',
    [{ role: 'user', content: [{ type: 'image_url', image_url: 'x' }] }],
    'messages[0].content[0].image_url.url',
  ],
  [
    'the id of an unknown file',
    [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
    'messages[0].content[0].file.file_id',
  ],
  ['an assistant message at the end', [USER, { role: 'assistant', content: 'Hi' }], 'messages[1].role'],
  ['calls that are not a list', [USER, { role: 'assistant', tool_calls: {} }, USER], 'messages[1].tool_calls'],
  ['a call without an id', [USER, { role: 'assistant', tool_calls: [call('')] }, USER], 'messages[1].tool_calls[0].id'],
  [
    'a call of another type',
    [USER, { role: 'assistant', tool_calls: [call('a', { type: 'custom' })] }, USER],
    'messages[1].tool_calls[0].type',
  ],
  [
    'a call without a function',
    [USER, { role: 'assistant', tool_calls: [call('a', { function: null })] }, USER],
    'messages[1].tool_calls[0].function',
  ],
  [
    'a call without a name',
    [USER, { role: 'assistant', tool_calls: [call('a', { function: { arguments: '' } })] }, USER],
    'messages[1].tool_calls[0].function.name',
  ],
  [
    'arguments that are not a text',
    [USER, { role: 'assistant', tool_calls: [call('a', { function: { name: 'a', arguments: {} } })] }, USER],
    'messages[1].tool_calls[0].function.arguments',
  ],
  [
    'two open calls of one id',
    [USER, { role: 'assistant', tool_calls: [call('a'), call('a')] }, tool('a')],
    'messages[1].tool_calls[1].id',
  ],
  [
    'a call without an output',
    [USER, { role: 'assistant', tool_calls: [call('a'), call('b')] }, tool('a')],
    'messages[1].tool_calls[1].id',
  ],
  ['an output without a call', [USER, tool('a')], 'messages[1].tool_call_id'],
  [
    'a second output of a call',
    [USER, { role: 'assistant', tool_calls: [call('a')] }, tool('a'), tool('a')],
    'messages[3].tool_call_id',
  ],
];

test.for(REFUSED)('%s is refused with the field', ([, messages, param]) => {
  const refused = expect.objectContaining({ code: 'invalid_request', param });

  expect(() => parseMessages(messages)).toThrow(InvalidRequest);
  expect(() => parseMessages(messages)).toThrow(refused);
});

test('a part may say who wrote it', () => {
  const file = { type: 'file', file: { file_data: 'data:text/plain;base64,YQ==' }, origin: 'own' };
  const content = [{ type: 'text', text: 'a', origin: 'others', source: 'page' }, file];
  expect(parseMessages([{ role: 'user', content }])).toMatchObject([
    {
      content: [
        { type: 'text', text: 'a', origin: 'others', source: 'page' },
        { type: 'file', origin: 'own' },
      ],
    },
  ]);
});
