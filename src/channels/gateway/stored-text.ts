import { z } from 'zod';

/** A text of a person that is stored without the spaces around it. PostgreSQL can't store null characters. */
export const storedText = (field: string, most: number) =>
  z
    .string(`${field} must be a string.`)
    .trim()
    .min(1, `${field} must not be empty.`)
    .max(most, `${field} may have ${most.toLocaleString('en')} characters.`)
    .refine((value) => !value.includes('\u0000'), `${field} must not contain null characters.`);
