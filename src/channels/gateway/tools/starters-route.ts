import { z } from 'zod';
import { type FindStarters, STARTERS } from '#agent/threads/starters.ts';
import { defineRoute } from '#http/routes/define-route.ts';

type Services = { readonly starters: FindStarters };

const starters = z.array(z.enum(STARTERS));

export const startersRoute = defineRoute({
  method: 'get',
  path: '/api/starters',
  summary:
    'List beginnings of a thread that work with the tools and the model that are there. Apps have the words for them.',
  responses: {
    200: {
      description: 'At most three of each.',
      json: z
        .strictObject({
          first: starters.describe(
            'For someone who has no thread yet: complete messages that show what the product does.',
          ),
          later: starters.describe('For everyone else.'),
        })
        .meta({ id: 'Starters' }),
    },
  },
  async handle({ principal }, { starters: find }: Services) {
    const { first, later } = await find(principal);
    return { first: [...first], later: [...later] };
  },
});
