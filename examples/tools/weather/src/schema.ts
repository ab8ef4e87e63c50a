const city = {
  city: { type: 'string', description: 'Name of the city, for example Berlin' },
  country_code: { type: 'string', description: 'ISO 3166-1 alpha-2 code of its country, for example DE' },
  units: {
    type: 'string',
    enum: ['metric', 'imperial'],
    default: 'metric',
    description: 'metric: Celsius and m/s. imperial: Fahrenheit and mph.',
  },
};

const coordinates = {
  lat: { type: 'number', minimum: -90, maximum: 90, description: 'Latitude in degrees' },
  lon: { type: 'number', minimum: -180, maximum: 180, description: 'Longitude in degrees' },
};

/** The JSON Schema of the tool's params: a branch for each action. */
export const schema = {
  type: 'object',
  oneOf: [
    {
      type: 'object',
      properties: { action: { const: 'get_current' }, ...city },
      required: ['action', 'city'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { action: { const: 'get_forecast' }, ...city },
      required: ['action', 'city'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { action: { const: 'get_air_quality' }, ...coordinates },
      required: ['action', 'lat', 'lon'],
      additionalProperties: false,
    },
  ],
};
