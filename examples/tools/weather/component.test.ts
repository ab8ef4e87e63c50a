import { setImmediate } from 'node:timers/promises';
import { buildTool } from '@reborn-agent/tool/build-tool';
import { beforeAll, expect, test } from 'vitest';
import { type AsyncHost, type LoadedComponent, loadComponent } from '../../../sdk/test/load-component.ts';

const logs: unknown[] = [];
const requests: unknown[][] = [];
const host: AsyncHost = {
  httpRequest: async (...request) => {
    requests.push(request);
    await setImmediate();
    const { host: name } = new URL(request[1]);
    if (name.startsWith('air')) throw 'the host said no'; // oxlint-disable-line typescript/only-throw-error -- errors of the world are strings
    return name.startsWith('geocoding')
      ? reply({ results: [{ name: 'Zürich', country: 'Switzerland', latitude: 47.4, longitude: 8.5 }] })
      : reply({ current: { temperature_2m: 19.5, weather_code: 95 } });
  },
  log: (...line) => void logs.push(line),
  secretExists: () => false,
};

function reply(body: unknown) {
  return { status: 200, body: new TextEncoder().encode(JSON.stringify(body)) };
}

let component: LoadedComponent;
let bytes: number;

beforeAll(async () => {
  const built = await buildTool(import.meta.dirname);
  bytes = built.bytes;
  component = await loadComponent(built.path, host);
});

test('the built tool describes itself', async () => {
  expect(await component.description()).toContain('weather');
  expect(JSON.parse(await component.schema())).toMatchObject({ oneOf: [{}, {}, {}] });
});

test('the tool waits for its requests and returns the weather', async () => {
  const { output, error } = await component.execute('{"action":"get_current","city":"Z\\u00fcrich"}');

  expect(error).toBeUndefined();
  expect(JSON.parse(output ?? '')).toMatchObject({ city: 'Zürich', temperature: 19.5, description: 'Thunderstorm' });
  expect(requests.map(([method, url]) => `${String(method)} ${String(url)}`)).toEqual([
    expect.stringMatching(/^GET https:\/\/geocoding-api\.open-meteo\.com\/v1\/search\?name=Z%C3%BCrich&count=1&/),
    expect.stringMatching(/^GET https:\/\/api\.open-meteo\.com\/v1\/forecast\?latitude=47\.4&longitude=8\.5&/),
  ]);
});

test("the host's refusal becomes the tool's error", async () => {
  expect(await component.execute('{"action":"get_air_quality","lat":1,"lon":2}')).toEqual({
    output: undefined,
    error: 'HTTP request failed: the host said no',
  });
});

test.each(['', '{', '{"action":"get_current","city":"\\ud800"'])(
  'bad params %j are an error, not a trap',
  async (params) => {
    const { output, error } = await component.execute(params);
    expect(output).toBeUndefined();
    expect(error).toMatch(/^Invalid parameters: ./);
  },
);

test('the component is small', () => {
  expect(bytes).toBeLessThan(1_300_000);
});
