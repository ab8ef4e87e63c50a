import { expect, test } from 'vitest';
import { AIR_QUALITY, callWith } from '../test/scripted-open-meteo.ts';

test.each([
  [0, 'Good'],
  [20, 'Good'],
  [21, 'Fair'],
  [40, 'Fair'],
  [41, 'Moderate'],
  [60, 'Moderate'],
  [61, 'Poor'],
  [80, 'Poor'],
  [81, 'Very Poor'],
  [100, 'Very Poor'],
  [101, 'Extremely Poor'],
  [500, 'Extremely Poor'],
])('an air quality index of %d is %s', (index, label) => {
  const script = { [AIR_QUALITY]: { json: { current: { european_aqi: index, pm2_5: 1, pm10: 2 } } } };
  const { output } = callWith({ action: 'get_air_quality', lat: 1, lon: 1 }, script);
  expect(output).toMatchObject({ european_aqi: index, aqi_label: label });
});
