import { InvalidParameters } from '@reborn-agent/tool/invalid-parameters';

export type CityRequest = {
  readonly action: 'get_current' | 'get_forecast';
  readonly city: string;
  readonly countryCode: string | undefined;
  readonly units: Units;
};

export type CoordinatesRequest = { readonly action: 'get_air_quality'; readonly lat: number; readonly lon: number };

export type Units = 'metric' | 'imperial';

/** The parsed request. The schema can't be relied on, because a model may send anything. */
export function parseParams(params: unknown): CityRequest | CoordinatesRequest {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new InvalidParameters('expected an object');

  const fields = params as Fields;
  switch (fields['action']) {
    case 'get_current':
    case 'get_forecast':
      refuseOthers(fields, ['action', 'city', 'country_code', 'units']);
      return { action: fields['action'], city: city(fields), countryCode: countryCode(fields), units: units(fields) };
    case 'get_air_quality':
      refuseOthers(fields, ['action', 'lat', 'lon']);
      return { action: fields['action'], lat: degrees(fields, 'lat', 90), lon: degrees(fields, 'lon', 180) };
    default:
      throw new InvalidParameters("'action' must be get_current, get_forecast or get_air_quality");
  }
}

type Fields = Readonly<Record<string, unknown>>;

function refuseOthers(fields: Fields, known: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidParameters(`unknown field '${unknown}'; known are ${known.join(', ')}`);
}

function city(fields: Fields): string {
  const value = fields['city'];
  if (typeof value !== 'string') throw new InvalidParameters("'city' must be a string");
  if (value.trim() === '') throw new Error("'city' must not be empty");

  return value.trim();
}

function countryCode(fields: Fields): string | undefined {
  const value = fields['country_code'] ?? '';
  if (typeof value !== 'string') throw new InvalidParameters("'country_code' must be a string");

  const code = value.trim().toUpperCase();
  if (code === '') return undefined;
  if (!/^[A-Z]{2}$/.test(code)) throw new InvalidParameters("'country_code' must be two letters, for example DE");

  return code;
}

function units(fields: Fields): Units {
  const value = fields['units'] ?? 'metric';
  if (value === 'metric' || value === 'imperial') return value;

  throw new InvalidParameters("'units' must be metric or imperial");
}

function degrees(fields: Fields, name: 'lat' | 'lon', limit: number): number {
  const value = fields[name];
  if (typeof value !== 'number') throw new InvalidParameters(`'${name}' must be a number`);
  if (Math.abs(value) > limit) throw new Error(`'${name}' must be between -${limit} and ${limit}`);

  return value;
}
