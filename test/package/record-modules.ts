import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Preloaded into the service by a test: records the URL of every module that the process loads, without its children.
const isService = process.argv[1]?.endsWith('reborn.js') === true;
const list = process.env['LOADED_MODULES'] ?? '';
registerHooks({
  load(url, context, nextLoad) {
    if (isService && url.startsWith('file:')) appendFileSync(list, `${url}\n`);
    return nextLoad(url, context);
  },
});
