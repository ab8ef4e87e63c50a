import type { Config } from '#config/config.ts';
import { describeStrength, packagesFor } from '#sandbox/describe-strength.ts';
import type { Strength } from '#sandbox/sandbox.ts';
import { createSandboxes } from '#sandbox/sandboxes.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Whether the agent can run code here, and what protects the machine from it. It is tried. */
export async function checkSandbox({ sandbox }: Pick<Config, 'sandbox'>, look = probeHere): Promise<Finding[]> {
  const check = 'code';
  if (!sandbox.enabled) return [ok(check, 'No code runs, because SANDBOX is off. The agent works with files only.')];
  const strength = await look(sandbox);
  const said = describeStrength(strength);
  if (strength.why !== undefined)
    return [warning(check, said, sandbox.runners.length > 0 ? MEND_RUNNERS : MEND_BUBBLEWRAP)];
  const packages = packagesFor(strength.environment?.missing ?? []);
  if (packages.length === 0) return [ok(check, said)];
  const where = strength.rung === 'runners' ? ' in the image of the runners' : '';
  return [
    warning(check, said, `Install what the agent should have${where}, such as \`apt install ${packages.join(' ')}\`.`),
  ];
}

async function probeHere({ requires, runners }: Config['sandbox']): Promise<Strength> {
  const sandboxes = createSandboxes({ requires, runners });
  try {
    return await sandboxes.strength();
  } finally {
    await sandboxes.close();
  }
}

const MEND_BUBBLEWRAP =
  'On Linux, install bubblewrap 0.8 or later and Python 3 (`apt install bubblewrap python3`), and allow user namespaces; elsewhere, start runners and set SANDBOX_RUNNERS: docs/operate/code.md says how. Or set SANDBOX=off; the agent then works with files only.';
const MEND_RUNNERS =
  'Start the runners as docs/operate/code.md says, look at their logs, and allow this machine to reach their port. Or set SANDBOX=off; the agent then works with files only.';
