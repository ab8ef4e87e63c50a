import { expect, test } from 'vitest';
import { BERLIN, callWith, GEOCODING, openMeteo, queryOf, urlsOf } from '../test/scripted-open-meteo.ts';
import { tool } from './tool.ts';

test.each([
  ['DE', 'DE'],
  ['de', 'DE'],
  [' at ', 'AT'],
])('the country code %j narrows the search', (countryCode, sent) => {
  const host = openMeteo();
  host.call(tool, { action: 'get_current', city: 'Berlin', country_code: countryCode });
  expect(queryOf(urlsOf(host.requests)[0])).toMatchObject({ countryCode: sent });
});

test.each(['', '  ', null])('the country code %j counts as missing', (countryCode) => {
  const host = openMeteo();
  host.call(tool, { action: 'get_current', city: 'Berlin', country_code: countryCode });
  expect(queryOf(urlsOf(host.requests)[0])).not.toHaveProperty('countryCode');
});

test('only the first match counts', () => {
  const other = { ...BERLIN, country: 'United States', latitude: 44.5, longitude: -71.2 };
  const host = openMeteo({ [GEOCODING]: { json: { results: [BERLIN, other] } } });

  expect(host.call(tool, { action: 'get_current', city: 'Berlin' }).output).toMatchObject({ country: 'Germany' });
  expect(queryOf(urlsOf(host.requests)[1])).toMatchObject({ latitude: '52.52437' });
});

test.each(['Zürich', '東京', 'São Paulo', "Saint-Jean-d'Acre", 'a&count=9#?/../%00', 'İstanbul 🌍', 'half \ud83c'])(
  'a city may be called %j',
  (city) => {
    const host = openMeteo();
    host.call(tool, { action: 'get_current', city });

    const [url] = urlsOf(host.requests);
    expect(queryOf(url)).toEqual({ name: city.toWellFormed(), count: '1', language: 'en', format: 'json' });
    expect(url?.pathname).toBe('/v1/search');
    expect(url?.hash).toBe('');
    expect(host.requests[0]?.url).toMatch(/^[\x21-\x7e]+$/);
  },
);

test('spaces around a city do not count', () => {
  const host = openMeteo();
  host.call(tool, { action: 'get_current', city: '  Berlin\n' });
  expect(queryOf(urlsOf(host.requests)[0])).toMatchObject({ name: 'Berlin' });
});

test.each([{}, { results: [] }, { results: null }, [], null, 7])('a city is not found when the reply is %j', (json) => {
  const script = { [GEOCODING]: { json } };
  expect(callWith({ action: 'get_current', city: 'Atlantis' }, script)).toEqual({ error: 'City not found: Atlantis' });
  expect(callWith({ action: 'get_forecast', city: '東京' }, script)).toEqual({ error: 'City not found: 東京' });
});
