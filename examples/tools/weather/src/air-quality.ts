import type { ToolHost } from '@reborn-agent/tool/tool-host';
import { askOpenMeteo, toNumber, toReply } from './open-meteo.ts';
import type { CoordinatesRequest } from './parse-params.ts';

/** The current air quality at a point. */
export function getAirQuality(host: ToolHost, { lat, lon }: CoordinatesRequest) {
  const query = { latitude: lat, longitude: lon, current: 'european_aqi,pm2_5,pm10' };
  const reply = askOpenMeteo(host, 'https://air-quality-api.open-meteo.com/v1/air-quality', query);
  const current = toReply(reply['current']);
  const index = Math.round(toNumber(current['european_aqi']));
  return {
    lat,
    lon,
    european_aqi: index,
    aqi_label: labelAirQuality(index),
    pm2_5: toNumber(current['pm2_5']),
    pm10: toNumber(current['pm10']),
  };
}

function labelAirQuality(index: number): string {
  if (index <= 20) return 'Good';
  if (index <= 40) return 'Fair';
  if (index <= 60) return 'Moderate';
  if (index <= 80) return 'Poor';
  return index <= 100 ? 'Very Poor' : 'Extremely Poor';
}
