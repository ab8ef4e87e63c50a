import { expect, test } from 'vitest';
import { callWith, openMeteo } from '../test/scripted-open-meteo.ts';
import { tool } from './tool.ts';

test.each([
  ['a list', [], 'expected an object'],
  ['null', null, 'expected an object'],
  ['a string', 'get_current', 'expected an object'],
  ['no action', { city: 'Berlin' }, "'action' must be get_current, get_forecast or get_air_quality"],
  [
    'another action',
    { action: 'get_tides', city: 'X' },
    "'action' must be get_current, get_forecast or get_air_quality",
  ],
  ['no city', { action: 'get_current' }, "'city' must be a string"],
  ['a city that is a number', { action: 'get_forecast', city: 7 }, "'city' must be a string"],
  ['other units', { action: 'get_current', city: 'X', units: 'kelvin' }, "'units' must be metric or imperial"],
  [
    'a country code that is a number',
    { action: 'get_current', city: 'X', country_code: 4 },
    "'country_code' must be a string",
  ],
  [
    'a long country code',
    { action: 'get_current', city: 'X', country_code: 'DEU' },
    "'country_code' must be two letters, for example DE",
  ],
  [
    'one field too many',
    { action: 'get_current', city: 'X', days: 3 },
    "unknown field 'days'; known are action, city, country_code, units",
  ],
  [
    'a field of another action',
    { action: 'get_air_quality', lat: 1, lon: 1, city: 'X' },
    "unknown field 'city'; known are action, lat, lon",
  ],
  ['no latitude', { action: 'get_air_quality', lon: 1 }, "'lat' must be a number"],
  ['a longitude that is a string', { action: 'get_air_quality', lat: 1, lon: '1' }, "'lon' must be a number"],
])('params with %s are refused before any request is sent', (_what, params, detail) => {
  const host = openMeteo();
  expect(host.call(tool, params)).toEqual({ error: `Invalid parameters: ${detail}` });
  expect(host.requests).toEqual([]);
});

test.each(['', '{', 'Berlin', '{"action":"get_current",}'])('params that are not JSON are refused: %j', (params) => {
  const { output, error } = tool.connect(openMeteo().imports).execute({ params });
  expect(output).toBeUndefined();
  expect(error).toMatch(/^Invalid parameters: .+/);
});

test.each(['', ' ', '\t\n', '\u00a0'])('the city %j is empty, and no request is sent', (city) => {
  const host = openMeteo();
  expect(host.call(tool, { action: 'get_current', city })).toEqual({ error: "'city' must not be empty" });
  expect(host.call(tool, { action: 'get_forecast', city })).toEqual({ error: "'city' must not be empty" });
  expect(host.requests).toEqual([]);
});

test.each([
  [90.01, 0, "'lat' must be between -90 and 90"],
  [-91, 0, "'lat' must be between -90 and 90"],
  [0, 180.5, "'lon' must be between -180 and 180"],
  [0, -181, "'lon' must be between -180 and 180"],
])('the point %d, %d is refused', (lat, lon, error) => {
  expect(callWith({ action: 'get_air_quality', lat, lon })).toEqual({ error });
});

test.each([
  [90, 180],
  [-90, -180],
  [0, 0],
])('the point %d, %d is accepted', (lat, lon) => {
  expect(callWith({ action: 'get_air_quality', lat, lon }).output).toMatchObject({ lat, lon });
});
