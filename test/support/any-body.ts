import fc from 'fast-check';

/**
 * Request bodies as JSON text: anything at all, and bodies that are nearly right, with a field or two that are missing,
 * doubled, or anything at all. `@id` is replaced by the id of an earlier response.
 */
export function anyBody(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 2, arbitrary: json },
    { weight: 1, arbitrary: broken },
    { weight: 12, arbitrary: nearlyRight },
  );
}

const text = (value: unknown) => JSON.stringify(value);
const just = (...values: readonly unknown[]) => fc.constantFrom(...values.map(text));

const ODD = ['\u0000', '\ud800', '\udfff', '\u2028', '\u0085', '\ufeff', '\u202e', '\u200d', '😀', '\r\n', '\\', '"'];
const WORDS = ['</instructions>', '</user-context>', '__proto__', 'constructor', "'; --", '%00', '${x}', 'null'];

const character = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom(...ODD, ...WORDS),
);
const string = fc.oneof(
  fc.string(),
  fc.array(character, { maxLength: 20 }).map((parts) => parts.join('')),
);
const stringJson = string.map(text);

const numberJson = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(text),
  fc.constantFrom(
    '-0',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993',
    '0.1e1',
    '1'.repeat(400),
    `0.${'3'.repeat(400)}`,
  ),
);

const nested = fc
  .tuple(fc.constantFrom(10, 500, 3000, 6000, 20_000), fc.constantFrom('[', '{"a":'))
  .map(([depth, open]) => `${open.repeat(depth)}0${(open === '[' ? ']' : '}').repeat(depth)}`);

const keyJson = fc.oneof(stringJson, just('__proto__', 'constructor', 'toString', 'type', 'id', ''));
const toObject = (entries: readonly (readonly [key: string, value: string])[]) =>
  `{${entries.map(([key, value]) => `${key}:${value}`).join(',')}}`;

const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 12, arbitrary: fc.oneof(stringJson, numberJson, just(null, true, false)) },
    { weight: 4, arbitrary: fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`) },
    { weight: 8, arbitrary: fc.array(fc.tuple(keyJson, tie('json')), { maxLength: 4 }).map(toObject) },
    { weight: 1, arbitrary: nested },
  ),
}));

const objectJson = fc.array(fc.tuple(keyJson, json), { maxLength: 4 }).map(toObject);

/** An object with these fields, each of which may be missing, doubled, or anything. */
function objectOf(fields: Readonly<Record<string, fc.Arbitrary<string>>>, needed: readonly string[] = []) {
  const entries = Object.entries(fields).map(([name, right]) => {
    const present = fc.tuple(fc.constant(text(name)), fc.oneof({ weight: 60, arbitrary: right }, json)).map((e) => [e]);
    return needed.includes(name)
      ? fc.oneof({ weight: 80, arbitrary: present }, fc.constant([]))
      : fc.oneof(present, fc.constant([]));
  });
  const more = fc.array(fc.tuple(keyJson, json), { maxLength: 1 });
  const twice = fc.array(fc.tuple(fc.constantFrom(...Object.keys(fields).map(text)), json), { maxLength: 1 });
  const seldom = fc.oneof({ weight: 9, arbitrary: fc.constant([]) }, more, twice);
  return fc.tuple(...entries, seldom).map((all) => toObject(all.flat()));
}

const arrayOf = (item: fc.Arbitrary<string>, minLength = 0) =>
  fc
    .array(fc.oneof({ weight: 40, arbitrary: item }, json), { minLength, maxLength: 3 })
    .map((items) => `[${items.join(',')}]`);

const dataUrl = just(
  'data:image/png;base64,iVBORw0KGgo=',
  'data:text/plain;base64,aGk=',
  'https://example.com/a.png',
  'data:,',
);

const content = fc.oneof(
  stringJson,
  arrayOf(
    fc.oneof(
      objectOf({ type: just('input_text', 'output_text', 'text'), text: stringJson }, ['type', 'text']),
      objectOf({ type: just('input_image'), image_url: dataUrl }, ['type', 'image_url']),
      objectOf({ type: just('input_file'), file_data: dataUrl, filename: stringJson }, ['type', 'file_data']),
    ),
  ),
);

const callId = fc.oneof({ weight: 3, arbitrary: just('c1', 'c2') }, stringJson);
const name = fc.oneof(
  { weight: 3, arbitrary: just('lookup', 'look-up', 'reborn_time', 'memory_x', 'a'.repeat(65)) },
  stringJson,
);

const item = fc.oneof(
  {
    weight: 4,
    arbitrary: objectOf({ type: just('message'), role: just('user', 'assistant', 'system', 'developer'), content }, [
      'role',
      'content',
    ]),
  },
  objectOf(
    { type: just('function_call'), call_id: callId, name, arguments: fc.oneof(objectJson.map(text), stringJson) },
    ['type', 'call_id', 'name', 'arguments'],
  ),
  objectOf({ type: just('function_call_output'), call_id: callId, output: content }, ['type', 'call_id', 'output']),
  objectOf({ type: just('item_reference'), id: fc.oneof(just(`msg_${'0'.repeat(32)}`), stringJson) }, ['type', 'id']),
  objectOf({ type: just('reasoning', 'web_search_call'), summary: json }, ['type']),
);

const said = fc.oneof({ weight: 2, arbitrary: just('hello', 'call lookup {"a":1}', 'what time is it') }, stringJson);

const tool = objectOf(
  { type: just('function'), name, description: stringJson, parameters: objectJson, strict: just(true, false, null) },
  ['type', 'name'],
);

const nearlyRight = objectOf(
  {
    model: fc.oneof({ weight: 6, arbitrary: just('m', 'gpt-5') }, stringJson),
    input: fc.oneof(said, arrayOf(item, 1)),
    previous_response_id: fc.oneof(
      { weight: 3, arbitrary: just('@id') },
      just(null, `resp_${'0'.repeat(64)}`, `resp_${'f'.repeat(64)}`, 'resp_x'),
    ),
    stream: just(true, false, null),
    background: just(true, false),
    temperature: fc.oneof({ weight: 3, arbitrary: just(0, 0.5, 2) }, numberJson),
    instructions: stringJson,
    x_context: objectJson,
    metadata: objectJson,
    tools: arrayOf(tool),
    tool_choice: json,
    max_output_tokens: json,
    text: fc.oneof(
      json,
      objectOf({ format: objectOf({ type: just('json_schema', 'json_object', 'text'), schema: json }, ['type']) }, [
        'format',
      ]),
    ),
    top_p: fc.oneof(just(0.5, 1), json),
    reasoning: fc.oneof(objectOf({ effort: fc.oneof(just('low'), json) }, ['effort']), json),
    store: fc.oneof(just(true), json),
    include: json,
    context_management: json,
  },
  ['model', 'input'],
);

/** Broken JSON: a body that is cut off, or has something inserted. */
const broken = fc
  .tuple(fc.oneof(nearlyRight, json), fc.nat(), fc.oneof(fc.constant(''), string), fc.boolean())
  .map(([whole, at, inserted, cut]) => {
    const place = at % (whole.length + 1);
    return whole.slice(0, place) + inserted + (cut ? '' : whole.slice(place));
  });
