import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AIR_QUALITY, FORECAST, GEOCODING, openMeteo, queryOf, urlsOf } from '../test/scripted-open-meteo.ts';
import { tool } from './tool.ts';

test('get_current finds the city and returns its weather', () => {
  const host = openMeteo();

  expect(host.call(tool, { action: 'get_current', city: 'Berlin' })).toEqual({
    output: {
      city: 'Berlin',
      country: 'Germany',
      temperature: 21.4,
      feels_like: 20.9,
      humidity: 48,
      wind_speed: 3.6,
      description: 'Partly cloudy',
      units: 'metric',
    },
  });

  const [geocoding, forecast, ...more] = urlsOf(host.requests);
  expect(more).toEqual([]);
  expect(`${geocoding?.origin}${geocoding?.pathname}`).toBe('https://geocoding-api.open-meteo.com/v1/search');
  expect(queryOf(geocoding)).toEqual({ name: 'Berlin', count: '1', language: 'en', format: 'json' });
  expect(`${forecast?.origin}${forecast?.pathname}`).toBe('https://api.open-meteo.com/v1/forecast');
  expect(queryOf(forecast)).toEqual({
    latitude: '52.52437',
    longitude: '13.41053',
    current: 'temperature_2m,apparent_temperature,relative_humidity_2m,weather_code,wind_speed_10m',
    temperature_unit: 'celsius',
    wind_speed_unit: 'ms',
    timezone: 'auto',
  });
});

test('get_forecast requests five days and returns each', () => {
  const host = openMeteo();

  const { output } = host.call(tool, { action: 'get_forecast', city: 'Berlin' });

  expect(output).toEqual({
    city: 'Berlin',
    country: 'Germany',
    units: 'metric',
    entries: [
      day('2026-05-01', 20.1, 10.1, 'Clear sky', 0),
      day('2026-05-02', 18.2, 9.2, 'Slight rain', 80),
      day('2026-05-03', 17.3, 8.3, 'Thunderstorm', 95),
      day('2026-05-04', 19.4, -0.4, 'Overcast', 20),
      day('2026-05-05', 15.5, 7.5, 'Fog', 10),
    ],
  });
  expect(queryOf(urlsOf(host.requests)[1])).toMatchObject({
    forecast_days: '5',
    daily: 'weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max',
    temperature_unit: 'celsius',
    wind_speed_unit: 'ms',
  });
});

function day(date: string, max: number, min: number, description: string, probability: number) {
  return { date, temp_max: max, temp_min: min, description, precipitation_probability_max: probability };
}

test('get_air_quality uses the point itself, without a city', () => {
  const host = openMeteo();

  expect(host.call(tool, { action: 'get_air_quality', lat: -33.9, lon: 18.4 })).toEqual({
    output: { lat: -33.9, lon: 18.4, european_aqi: 34, aqi_label: 'Fair', pm2_5: 8.1, pm10: 14.2 },
  });
  const [url, ...more] = urlsOf(host.requests);
  expect(more).toEqual([]);
  expect(`${url?.origin}${url?.pathname}`).toBe('https://air-quality-api.open-meteo.com/v1/air-quality');
  expect(queryOf(url)).toEqual({ latitude: '-33.9', longitude: '18.4', current: 'european_aqi,pm2_5,pm10' });
});

test.each(['get_current', 'get_forecast'])('%s in imperial units is in Fahrenheit and mph', (action) => {
  const host = openMeteo();

  expect(host.call(tool, { action, city: 'Berlin', units: 'imperial' }).output).toMatchObject({ units: 'imperial' });
  expect(queryOf(urlsOf(host.requests)[1])).toMatchObject({ temperature_unit: 'fahrenheit', wind_speed_unit: 'mph' });
});

test('every request is a GET for JSON with a user agent, allowed by the capabilities file', () => {
  const host = openMeteo();
  host.call(tool, { action: 'get_current', city: 'Berlin' });
  host.call(tool, { action: 'get_forecast', city: 'Berlin' });
  host.call(tool, { action: 'get_air_quality', lat: 0, lon: 0 });

  expect(host.requests).toHaveLength(5);
  for (const request of host.requests) {
    expect(request.headers).toEqual({ Accept: 'application/json', 'User-Agent': expect.stringMatching(/^reborn-/) });
    expect(request.body).toBeUndefined();
    const { protocol, host: name, pathname } = new URL(request.url);
    const entry = allowlist().find((allowed) => allowed.host === name);
    expect(protocol).toBe('https:');
    expect(entry?.methods).toContain(request.method);
    expect(pathname.startsWith(entry?.path_prefix ?? 'nowhere')).toBe(true);
  }
});

test('the capabilities file allows GET below /v1/ on the three hosts, and nothing else', () => {
  const allowed = (host: string) => ({ host, path_prefix: '/v1/', methods: ['GET'] });
  expect(allowlist()).toEqual([allowed(GEOCODING), allowed(FORECAST), allowed(AIR_QUALITY)]);
});

function allowlist(): { host: string; path_prefix: string; methods: string[] }[] {
  const text = readFileSync(join(import.meta.dirname, '../weather.capabilities.json'), 'utf8');
  return JSON.parse(text).http.allowlist;
}

test('the schema has a branch for each action, and no branch allows other fields', () => {
  const city = {
    properties: { city: { type: 'string' }, country_code: { type: 'string' }, units: { default: 'metric' } },
    required: ['action', 'city'],
    additionalProperties: false,
  };
  const coordinates = {
    properties: { lat: { minimum: -90, maximum: 90 }, lon: { minimum: -180, maximum: 180 } },
    required: ['action', 'lat', 'lon'],
    additionalProperties: false,
  };
  const branches = branchesOfSchema();

  expect(branches).toMatchObject([city, city, coordinates]);
  expect(branches.map(({ properties }) => properties['action'])).toEqual([
    { const: 'get_current' },
    { const: 'get_forecast' },
    { const: 'get_air_quality' },
  ]);
  expect(branches.map(({ properties }) => Object.keys(properties))).toEqual([
    ['action', 'city', 'country_code', 'units'],
    ['action', 'city', 'country_code', 'units'],
    ['action', 'lat', 'lon'],
  ]);
});

function branchesOfSchema(): { properties: Record<string, unknown> }[] {
  return JSON.parse(tool.connect(openMeteo().imports).schema()).oneOf;
}
