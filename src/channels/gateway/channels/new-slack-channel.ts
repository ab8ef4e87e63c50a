import { z } from 'zod';
import { CHAT_MODES } from '#domain/chat/chat.ts';
import { InvalidRequest } from '#domain/errors.ts';

const secret = (pattern: RegExp, problem: string) => z.string(problem).trim().regex(pattern, problem);

export const newSlackChannel = z.strictObject({
  channel: z.literal('slack'),
  token: secret(/^xoxb-[\w-]{10,300}$/, 'token must be the bot token of a Slack app, which begins with xoxb-.'),
  app_token: secret(/^xapp-[\w-]{10,300}$/, 'app_token must be an app-level token of Slack, which begins with xapp-.')
    .optional()
    .describe('Needed for the mode polling, which is Socket Mode on Slack.'),
  signing_secret: secret(/^[\da-f]{16,128}$/i, 'signing_secret must be the signing secret of the Slack app.')
    .optional()
    .describe('Needed for the mode webhook.'),
  mode: z.enum(CHAT_MODES).default('polling'),
  groups: z.boolean().default(false),
});

/** As the Slack port expects them. */
export function slackCredentials({
  mode,
  token,
  app_token: appToken,
  signing_secret: signingSecret,
}: z.infer<typeof newSlackChannel>): string {
  if (mode === 'polling' && appToken === undefined)
    throw new InvalidRequest(
      'invalid_request',
      'app_token',
      'Socket Mode needs app_token. Use the mode webhook without it.',
    );
  if (mode === 'webhook' && signingSecret === undefined)
    throw new InvalidRequest('invalid_request', 'signing_secret', 'The mode webhook needs signing_secret.');
  return JSON.stringify({ token, appToken, signingSecret });
}
