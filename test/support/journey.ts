import { test as base } from 'vitest';
import type { Parts } from '#app/parts.ts';
import { freshHome } from './fresh-home.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';
import { type Service, startService } from './service.ts';

/**
 * A test against a running service. The model, the home folder and the service start when a test first needs them, serve the
 * whole file, and are closed after it. A file changes them with `override`. Each file makes its own: a change to one that several
 * files of a process share would reach them all.
 */
export const journey = () =>
  base
    .extend('modelOptions', { scope: 'file' }, {} as Parameters<typeof startScriptedModel>[0])
    .extend('model', { scope: 'file' }, async ({ modelOptions }, { onCleanup }) => {
      const model = await startScriptedModel(modelOptions);
      onCleanup(() => model.close());
      return model;
    })
    .extend('homeOptions', { scope: 'file' }, {} as Parameters<typeof freshHome>[0])
    .extend('home', { scope: 'file' }, async ({ homeOptions }, { onCleanup }) => {
      const home = await freshHome(homeOptions);
      onCleanup(() => home.remove());
      return home;
    })
    .extend('settings', { scope: 'file' }, {} as Record<string, string>)
    .extend('parts', { scope: 'file' }, {} as Parts)
    /** The environment of every service in this file. */
    .extend('env', { scope: 'file' }, ({ home, model, settings }): Record<string, string> => {
      return { ...home.env, ...settingsFor(model), ...settings };
    })
    /** Starts another service on the same database. A test closes it if others must not share the work with it. */
    .extend('startAnother', { scope: 'file' }, ({ env, parts }, { onCleanup }) => {
      const running = new Set<Service>();
      onCleanup(async () => {
        for (const service of running) await service.close();
      });
      const start: StartAnother = async (more = {}, others = parts) => {
        const service = await startService({ ...env, ...more }, others);
        running.add(service);
        const close = async () => void (running.delete(service) && (await service.close()));
        return { ...service, close };
      };
      return start;
    })
    .extend('service', { scope: 'file' }, ({ startAnother }) => startAnother());

export type StartAnother = (more?: Record<string, string>, parts?: Parts) => Promise<Service>;

/** The settings that make a service use `model`. */
export const settingsFor = (model: Pick<ScriptedModel, 'url'>) => ({
  LLM_PROVIDER: 'openai-compatible',
  LLM_MODEL: 'scripted',
  LLM_BASE_URL: model.url,
});
