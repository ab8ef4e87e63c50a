import { z } from 'zod';

/** The schema of an id in a request. */
export const uuid = <Id extends string>(message?: string): z.ZodType<Id, Id> =>
  z.uuid(message) as unknown as z.ZodType<Id, Id>;
