import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Preloaded into the service by a test: writes the address of every file that is loaded as a module.
const list = process.env['LOADED_MODULES'] ?? '';
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) appendFileSync(list, `${url}\n`);
    return nextLoad(url, context);
  },
});
