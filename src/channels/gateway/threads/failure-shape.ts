import { z } from 'zod';
import { FAILURE_DETAILS, type FailureDetails } from '#domain/failure/failure-details.ts';

const VALUES = {
  text: z.string(),
  number: z.number(),
  unit: z.enum(['tokens', 'usd']),
  time: z.iso.datetime(),
};

/** Why a turn failed, for clients that write their own sentences. */
export const failureDetails = z
  .discriminatedUnion('code', shapes() as [Shape, ...Shape[]])
  .describe('Why it failed, more exactly than the code of the failure, and the values for a sentence about it.')
  .meta({ id: 'FailureDetails' }) as unknown as z.ZodType<FailureDetails, FailureDetails>;

type Shape = ReturnType<typeof shapeOf>;

function shapes(): Shape[] {
  return Object.entries(FAILURE_DETAILS).map(([code, values]) => shapeOf(code, values));
}

function shapeOf(code: string, values: Readonly<Record<string, keyof typeof VALUES>>) {
  const fields = Object.entries(values).map(([name, kind]) => [name, VALUES[kind]]);
  return z.strictObject({ code: z.literal(code), values: z.strictObject(Object.fromEntries(fields)) });
}
