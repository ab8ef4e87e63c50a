import { z } from 'zod';

export const roleField = z.enum(['operator', 'member']);

/** The name of a user or a token. */
export const nameField = z
  .string('name is required and must be a string.')
  .trim()
  .min(1, 'name must not be blank.')
  .max(200, 'name must have at most 200 characters.');
