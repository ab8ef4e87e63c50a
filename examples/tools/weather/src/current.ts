import type { ToolHost } from '@reborn-agent/tool/tool-host';
import { askForecast } from './ask-forecast.ts';
import { getPlace } from './geocode.ts';
import { toNumber, toReply } from './open-meteo.ts';
import type { CityRequest } from './parse-params.ts';
import { describeWeather } from './weather-codes.ts';

/** The current weather in a city. */
export function getCurrent(host: ToolHost, request: CityRequest) {
  const place = getPlace(host, request);
  const reply = askForecast(host, place, request.units, {
    current: 'temperature_2m,apparent_temperature,relative_humidity_2m,weather_code,wind_speed_10m',
  });
  const current = toReply(reply['current']);
  return {
    city: place.city,
    country: place.country,
    temperature: toNumber(current['temperature_2m']),
    feels_like: toNumber(current['apparent_temperature']),
    humidity: Math.round(toNumber(current['relative_humidity_2m'])),
    wind_speed: toNumber(current['wind_speed_10m']),
    description: describeWeather(toNumber(current['weather_code'])),
    units: request.units,
  };
}
