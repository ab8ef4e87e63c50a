import { z } from 'zod';
import type { Pairings } from '#agent/gates/pairings.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';

type Services = { readonly pairings: Pairings };

const pairing = z.strictObject({
  user_id: z.string().describe('The webhook user.'),
  paired_user_id: z.string().describe('The user whose secrets it may use.'),
  created_at: z.iso.datetime(),
});

const listPairings = defineRoute({
  method: 'get',
  path: '/api/pairings',
  summary: 'List webhook users that may use the secrets of a user.',
  responses: {
    200: {
      description: "The pairings with the caller; for operators, everyone's.",
      json: z
        .strictObject({
          pairings: z.array(pairing),
        })
        .meta({ id: 'PairingList' }),
    },
  },
  async handle({ principal }, { pairings }: Services) {
    const found = await pairings.list(principal);
    return { pairings: found.map((made) => renderAs(pairing, made)) };
  },
});

const removePairing = defineRoute({
  method: 'delete',
  path: '/api/pairings/{user_id}',
  summary: 'Remove the pairing of a webhook user.',
  params: z.object({ user_id: z.string() }),
  responses: { 204: { description: 'The pairing is removed.' } },
  errors: [404],
  async handle({ principal, params }, { pairings }: Services) {
    await pairings.remove(principal, params.user_id);
  },
});

export const pairingRoutes = [listPairings, removePairing];
