import { defineTool } from '@reborn-agent/tool';
import { getAirQuality } from './air-quality.ts';
import { getCurrent } from './current.ts';
import { getForecast } from './forecast.ts';
import { parseParams } from './parse-params.ts';
import { schema } from './schema.ts';

export const tool = defineTool({
  description:
    'Weather data. get_current: the current weather in a city. get_forecast: the next five days in a city. ' +
    'get_air_quality: the current air quality at a latitude and longitude.',
  schema,
  execute(params, host) {
    const request = parseParams(params);
    switch (request.action) {
      case 'get_current':
        return getCurrent(host, request);
      case 'get_forecast':
        return getForecast(host, request);
      case 'get_air_quality':
        return getAirQuality(host, request);
    }
  },
});
