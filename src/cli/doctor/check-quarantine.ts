import { createClient } from '@reborn-agent/client';
import type { Config } from '#config/config.ts';
import { findOperatorToken, type RunningService } from '../connect/running-service.ts';
import { type Finding, problem, reasonOf, warning } from './finding.ts';

/** Whether the service refuses the calls of a tool that crashed too often. Only the process that runs knows of it. */
export async function checkQuarantine(config: Config, running: RunningService | undefined): Promise<Finding[]> {
  const token = running && (await findOperatorToken(config));
  if (!running || !token) return [];
  try {
    const { tools } = await createClient({ url: running.url, token }).call('GET /api/tools');
    return tools.flatMap(({ name, quarantined_until: until }) => (until ? [quarantined(name, until)] : []));
  } catch (error) {
    return [warning('tools', `The service did not list its tools. ${reasonOf(error)}`, 'Look into its log.')];
  }
}

function quarantined(name: string, until: string): Finding {
  return problem(
    'tools',
    `The tool ${name} crashed too often and is out of use until ${until}.`,
    `Look for "${name}" in the service's log. Install a fixed version with: reborn tool install --force, which also ends the quarantine.`,
  );
}
