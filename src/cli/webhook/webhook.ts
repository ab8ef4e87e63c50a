import { type Command, Option } from 'commander';
import { readConfig } from '#config/config.ts';
import { deriveSigningText, toSigningSecret } from '#domain/webhook/standard-webhooks.ts';
import { VERIFIER_KINDS } from '#domain/webhook/webhook-route.ts';
import { printLine } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { addRoute, listRoutes, removeRoute } from './webhook-route.ts';
import { testWebhook } from './webhook-test.ts';

/** `reborn webhook`: tries the channel out, and tells it of senders that can't shape their body. */
export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('Test and set up the webhook channel.');
  webhook
    .command('test')
    .argument('[message]', 'what to send', 'Say hello.')
    .option('--user <id>', 'in whose name', 'test')
    .option('--url <url>', 'where the channel is; by default where HTTP_HOST and HTTP_PORT say')
    .option('--json', 'print the finished job as JSON')
    .description('Send a message, and show its job until it is completed.')
    .addHelpText('after', '\nExample:\n  reborn webhook test "What time is it?"')
    .action((message: string, options: Parameters<typeof testWebhook>[1]) =>
      runCommand(() => testWebhook(message, options)),
    );
  webhook
    .command('signing-secret')
    .description('Print the secret that verifies callbacks.')
    .option('--whsec', 'in the form that Standard Webhooks libraries want')
    .addHelpText('after', '\nExample:\n  reborn webhook signing-secret --whsec')
    .action((options: { whsec?: true }) => runCommand(async () => showSigningSecret(options)));

  const route = webhook
    .command('route')
    .description('Take events of GitHub, Stripe and others at /webhook/events/<name>.');
  route
    .command('add')
    .argument('<name>', 'the last part of the address')
    .addOption(new Option('--verify <how>', 'how the sender is known').choices(VERIFIER_KINDS).makeOptionMandatory())
    .requiredOption('--user <id>', 'the webhook user in whose name events are taken')
    .requiredOption('--message <template>', 'the message for the agent; {{path.to.field}} inserts a part of the event')
    .option('--conversation <template>', 'events with the same text here continue one conversation')
    .option('--header <name>', 'for shared-secret: the header that carries it')
    .option('--assistant <name>', 'the assistant for everyone that answers')
    .description('Add a route. Its secret is asked for, or read from stdin.')
    .addHelpText(
      'after',
      `\nExample:\n  reborn webhook route add issues --verify github --user triage \\\n    --message 'Triage this issue: {{issue.title}} {{issue.body}}'`,
    )
    .action(addRoute);
  route
    .command('list')
    .option('--json', 'print JSON')
    .description('List the routes.')
    .addHelpText('after', '\nExample:\n  reborn webhook route list --json')
    .action(listRoutes);
  route
    .command('remove')
    .argument('<name>', 'the name of the route')
    .description('Remove a route.')
    .addHelpText('after', '\nExample:\n  reborn webhook route remove issues')
    .action(removeRoute);
}

/** It is made from HTTP_WEBHOOK_SECRET and doesn't give it away: who can check callbacks can't send messages. */
export function showSigningSecret({ whsec }: { whsec?: true }): void {
  const { webhook } = readConfig();
  if (!webhook.enabled) throw new Error('The webhook channel is off. Set HTTP_WEBHOOK_SECRET to what the service has.');
  const text = deriveSigningText(webhook.secret);
  printLine(whsec ? toSigningSecret(text) : text);
}
