import { z } from 'zod';

export const pairingList = z
  .strictObject({
    pairings: z.array(
      z.strictObject({
        /** The webhook user. */
        user_id: z.string(),
        /** The one whose secrets it may use. */
        paired_user_id: z.string(),
        created_at: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: 'PairingList' });
