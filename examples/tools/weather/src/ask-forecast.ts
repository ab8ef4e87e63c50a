import type { ToolHost } from '@reborn-agent/tool/tool-host';
import type { Place } from './geocode.ts';
import { askOpenMeteo, type Reply } from './open-meteo.ts';
import type { Units } from './parse-params.ts';

/** Requests the weather at a place, in the given units. */
export function askForecast(
  host: ToolHost,
  place: Place,
  units: Units,
  variables: Record<string, string | number>,
): Reply {
  return askOpenMeteo(host, 'https://api.open-meteo.com/v1/forecast', {
    latitude: place.latitude,
    longitude: place.longitude,
    ...variables,
    temperature_unit: units === 'metric' ? 'celsius' : 'fahrenheit',
    wind_speed_unit: units === 'metric' ? 'ms' : 'mph',
    timezone: 'auto',
  });
}
