import { createClient } from '@reborn-agent/client';
import type { ListedChannel } from '@reborn-agent/client/api';
import type { Config } from '#config/config.ts';
import { findOperatorToken, type RunningService } from '../connect/running-service.ts';
import { type Finding, ok, problem, reasonOf, warning } from './finding.ts';

const CHECK = 'channels';

/** Whether the platforms accept the credentials of the chat channels. The running service asks them. */
export async function checkChannels(
  config: Config,
  running: RunningService | undefined,
  offline: boolean,
): Promise<Finding[]> {
  const token = running && !offline && (await findOperatorToken(config));
  if (!running || !token) return [];
  const client = createClient({ url: running.url, token });
  const orWarning = (error: unknown): Finding[] => [
    warning(CHECK, `The service could not test them. ${reasonOf(error)}`, 'Look into its log.'),
  ];

  async function check({ id, channel, name }: ListedChannel): Promise<Finding[]> {
    const { error } = await client.call('POST /api/channels/{id}/test', { params: { id } });
    if (error === null) return [ok(CHECK, `${channel} accepts the credentials of ${name}.`)];
    return [describeFailure(channel, name, error)];
  }
  try {
    const { channels } = await client.call('GET /api/channels');
    return (await Promise.all(channels.map((each) => check(each).catch(orWarning)))).flat();
  } catch (error) {
    return orWarning(error);
  }
}

export function describeFailure(channel: string, name: string, error: string): Finding {
  if (UNREACHED.test(error))
    return problem(CHECK, `${channel} could not be reached for ${name}. ${error}`, 'Check its server and the network.');
  return problem(CHECK, `${channel} did not accept the credentials of ${name}. ${error}`, MEND);
}

/** Codes of the system for a connection that did not come about. */
const UNREACHED =
  /\b(?:ECONN(?:REFUSED|RESET|ABORTED)|E(?:HOST|NET)UNREACH|ETIMEDOUT|ENOTFOUND|EAI_\w+|UND_ERR_\w+|ETIMEOUT|ESOCKET)\b/;

const MEND = 'If the platform is down, try again later. Otherwise remove the channel, and add it with new credentials.';
