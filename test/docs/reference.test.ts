import path from 'node:path';
import { expect, test } from 'vitest';
import { ENGINE_PAGE, enginePage } from '../../scripts/engine-page/engine-page.ts';
import { apiPage } from '../../scripts/reference/api.ts';
import { capabilitiesPage } from '../../scripts/reference/capabilities.ts';
import { clientApi } from '../../scripts/reference/client-api.ts';
import { commandsPage } from '../../scripts/reference/commands.ts';
import { configurationPage } from '../../scripts/reference/configuration.ts';
import { createFieldsPage } from '../../scripts/reference/create-fields.ts';
import { errorsPage } from '../../scripts/reference/errors.ts';

/** `npm run reference` updates the pages; without it, a page that differs from the code fails. */
test.each([
  ['api', apiPage],
  ['capabilities', capabilitiesPage],
  ['commands', commandsPage],
  ['configuration', configurationPage],
  ['create-fields', createFieldsPage],
  ['errors', errorsPage],
])('docs/reference/%s.md matches the code', async (name, makePage) => {
  await expect(await makePage()).toMatchFileSnapshot(path.resolve(`docs/reference/${name}.md`));
});

test('client/src/api.ts matches the route definitions', async () => {
  await expect(clientApi()).toMatchFileSnapshot(path.resolve('client/src/api.ts'));
});

test('docs/decisions/engine.md has the results of the benchmark, and counts the lines of the engine', async () => {
  await expect(await enginePage()).toMatchFileSnapshot(ENGINE_PAGE);
});
