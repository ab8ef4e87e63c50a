import type { Config } from '#config/config.ts';
import { callGateway } from '#terminal/service/gateway-calls.ts';
import { findOperatorToken, type RunningService } from '../connect/running-service.ts';
import { type Finding, problem, reasonOf, warning } from './finding.ts';

type ListedTool = { readonly name: string; readonly quarantined_until?: string | null };

/** Whether the service refuses the calls of a tool that crashed too often. Only the process that runs knows of it. */
export async function checkQuarantine(config: Config, running: RunningService | undefined): Promise<Finding[]> {
  const token = running && (await findOperatorToken(config));
  if (!running || !token) return [];
  try {
    const { tools } = (await callGateway({ ...running, token, hasGateway: true }, '/api/tools')) as {
      tools: readonly ListedTool[];
    };
    return tools.flatMap(({ name, quarantined_until: until }) => (until ? [quarantined(name, until)] : []));
  } catch (error) {
    return [warning('tools', `The service did not tell of its tools. ${reasonOf(error)}`, 'Look into its log.')];
  }
}

function quarantined(name: string, until: string): Finding {
  return problem(
    'tools',
    `The tool ${name} crashed too often and is out of use until ${until}.`,
    `Look for "${name}" in the service's log. Install a mended one with: reborn tool install --force, which also ends the wait.`,
  );
}
