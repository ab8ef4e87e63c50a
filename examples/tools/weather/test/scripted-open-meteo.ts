import { createLocalHost, type LocalRequest, type LocalResponse } from '@reborn-agent/tool/local-host';
import { tool } from '../src/tool.ts';

export const GEOCODING = 'geocoding-api.open-meteo.com';

export const FORECAST = 'api.open-meteo.com';

export const AIR_QUALITY = 'air-quality-api.open-meteo.com';

export const BERLIN = {
  name: 'Berlin',
  country: 'Germany',
  country_code: 'DE',
  latitude: 52.52437,
  longitude: 13.41053,
};

export const SUNNY = {
  temperature_2m: 21.4,
  apparent_temperature: 20.9,
  relative_humidity_2m: 48,
  weather_code: 2,
  wind_speed_10m: 3.6,
};

const FIVE_DAYS = {
  time: ['2026-05-01', '2026-05-02', '2026-05-03', '2026-05-04', '2026-05-05'],
  weather_code: [0, 61, 95, 3, 45],
  temperature_2m_max: [20.1, 18.2, 17.3, 19.4, 15.5],
  temperature_2m_min: [10.1, 9.2, 8.3, -0.4, 7.5],
  precipitation_probability_max: [0, 80, 95, 20, 10],
};

type Script = Partial<Record<string, LocalResponse | (() => never)>>;

/** Open-Meteo, where Berlin is found and everything works, unless the script says otherwise. */
export function openMeteo(script: Script = {}) {
  const usual: Script = {
    [GEOCODING]: { json: { results: [BERLIN] } },
    [FORECAST]: { json: { current: SUNNY, daily: FIVE_DAYS } },
    [AIR_QUALITY]: { json: { current: { european_aqi: 34, pm2_5: 8.1, pm10: 14.2 } } },
  };
  return createLocalHost({
    http: (request) => {
      const reply = { ...usual, ...script }[new URL(request.url).host];
      if (typeof reply === 'function') return reply();
      if (!reply) throw new Error(`no reply is scripted for ${request.url}`);
      return reply;
    },
  });
}

export function callWith(params: unknown, script: Script = {}) {
  return openMeteo(script).call(tool, params);
}

export function urlsOf(requests: readonly LocalRequest[]): URL[] {
  return requests.map((request) => new URL(request.url));
}

export function queryOf(url: URL | undefined): Record<string, string> {
  return Object.fromEntries(url?.searchParams ?? []);
}
