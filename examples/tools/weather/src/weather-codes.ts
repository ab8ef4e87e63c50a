const DESCRIPTIONS: Readonly<Record<number, string>> = {
  0: 'Clear sky',
  1: 'Mainly clear',
  2: 'Partly cloudy',
  3: 'Overcast',
  45: 'Fog',
  51: 'Light drizzle',
  61: 'Slight rain',
  63: 'Moderate rain',
  65: 'Heavy rain',
  71: 'Slight snow',
  73: 'Moderate snow',
  75: 'Heavy snow',
  80: 'Slight rain showers',
  95: 'Thunderstorm',
};

/** The description of a WMO weather code. */
export function describeWeather(code: number): string {
  return DESCRIPTIONS[code] ?? 'Unknown';
}
