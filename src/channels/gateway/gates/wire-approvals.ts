import { z } from 'zod';

export const approvalList = z
  .strictObject({
    approvals: z.array(
      z.strictObject({
        id: z.uuid(),
        user_id: z.string(),
        tool: z.string(),
        /** The arguments it covers, a line for each value. */
        shape: z.array(z.string()),
        created_at: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: 'ApprovalList' });
