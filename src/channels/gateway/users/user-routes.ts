import { z } from 'zod';
import type { LimitsAdmin } from '#agent/spending/spending-limits.ts';
import type { Accounts } from '#auth/accounts.ts';
import { NO_LIMITS, type SpendingLimits } from '#domain/spending.ts';
import type { User } from '#domain/user.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { readFields, renderAs } from '#http/routes/render-as.ts';
import { nextCursor, pageQuery } from '../page.ts';
import { nameField, roleField } from './user-fields.ts';

type Services = { readonly accounts: Accounts; readonly limits: LimitsAdmin };

const MOST_USD = 1_000_000_000;

/** Limits of one user. They replace the limits that apply to everyone. */
const spendingLimits = z
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
      .describe('null: not limited. If both are null, the default limits apply.'),
  })
  .meta({ id: 'SpendingLimits' });

const user = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    role: roleField,
    created_at: z.iso.datetime(),
    limits: spendingLimits,
  })
  .meta({ id: 'User' });

const addUser = defineRoute({
  method: 'post',
  path: '/api/users',
  summary: 'Add a user.',
  access: 'operator',
  body: z
    .object({
      name: nameField,
      email: z.email('email must be an email address.').max(320).nullish(),
      role: roleField,
    })
    .meta({ id: 'NewUser' }),
  responses: { 201: { description: 'The user. Create a token to let them in.', json: user } },
  errors: [400, 409, 413],
  async handle({ principal, body: { name, email, role } }, { accounts }: Services) {
    return renderUser(await accounts.addUser(principal, { name, email: email ?? null, role }), NO_LIMITS);
  },
});

/** The length of the longest email address. */
const MOST_SEARCHED = 320;

const listUsers = defineRoute({
  method: 'get',
  path: '/api/users',
  summary: 'List users, oldest first.',
  access: 'operator',
  query: pageQuery(/^[\w-]{1,64}$/).extend({
    q: z
      .string()
      .max(MOST_SEARCHED, `q may have at most ${MOST_SEARCHED} characters.`)
      .default('')
      .describe('An id, or part of a name or email address.'),
  }),
  responses: {
    200: {
      description: 'A page of users.',
      json: z.strictObject({ users: z.array(user), next_cursor: z.string().nullable() }).meta({ id: 'UserList' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { limit, cursor, q } }, { accounts, limits }: Services) {
    const users = await accounts.listUsers(principal, { after: cursor, limit, search: q.trim() });
    const own = await limits.list(
      principal,
      users.map(({ id }) => id),
    );
    const rendered = users.map((found) => renderUser(found, own.get(found.id) ?? NO_LIMITS));
    return { users: rendered, next_cursor: nextCursor(users, limit) };
  },
});

const changeUser = defineRoute({
  method: 'patch',
  path: '/api/users/{id}',
  summary:
    'Change the name or the role of a user. A role applies at once to their tokens and sessions, on every replica.',
  access: 'operator',
  params: z.object({ id: z.string() }),
  body: z
    .strictObject({ name: nameField.optional(), role: roleField.optional() })
    .refine(({ name, role }) => name !== undefined || role !== undefined, 'Send name, role or both.')
    .meta({ id: 'UserChange' }),
  responses: { 200: { description: 'The user after the change.', json: user } },
  errors: [400, 404, 409, 413],
  async handle({ principal, params: { id }, body }, { accounts, limits }: Services) {
    const changed = await accounts.changeUser(principal, id, body);
    const own = await limits.list(principal, [id]);
    return renderUser(changed, own.get(id) ?? NO_LIMITS);
  },
});

const removeUser = defineRoute({
  method: 'delete',
  path: '/api/users/{id}',
  summary: 'Remove a user, with all tokens and sessions.',
  access: 'operator',
  params: z.object({ id: z.string() }),
  responses: { 204: { description: 'The user is removed.' } },
  errors: [404],
  async handle({ principal, params }, { accounts }: Services) {
    await accounts.removeUser(principal, params.id);
  },
});

const getLimits = defineRoute({
  method: 'get',
  path: '/api/users/{id}/limits',
  summary: 'Get how much a user may spend in a day, instead of the default limits.',
  access: 'operator',
  params: z.object({ id: z.string().describe('The id of a user; `operator`, or a webhook user.') }),
  responses: { 200: { description: "The user's limits.", json: spendingLimits } },
  async handle({ principal, params: { id } }, { limits }: Services) {
    return renderAs(spendingLimits, (await limits.list(principal, [id])).get(id) ?? NO_LIMITS);
  },
});

const setLimits = defineRoute({
  method: 'put',
  path: '/api/users/{id}/limits',
  summary: 'Set how much a user may spend in a day, instead of the default limits.',
  access: 'operator',
  params: z.object({ id: z.string() }),
  body: spendingLimits,
  responses: { 200: { description: "The user's limits.", json: spendingLimits } },
  errors: [400, 404, 413],
  async handle({ principal, params, body }, { limits }: Services) {
    await limits.set(principal, params.id, readFields(body));
    return body;
  },
});

export const userRoutes = [addUser, listUsers, changeUser, removeUser, getLimits, setLimits];

const renderUser = (found: User, limits: SpendingLimits): z.infer<typeof user> =>
  renderAs(user, found, { limits: renderAs(spendingLimits, limits) });
