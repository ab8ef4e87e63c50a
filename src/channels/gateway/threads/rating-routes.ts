import { z } from 'zod';
import type { Ratings } from '#agent/threads/ratings.ts';
import type { Accounts } from '#auth/accounts.ts';
import type { TurnId } from '#domain/ids.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { nextCursor, pageQuery } from '../page.ts';
import { threadParams } from './thread-shape.ts';

type Services = { readonly ratings: Ratings };

const params = z.object({ id: uuid<TurnId>('This turn does not exist.') });
const value = z.enum(['good', 'bad'], 'rating must be good or bad.');

const rating = z
  .strictObject({ turn_id: z.uuid(), rating: value, reason: z.string().nullable(), updated_at: z.iso.datetime() })
  .meta({ id: 'Rating' });

const putRating = defineRoute({
  method: 'put',
  path: '/api/turns/{id}/rating',
  summary: 'Rate the answer of a turn. Operators see the rating and its reason, but not the answer.',
  params,
  body: z
    .strictObject({
      rating: value,
      reason: z
        .string('reason must be a string.')
        .trim()
        .max(1000, 'reason may have 1,000 characters.')
        .nullish()
        .describe('Why, for the operators.'),
    })
    .meta({ id: 'NewRating' }),
  responses: { 200: { description: 'The rating, which replaces an earlier one.', json: rating } },
  errors: [400, 404, 413],
  async handle({ principal, params: { id: turnId }, body }, { ratings }: Services) {
    return renderAs(rating, await ratings.put(principal, { turnId, rating: body.rating, reason: body.reason || null }));
  },
});

const deleteRating = defineRoute({
  method: 'delete',
  path: '/api/turns/{id}/rating',
  summary: 'Take the rating of a turn back.',
  params,
  responses: { 204: { description: 'The turn has no rating.' } },
  errors: [404],
  async handle({ principal, params: { id } }, { ratings }: Services) {
    await ratings.remove(principal, id);
  },
});

const listOfThread = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/ratings',
  summary: "List the caller's ratings of a thread.",
  params: threadParams,
  responses: {
    200: {
      description: 'The ratings.',
      json: z.strictObject({ ratings: z.array(rating) }).meta({ id: 'ThreadRatings' }),
    },
  },
  errors: [404],
  async handle({ principal, params: { id } }, { ratings }: Services) {
    return { ratings: (await ratings.list(principal, id)).map((found) => renderAs(rating, found)) };
  },
});

const listedRating = rating.extend({
  user_id: z.string(),
  thread_id: z.uuid(),
  title: z.string().nullable().describe('The title of the thread, if its owner or a model gave it one.'),
  model: z.string().nullable().describe('The model that answered.'),
});

const listAll = defineRoute({
  method: 'get',
  path: '/api/ratings',
  summary: 'List the ratings of all users by turn, newest first, without the answers.',
  access: 'operator',
  query: pageQuery(/^[\da-f-]{36}$/),
  responses: {
    200: {
      description: 'A page of ratings.',
      json: z
        .strictObject({
          ratings: z.array(listedRating),
          names: z.record(z.string(), z.string()).describe('The names of their users, by id.'),
          next_cursor: z.string().nullable(),
        })
        .meta({ id: 'RatingList' }),
    },
  },
  errors: [400],
  async handle(
    { principal, query: { limit, cursor } },
    { ratings, accounts }: Services & { readonly accounts: Accounts },
  ) {
    const found = await ratings.listAll(principal, { before: cursor, limit });
    const names = await accounts.namesOf(principal, [...new Set(found.map(({ userId }) => userId))]);
    return {
      ratings: found.map((each) => renderAs(listedRating, each)),
      names: Object.fromEntries(names),
      next_cursor: nextCursor(
        found.map(({ turnId: id }) => ({ id })),
        limit,
      ),
    };
  },
});

export const ratingRoutes = [putRating, deleteRating, listOfThread, listAll];
