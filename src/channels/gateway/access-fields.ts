import { z } from 'zod';

/** Where a service of others is, as a field of a request. */
export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'base_url must be an http or https address.' })
  .max(2048, 'base_url may have 2048 characters.')
  .refine((url) => !/[?#]|\/\/[^/]*@/.test(url), 'base_url must have no password, query or fragment.')
  .nullish();

/** Its key, which is sent in a header. */
export const apiKey = z
  .string()
  .trim()
  .min(1)
  .max(4096, 'api_key may have 4096 characters.')
  .regex(/^[\x21-\x7e]*$/, 'api_key must have no spaces and only ASCII characters.')
  .nullish();
