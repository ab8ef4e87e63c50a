import { createWebhookRoutes, type WebhookRoutes } from '#agent/administration/webhook-routes.ts';
import { parseTemplate } from '#channels/webhook/events/message-template.ts';
import { checkVerifier } from '#channels/webhook/events/verify-event.ts';
import type { VerifierKind } from '#domain/webhook/webhook-route.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import { askingSecrets } from '../ask-secret.ts';
import { COMMAND_LINE, withDatabase } from '../connect/with-database.ts';
import { printLine, printRecord, printTable } from '../print.ts';

type AddOptions = {
  readonly verify: VerifierKind;
  readonly user: string;
  readonly message: string;
  readonly conversation?: string;
  readonly header?: string;
};

const NAME = /^[\w-]{1,64}$/;

export function addRoute(name: string, { verify, user, message, conversation, header }: AddOptions): Promise<void> {
  return withRoutes(async (routes) => {
    if (!NAME.test(name)) throw new Error('A name has 1 to 64 letters, digits, dashes and underscores.');
    for (const template of [message, conversation]) if (template !== undefined) parseTemplate(template);
    const terminal = { input: process.stdin, output: process.stderr };
    const secret = await askingSecrets(terminal, (ask) => ask(`The secret of ${verify}`));
    if (!secret) throw new Error('No secret was given. Type it, or pipe it in.');
    checkVerifier({ kind: verify, secret, ...(header !== undefined && { header }) });
    await routes.add(
      {
        name,
        verifier: verify,
        header: header?.toLowerCase() ?? null,
        webhookUser: user,
        message,
        conversation: conversation ?? null,
      },
      secret,
      COMMAND_LINE.userId,
    );
    printLine(`Added. Let the sender post to /webhook/events/${name} on the webhook channel.`);
  });
}

export function listRoutes({ json }: { json?: true }): Promise<void> {
  return withRoutes(async (routes) => {
    const found = await routes.list();
    if (json) return printRecord(found);
    if (found.length === 0) return printLine('There are no routes. Add one with `reborn webhook route add`.');
    printTable([
      ['name', 'verify', 'user', 'message'],
      ...found.map(({ name, verifier, webhookUser, message }) => [
        name,
        verifier,
        webhookUser,
        message.replaceAll('\n', ' '),
      ]),
    ]);
  });
}

export function removeRoute(name: string): Promise<void> {
  return withRoutes(async (routes) => {
    await routes.remove(name, COMMAND_LINE.userId);
    printLine('Removed. Its events are refused from now on.');
  });
}

function withRoutes(act: (routes: WebhookRoutes) => Promise<void>): Promise<void> {
  return withDatabase(async ({ db, config }) => {
    const { secrets } = await openSecrets(db, config);
    await act(createWebhookRoutes(db, secrets));
  });
}
