import type { Config } from '#config/config.ts';
import { describeStrength, packagesFor } from '#sandbox/describe-strength.ts';
import type { Strength } from '#sandbox/sandbox.ts';
import { createSandboxes } from '#sandbox/sandboxes.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Whether the agent can run code here, and what protects the machine from it. It is tried. */
export async function checkSandbox({ sandbox }: Pick<Config, 'sandbox'>, look = probeHere): Promise<Finding[]> {
  const check = 'code';
  if (!sandbox.enabled) return [ok(check, 'No code runs, because SANDBOX is off. The agent works with files only.')];
  const strength = await look(sandbox.requires);
  const said = describeStrength(strength);
  if (strength.why !== undefined) return [warning(check, said, MEND)];
  const packages = packagesFor(strength.environment?.missing ?? []);
  if (packages.length === 0) return [ok(check, said)];
  return [warning(check, said, `Install what the agent should have, such as \`apt install ${packages.join(' ')}\`.`)];
}

async function probeHere(requires: Config['sandbox']['requires']): Promise<Strength> {
  const sandboxes = createSandboxes({ requires });
  try {
    return await sandboxes.strength();
  } finally {
    await sandboxes.close();
  }
}

const MEND =
  'On Linux, install bubblewrap 0.8 or later and Python 3 (`apt install bubblewrap python3`), and allow user namespaces: docs/operate/code.md says how. Or set SANDBOX=off; the agent then works with files only.';
