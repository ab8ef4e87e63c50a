import type { ToolHost } from '@reborn-agent/tool/tool-host';
import { askOpenMeteo, toList, toNumber, toReply, toText } from './open-meteo.ts';
import type { CityRequest } from './parse-params.ts';

export type Place = {
  readonly city: string;
  readonly country: string;
  readonly latitude: number;
  readonly longitude: number;
};

/** The best match for a city's name. */
export function getPlace(host: ToolHost, { city, countryCode }: CityRequest): Place {
  const query = { name: city, count: 1, language: 'en', format: 'json', countryCode };
  const reply = askOpenMeteo(host, 'https://geocoding-api.open-meteo.com/v1/search', query);
  const [first] = toList(reply['results']);
  if (first === undefined) throw new Error(`City not found: ${city}`);

  const match = toReply(first);
  return {
    city: toText(match['name']) || city,
    country: toText(match['country']),
    latitude: toNumber(match['latitude']),
    longitude: toNumber(match['longitude']),
  };
}
