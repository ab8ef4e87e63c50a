import type { VerifierKind } from '#domain/webhook/webhook-route.ts';
import { askingSecrets } from '../ask-secret.ts';
import { orMissing, withClient } from '../connect/with-client.ts';
import { printJson, printLine, printTable } from '../print.ts';

type AddOptions = {
  readonly verify: VerifierKind;
  readonly user: string;
  readonly message: string;
  readonly conversation?: string;
  readonly header?: string;
  readonly assistant?: string;
};

export function addRoute(name: string, options: AddOptions): Promise<void> {
  const { verify, user, message, conversation, header, assistant } = options;
  return withClient(async (client) => {
    const terminal = { input: process.stdin, output: process.stderr };
    const secret = await askingSecrets(terminal, (ask) => ask(`The secret of ${verify}`));
    if (!secret) throw new Error('No secret was given. Type it, or pipe it in.');
    const more = { header: header ?? null, conversation: conversation ?? null, assistant: assistant ?? null };
    await client.call('POST /api/webhook-routes', {
      body: { name, verifier: verify, webhook_user: user, message, secret, ...more },
    });
    printLine(`Added. Let the sender post to /webhook/events/${name} on the webhook channel.`);
  });
}

export function listRoutes({ json }: { json?: true }): Promise<void> {
  return withClient(async (client) => {
    const { routes } = await client.call('GET /api/webhook-routes');
    if (json) return printJson(routes);
    if (routes.length === 0) return printLine('No routes yet. Add one with `reborn webhook route add`.');
    printTable([
      ['name', 'verify', 'user', 'message'],
      ...routes.map(({ name, verifier, webhook_user: user, message }) => [
        name,
        verifier,
        user,
        message.replaceAll('\n', ' '),
      ]),
    ]);
  });
}

export function removeRoute(name: string): Promise<void> {
  return withClient(async (client) => {
    const missing = `The route "${name}" does not exist. \`reborn webhook route list\` shows all routes.`;
    await orMissing(client.call('DELETE /api/webhook-routes/{name}', { params: { name } }), missing);
    printLine('Removed. Its events are refused from now on.');
  });
}
