import path from 'node:path';
import { expect, test } from 'vitest';
import { apiPage } from '../../scripts/reference/api.ts';
import { capabilitiesPage } from '../../scripts/reference/capabilities.ts';
import { clientApi } from '../../scripts/reference/client-api.ts';
import { commandsPage } from '../../scripts/reference/commands.ts';
import { configurationPage } from '../../scripts/reference/configuration.ts';
import { errorsPage } from '../../scripts/reference/errors.ts';

/** `npm run reference` writes them; without it, a page that says something else fails. */
test.each([
  ['api', apiPage],
  ['capabilities', capabilitiesPage],
  ['commands', commandsPage],
  ['configuration', configurationPage],
  ['errors', errorsPage],
])('docs/reference/%s.md says what the code says', async (name, makePage) => {
  await expect(await makePage()).toMatchFileSnapshot(path.resolve(`docs/reference/${name}.md`));
});

test('client/src/api.ts has the types of every route', async () => {
  await expect(clientApi()).toMatchFileSnapshot(path.resolve('client/src/api.ts'));
});
