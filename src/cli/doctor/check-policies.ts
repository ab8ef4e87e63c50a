import { asksAfterOthers } from '#agent/gates/asks-after-others.ts';
import type { KnownTool } from '#agent/gates/known-tools.ts';
import { listPolicies, type ToolPolicy } from '#agent/gates/policy-settings.ts';
import type { Database } from '#store/connection.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { findUnattendedCalls } from '#store/system/unattended-calls.ts';
import { type Finding, warning } from './finding.ts';

const DAYS = 30;

/**
 * Tools that the operator allowed, and that webhooks or missions used lately: after text by others their calls wait for an
 * approval, although the person is absent. Policies are never widened by themselves.
 */
export async function checkPolicies(
  db: Database,
  system: SystemConnection,
  known: readonly KnownTool[],
): Promise<Finding[]> {
  const asking = (await listPolicies(db)).filter((policy) => policy.level === 'allow' && asks(policy, known));
  const used = await findUnattendedCalls(system, { tools: asking.map(({ tool }) => tool), days: DAYS });
  return used.map((tool) =>
    warning(
      'policies',
      `Webhooks or missions used ${tool} in the last ${DAYS} days. It is at allow, but after text by others its calls wait for an approval.`,
      `If it may run then, too: reborn policy set ${tool} allow --after foreign`,
    ),
  );
}

function asks(policy: ToolPolicy, known: readonly KnownTool[]): boolean {
  const tool = known.find(({ name }) => name === policy.tool);
  return tool !== undefined && asksAfterOthers(tool, policy);
}
