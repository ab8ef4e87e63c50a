import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildTool } from '@reborn-agent/tool/build-tool';
import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { type Service, textOf } from '../../support/service.ts';
import { type Answer, type Asked, startStandIn } from '../../support/stand-in.ts';
import { waitFor } from '../../support/wait-for.ts';

const BERLIN = { name: 'Berlin', country: 'Germany', country_code: 'DE', latitude: 52.52437, longitude: 13.41053 };
const CURRENT = {
  temperature_2m: 21.4,
  apparent_temperature: 20.9,
  relative_humidity_2m: 48,
  weather_code: 2,
  wind_speed_10m: 3.6,
};
const DAILY = {
  time: ['2026-05-01', '2026-05-02', '2026-05-03', '2026-05-04', '2026-05-05'],
  weather_code: [0, 61, 95, 3, 45],
  temperature_2m_max: [20.1, 18.2, 17.3, 19.4, 15.5],
  temperature_2m_min: [10.1, 9.2, 8.3, -0.4, 7.5],
  precipitation_probability_max: [0, 80, 95, 20, 10],
};

/** The answers of the three hosts. */
let geocoding: Answer;
let forecast: Answer;
let airQuality: Answer;
const answers = ({ host }: Asked): Answer => {
  if (host === 'geocoding-api.open-meteo.com') return geocoding;
  if (host === 'api.open-meteo.com') return forecast;
  if (host === 'air-quality-api.open-meteo.com') return airQuality;
  throw new Error(`Unknown host ${host}.`);
};

let installed: Awaited<ReturnType<typeof runReborn>>;

const test = journey()
  .extend('standIn', { scope: 'file' }, async ({}, { onCleanup }) => {
    const standIn = await startStandIn(answers);
    onCleanup(() => standIn.close());
    return standIn;
  })
  .override('parts', ({ standIn }) => ({ network: standIn.network }));

test.beforeAll(async ({ home, model, service }) => {
  const { path } = await buildTool('examples/tools/weather');
  const args = ['tool', 'install', path, '--capabilities', await grantMore(home.home), '--name', 'weather', '--yes'];
  installed = await runReborn(args, { env: service.remote });
  await waitFor('the tool to be offered', async () => {
    await service.ask('say ready');
    return model.seen.at(-1)?.tools.includes('weather');
  });
});

test.beforeEach(({ standIn }) => {
  geocoding = { json: { results: [BERLIN, { ...BERLIN, name: 'Berlin, too' }] } };
  forecast = { json: { current: CURRENT, daily: DAILY } };
  airQuality = { json: { current: { european_aqi: 34, pm2_5: 8.1, pm10: 14.2 } } };
  standIn.asked.length = 0;
});

test('the install shows what the tool may do', () => {
  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining('may GET api.open-meteo.com/v1/') });
});

test('the weather of a city, in metric units unless others are asked for', async ({ service, standIn }) => {
  expect(await callWeather(service, { action: 'get_current', city: 'Berlin' })).toEqual({
    city: 'Berlin',
    country: 'Germany',
    temperature: 21.4,
    feels_like: 20.9,
    humidity: 48,
    wind_speed: 3.6,
    description: 'Partly cloudy',
    units: 'metric',
  });
  expect(await callWeather(service, { action: 'get_current', city: 'Berlin', units: 'imperial' })).toMatchObject({
    units: 'imperial',
  });

  const [search, metric, , imperial] = standIn.asked.map(({ url }) => Object.fromEntries(url.searchParams));
  expect(search).toMatchObject({ name: 'Berlin', count: '1', language: 'en' });
  expect(search).not.toHaveProperty('countryCode');
  expect(metric).toMatchObject({ latitude: '52.52437', longitude: '13.41053', wind_speed_unit: 'ms' });
  expect(metric?.['temperature_unit'] ?? 'celsius').toBe('celsius');
  expect(imperial).toMatchObject({ temperature_unit: 'fahrenheit', wind_speed_unit: 'mph' });
  for (const { method, url, headers } of standIn.asked) {
    expect([method, url.pathname.startsWith('/v1/'), headers.accept]).toEqual(['GET', true, 'application/json']);
    expect(headers['user-agent']).toBeTruthy();
  }
});

test('the forecast of five days', async ({ service, standIn }) => {
  const told = await callWeather(service, {
    action: 'get_forecast',
    city: 'Berlin',
    country_code: 'DE',
    units: 'metric',
  });

  expect(told).toEqual({
    city: 'Berlin',
    country: 'Germany',
    units: 'metric',
    entries: DAILY.time.map((date, day) => ({
      date,
      temp_max: DAILY.temperature_2m_max[day],
      temp_min: DAILY.temperature_2m_min[day],
      description: ['Clear sky', 'Slight rain', 'Thunderstorm', 'Overcast', 'Fog'][day],
      precipitation_probability_max: DAILY.precipitation_probability_max[day],
    })),
  });
  expect(standIn.asked[0]?.url.searchParams.get('countryCode')).toBe('DE');
  expect(standIn.asked[1]?.url.searchParams.get('forecast_days')).toBe('5');
});

test('the quality of the air', async ({ service }) => {
  expect(await callWeather(service, { action: 'get_air_quality', lat: 52.5, lon: -13.4 })).toEqual({
    lat: 52.5,
    lon: -13.4,
    european_aqi: 34,
    aqi_label: 'Fair',
    pm2_5: 8.1,
    pm10: 14.2,
  });
});

