import { expect, test } from 'vitest';
import { AIR_QUALITY, callWith, FORECAST, GEOCODING } from '../test/scripted-open-meteo.ts';

test.each([GEOCODING, FORECAST, AIR_QUALITY])('a refusal by %s is passed on with its status and body', (place) => {
  const params =
    place === AIR_QUALITY ? { action: 'get_air_quality', lat: 1, lon: 1 } : { action: 'get_current', city: 'Berlin' };
  const body = '{"error":true,"reason":"überlastet"}';

  for (const status of [199, 300, 304, 400, 429, 500, 503])
    expect(callWith(params, { [place]: { status, body } })).toEqual({ error: `API error (HTTP ${status}): ${body}` });
});

test('a long error page is passed on completely', () => {
  const { error } = callWith(
    { action: 'get_current', city: 'X' },
    { [GEOCODING]: { status: 502, body: 'x'.repeat(50_000) } },
  );
  expect(error).toBe(`API error (HTTP 502): ${'x'.repeat(50_000)}`);
});

test.each([GEOCODING, FORECAST, AIR_QUALITY])('a failed connection to %s is an error', (place) => {
  const fail = (): never => {
    throw new Error('connection refused');
  };
  const params =
    place === AIR_QUALITY ? { action: 'get_air_quality', lat: 1, lon: 1 } : { action: 'get_forecast', city: 'Berlin' };

  expect(callWith(params, { [place]: fail })).toEqual({ error: 'HTTP request failed: connection refused' });
});

test('a reply that is not JSON is an error', () => {
  const { error } = callWith({ action: 'get_current', city: 'X' }, { [GEOCODING]: { body: '<html>' } });
  expect(error).toMatch(/^The reply is not JSON: /);
});

test.each([{}, { current: null }, { current: { temperature_2m: null, weather_code: 'x' } }])(
  'numbers missing from %j are 0',
  (json) => {
    expect(callWith({ action: 'get_current', city: 'X' }, { [FORECAST]: { json } }).output).toMatchObject({
      temperature: 0,
      feels_like: 0,
      humidity: 0,
      wind_speed: 0,
      description: 'Clear sky',
    });
    const air = callWith({ action: 'get_air_quality', lat: 1, lon: 2 }, { [AIR_QUALITY]: { json } });
    expect(air.output).toEqual({ lat: 1, lon: 2, european_aqi: 0, aqi_label: 'Good', pm2_5: 0, pm10: 0 });
  },
);

test('a day with only a date has zeros', () => {
  const daily = { time: ['2026-05-01', '2026-05-02'], temperature_2m_max: [20.5], temperature_2m_min: [null, 3] };
  const { output } = callWith({ action: 'get_forecast', city: 'X' }, { [FORECAST]: { json: { daily } } });

  expect(output).toMatchObject({
    entries: [day('2026-05-01', 20.5, 0, 'Clear sky', 0), day('2026-05-02', 0, 3, 'Clear sky', 0)],
  });
});

function day(date: string, max: number, min: number, description: string, probability: number) {
  return { date, temp_max: max, temp_min: min, description, precipitation_probability_max: probability };
}

test('a forecast without days has no entries', () => {
  const { output } = callWith({ action: 'get_forecast', city: 'X' }, { [FORECAST]: { json: {} } });
  expect(output).toMatchObject({ entries: [] });
});

test('humidity, probability and index are integers for any reply', () => {
  const script = {
    [FORECAST]: {
      json: { current: { relative_humidity_2m: 48.6 }, daily: { time: ['x'], precipitation_probability_max: [12.4] } },
    },
    [AIR_QUALITY]: { json: { current: { european_aqi: 20.4 } } },
  };
  expect(callWith({ action: 'get_current', city: 'X' }, script).output).toMatchObject({ humidity: 49 });
  expect(callWith({ action: 'get_forecast', city: 'X' }, script).output).toMatchObject({
    entries: [{ precipitation_probability_max: 12 }],
  });
  expect(callWith({ action: 'get_air_quality', lat: 1, lon: 1 }, script).output).toMatchObject({
    european_aqi: 20,
    aqi_label: 'Good',
  });
});
