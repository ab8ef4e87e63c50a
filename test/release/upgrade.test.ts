import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packPackage } from '../package/installed.ts';
import { hasSource, RELEASES } from '../support/released-source.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { textOf } from '../support/service.ts';
import { canMakeMachines, type Machine, makeMachine } from './empty-machine.ts';
import { startPackageRegistry } from './package-registry.ts';
import { packNative, packReleased } from './packages.ts';
import { walkThroughHomes, walkThroughUpgrade } from './upgrade-journey.ts';

const last = RELEASES.at(-1);

describe.runIf(last && hasSource(last) && canMakeMachines())('on an empty machine', () => {
  let machine: Machine;
  let model: ScriptedModel;

  beforeAll(async () => {
    [machine, model] = [await makeMachine(), await startScriptedModel()];
  });
  afterAll(async () => {
    await model.close();
    await machine.remove();
  });

  test('a thread of the last release continues after an upgrade, after a rollback and from a backup', async () => {
    if (!last) return;
    const [before, now, native] = [await packReleased(last), await packPackage(), await packNative()];
    const registry = await startPackageRegistry([before.tarball, now.tarball, ...native]);
    try {
      const versions = { registry: registry.url, before: before.version, now: now.version };
      const { first, plan, upgraded, rolledBack, bytes } = await walkThroughUpgrade(machine, model, versions);

      expect(textOf(first)).toBe('violet');
      expect(plan).toMatchObject({ rolling: true });
      expect(upgraded).toContain('say violet');
      expect(rolledBack).toContain('say violet');
      expect(bytes).toBeLessThan(125e6);

      const homes = await walkThroughHomes(machine, model, versions, first);
      expect(homes.continued).toContain('say violet');
      expect(homes.answered).toBe('violet');
    } finally {
      registry.close();
    }
  });
});
