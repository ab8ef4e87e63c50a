import { expect, test } from 'vitest';
import { callWith, FORECAST, SUNNY } from '../test/scripted-open-meteo.ts';

test.each([
  [0, 'Clear sky'],
  [1, 'Mainly clear'],
  [2, 'Partly cloudy'],
  [3, 'Overcast'],
  [45, 'Fog'],
  [51, 'Light drizzle'],
  [61, 'Slight rain'],
  [63, 'Moderate rain'],
  [65, 'Heavy rain'],
  [71, 'Slight snow'],
  [73, 'Moderate snow'],
  [75, 'Heavy snow'],
  [80, 'Slight rain showers'],
  [95, 'Thunderstorm'],
  [4, 'Unknown'],
  [48, 'Unknown'],
  [99, 'Unknown'],
  [-1, 'Unknown'],
  [0.5, 'Unknown'],
])('weather code %d means %s', (code, description) => {
  const script = { [FORECAST]: { json: { current: { ...SUNNY, weather_code: code } } } };
  expect(callWith({ action: 'get_current', city: 'X' }, script).output).toMatchObject({ description });
});