test('every weather code has a description', async ({ service }) => {
  const words: Record<number, string> = {
    0: 'Clear sky',
    1: 'Mainly clear',
    2: 'Partly cloudy',
    3: 'Overcast',
    45: 'Fog',
    51: 'Light drizzle',
    61: 'Slight rain',
    63: 'Moderate rain',
    65: 'Heavy rain',
    71: 'Slight snow',
    73: 'Moderate snow',
    75: 'Heavy snow',
    80: 'Slight rain showers',
    95: 'Thunderstorm',
    4: 'Unknown',
    48: 'Unknown',
    99: 'Unknown',
    [-1]: 'Unknown',
  };
  for (const [code, description] of Object.entries(words)) {
    forecast = { json: { current: { ...CURRENT, weather_code: Number(code) } } };
    expect(await callWeather(service, { action: 'get_current', city: 'Berlin' })).toMatchObject({ description });
  }
});

test.for([
  ['Good', [0, 20]],
  ['Fair', [21, 40]],
  ['Moderate', [41, 60]],
  ['Poor', [61, 80]],
  ['Very Poor', [81, 100]],
  ['Extremely Poor', [101, 500]],
] as const)('the air is %s from and to %j', async ([aqi_label, borders], { service }) => {
  for (const european_aqi of borders) {
    airQuality = { json: { current: { european_aqi, pm2_5: 1, pm10: 2 } } };
    expect(await callWeather(service, { action: 'get_air_quality', lat: 1, lon: 2 })).toMatchObject({
      european_aqi,
      aqi_label,
    });
  }
});

test('numbers that the provider leaves out are 0', async ({ service }) => {
  forecast = { json: { current: {}, daily: { time: ['2026-05-01'] } } };
  airQuality = { json: {} };

  expect(await callWeather(service, { action: 'get_current', city: 'Berlin' })).toMatchObject({
    temperature: 0,
    feels_like: 0,
    humidity: 0,
    wind_speed: 0,
  });
  expect(await callWeather(service, { action: 'get_forecast', city: 'Berlin' })).toMatchObject({
    entries: [{ temp_max: 0, temp_min: 0, precipitation_probability_max: 0 }],
  });
  expect(await callWeather(service, { action: 'get_air_quality', lat: 1, lon: 2 })).toMatchObject({
    european_aqi: 0,
    aqi_label: 'Good',
    pm2_5: 0,
    pm10: 0,
  });
});

test.for<[object, RegExp]>([
  [{ action: 'get_current', city: '' }, /^'city' must not be empty$/],
  [{ action: 'get_forecast', city: '' }, /^'city' must not be empty$/],
  [{ action: 'get_tides', city: 'Berlin' }, /^Invalid parameters: ./],
  [{ action: 'get_current' }, /^Invalid parameters: ./],
  [{ action: 'get_current', city: 'Berlin', units: 'kelvin' }, /^Invalid parameters: ./],
  [{ action: 'get_current', city: 'Berlin', extra: 1 }, /^Invalid parameters: ./],
  [{ action: 'get_air_quality', lat: 90.1, lon: 0 }, /'?lat'?.*-90.*90/],
  [{ action: 'get_air_quality', lat: 0, lon: -180.5 }, /'?lon'?.*-180.*180/],
])('%j is an error message of the tool', async ([params, error], { service, standIn }) => {
  expect(await callWeather(service, params)).toEqual({ error: expect.stringMatching(error) });
  expect(standIn.asked).toEqual([]);
});

test('params that are not JSON give an error message of the tool', async ({ service }) => {
  expect(await useWeather(service, '{"action":')).toEqual({ error: expect.stringMatching(/^Invalid parameters: ./) });
});

test.for([[{ results: [] }], [{}]])('an unknown city is reported: %j', async (json, { service }) => {
  geocoding = { json };
  expect(await callWeather(service, { action: 'get_current', city: 'Atlantis' })).toEqual({
    error: 'City not found: Atlantis',
  });
});

test('an upstream that refuses or breaks off is reported', async ({ service }) => {
  geocoding = { status: 503, text: 'closed for today' };
  expect(await callWeather(service, { action: 'get_current', city: 'Berlin' })).toEqual({
    error: 'API error (HTTP 503): closed for today',
  });
  geocoding = 'break-off';
  expect(await callWeather(service, { action: 'get_current', city: 'Berlin' })).toEqual({
    error: expect.stringMatching(/^HTTP request failed: ./),
  });
});

test('after its removal the tool is not offered to the model', async ({ service, model }) => {
  expect(await runReborn(['tool', 'remove', 'weather'], { env: service.remote })).toMatchObject({ code: 0 });
  await waitFor('the tool to be gone', async () => {
    await service.ask('say gone');
    return !model.seen.at(-1)?.tools.includes('weather');
  });
});

/** The tool's own capabilities, with a rate limit high enough for these tests. */
async function grantMore(folder: string): Promise<string> {
  const capabilities = JSON.parse(await readFile('examples/tools/weather/weather.capabilities.json', 'utf8')) as {
    http: object;
  };
  const http = { ...capabilities.http, rate_limit: { requests_per_minute: 10_000, requests_per_hour: 10_000 } };
  const file = join(folder, 'weather.capabilities.json');
  await writeFile(file, JSON.stringify({ ...capabilities, http }));
  return file;
}

const callWeather = (service: Service, params: object) => useWeather(service, JSON.stringify(params));

/** Runs a turn that calls the tool once, and returns the tool's result. */
async function useWeather(service: Service, params: string): Promise<unknown> {
  const response = await service.ask(`use weather ${params}`);
  return JSON.parse(textOf(response).replace(/^result: /, ''));
}
