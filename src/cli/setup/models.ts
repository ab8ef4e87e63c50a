import type { OfferedModel } from '@reborn-agent/client/api';
import type { Command } from 'commander';
import { withClient } from '../connect/with-client.ts';
import { printJson, printLine, printTable } from '../print.ts';

/** `reborn models`: what `--model` can name. */
export function addModelsCommand(program: Command): void {
  program
    .command('models')
    .option('--json', 'print JSON')
    .description('List the models that can answer.')
    .addHelpText('after', '\nExample:\n  reborn models')
    .action(listModels);
}

function listModels({ json }: { readonly json?: true }): Promise<void> {
  return withClient(async (client) => {
    const { models, chosen } = await client.call('GET /api/models');
    if (json) return printJson(models);
    printTable([
      ['name', 'model', 'context', 'price of a million tokens', ''],
      ...models.map((model) => [
        model.id === 'default' ? (model.route ?? model.id) : model.id,
        `${model.name} (${model.provider})`,
        `${model.context_tokens.toLocaleString('en-US')} tokens`,
        priceOf(model),
        model.problem ?? (model.id === (chosen ?? 'default') ? 'used for new threads' : ''),
      ]),
    ]);
    printLine('`reborn ask --model <name>` uses one of them.');
  });
}

const priceOf = ({ price }: OfferedModel): string =>
  price ? `$${price.input_usd_per_million} in, $${price.output_usd_per_million} out` : 'unknown';
