import type { ToolHost } from '@reborn-agent/tool/tool-host';
import { askForecast } from './ask-forecast.ts';
import { getPlace } from './geocode.ts';
import { toList, toNumber, toReply, toText } from './open-meteo.ts';
import type { CityRequest } from './parse-params.ts';
import { describeWeather } from './weather-codes.ts';

const DAYS = 5;

/** The weather in a city, today and the following days. */
export function getForecast(host: ToolHost, request: CityRequest) {
  const place = getPlace(host, request);
  const reply = askForecast(host, place, request.units, {
    daily: 'weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max',
    forecast_days: DAYS,
  });
  const daily = toReply(reply['daily']);
  const on = (day: number, variable: string) => toNumber(toList(daily[variable])[day]);
  return {
    city: place.city,
    country: place.country,
    units: request.units,
    entries: toList(daily['time']).map((date, day) => ({
      date: toText(date),
      temp_max: on(day, 'temperature_2m_max'),
      temp_min: on(day, 'temperature_2m_min'),
      description: describeWeather(on(day, 'weather_code')),
      precipitation_probability_max: Math.round(on(day, 'precipitation_probability_max')),
    })),
  };
}
