import { z } from 'zod';
import { pageQuery } from '../page.ts';

const name = z
  .string('name is required and must be a string.')
  .trim()
  .min(1, 'name must not be blank.')
  .max(200, 'name must have at most 200 characters.');
const time = z.iso.datetime({ offset: true, error: 'expires_at must be a time such as 2030-01-31T00:00:00Z.' });
const userId = z.string().describe('The id of a user.');

/** The bodies of the routes about users and their tokens. */
export const newUser = z
  .object({
    name,
    email: z.email('email must be an email address.').max(320).nullish(),
    role: z.enum(['operator', 'member'], 'role must be operator or member.'),
  })
  .meta({ id: 'NewUser' });

export const newToken = z
  .object({
    name,
    expires_at: time
      .refine((text) => Date.parse(text) > Date.now(), 'expires_at must lie in the future.')
      .nullish()
      .describe('When it stops working; never, when left out.'),
  })
  .meta({ id: 'NewToken' });

const MOST_USD = 1_000_000_000;

/** Limits of a user's own take the place of everybody's. */
export const wireLimits = z
  .strictObject({
    tokens_per_day: z
      .int('tokens_per_day must be a whole number, or null.')
      .min(0, 'tokens_per_day must not be negative.')
      .nullable()
      .describe('null: not limited.'),
    usd_per_day: z
      .number('usd_per_day must be a number, or null.')
      .min(0, 'usd_per_day must not be negative.')
      .max(MOST_USD, `usd_per_day must be at most ${MOST_USD}.`)
      .nullable()
      .describe('null: not limited. If both are null there are none, and what everybody may spend holds.'),
  })
  .meta({ id: 'SpendingLimits' });

export const wireUser = z
  .strictObject({
    id: userId,
    name: z.string(),
    email: z.string().nullable(),
    role: z.enum(['operator', 'member']),
    created_at: z.iso.datetime(),
    limits: wireLimits,
  })
  .meta({ id: 'User' });

export const usersQuery = pageQuery(/^[\w-]{1,64}$/);

export const userList = z
  .strictObject({ users: z.array(wireUser), next_cursor: z.string().nullable() })
  .meta({ id: 'UserList' });

const token = {
  id: z.uuid(),
  name: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
};

export const createdToken = z
  .strictObject({ ...token, token: z.string().describe('The token itself. It is shown this once.') })
  .meta({ id: 'CreatedToken' });

export const tokenList = z
  .strictObject({ tokens: z.array(z.strictObject({ ...token, last_used_at: z.iso.datetime().nullable() })) })
  .meta({ id: 'TokenList' });
