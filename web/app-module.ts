import path from 'node:path';
import { i18n, type Messages } from '@lingui/core';
import { loadConfigFromFile, runnerImport } from 'vite';

const WEB = import.meta.dirname;

/** A module of the app as the build makes it, with texts that can be translated. `file`: below this folder. For tests. */
export async function importAppModule<Module>(file: string): Promise<Module> {
  const found = await loadConfigFromFile({ command: 'build', mode: 'test' }, path.join(WEB, 'vite.config.ts'), WEB);
  const plugins = found?.config.plugins ?? [];
  const { module } = await runnerImport<Module>(`/${file}`, { root: WEB, plugins, logLevel: 'warn' });
  return module;
}

/** From now on, the modules of the app in this process write in this language. */
export async function activateLanguage(locale: string): Promise<void> {
  const { messages } = await importAppModule<{ messages: Messages }>(`locales/${locale}.po`);
  i18n.loadAndActivate({ locale, messages });
}
