import path from 'node:path';
import { type KnownTool, readKnownTools } from '#agent/gates/known-tools.ts';
import { createMissions } from '#agent/missions/missions.ts';
import type { Config } from '#config/config.ts';
import { createDocuments } from '#documents/documents.ts';
import { createMemory } from '#memory/memory.ts';
import { listChatAccounts } from '#store/chats/accounts.ts';
import type { Database } from '#store/connection.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { listTools } from '#store/tools/tools.ts';
import { documentTools } from '#tools/builtin/documents/document-tools.ts';
import { fileTools } from '#tools/builtin/files/file-tools.ts';
import { memoryTools } from '#tools/builtin/memory-tools.ts';
import { missionTools } from '#tools/builtin/mission-tools.ts';
import { parseCapabilities } from '#tools/component/capabilities/parse-capabilities.ts';
import { builtinTools } from '#tools/registry.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import { createSkills } from '#tools/skills/skills.ts';
import { checkBucket } from './check-bucket.ts';
import { checkDeliveries } from './check-deliveries.ts';
import { checkMoves } from './check-moves.ts';
import { checkPolicies } from './check-policies.ts';
import { checkTransactions } from './check-transactions.ts';
import { type Finding, ok, problem, reasonOf, warning } from './finding.ts';

/** Whether what the database keeps can be used: secrets with the key that is here, the installed tools, attachments and so on. */
export async function checkStored(
  db: Database,
  system: SystemConnection,
  config: Config,
  { offline, areChannelsTested }: { readonly offline: boolean; readonly areChannelsTested: boolean },
): Promise<Finding[]> {
  return [
    ...(await checkTransactions(system)),
    ...(await checkKey(db, config)),
    ...(await checkTools(db, config)),
    ...(await checkPolicies(db, system, await listKnownTools(db, system, config))),
    ...(areChannelsTested ? [] : await checkRecorded(db)),
    ...(await checkDeliveries(system)),
    ...(await checkMoves(system)),
    ...(await checkBucket(config, system, offline)),
  ];
}

function listKnownTools(db: Database, system: SystemConnection, config: Config): Promise<KnownTool[]> {
  const noEgress = { send: () => Promise.reject(new Error('No tool is called here.')) };
  const skills = createSkills(db, path.join(config.home, 'skills'), () => {});
  const notRead = () => Promise.reject(new Error('No document is read here.'));
  const documents = createDocuments({ db, extract: notRead, draw: notRead, read: notRead });
  const fixed = [
    ...builtinTools({ egress: noEgress, extract: notRead }, skills),
    ...memoryTools(createMemory(db)),
    ...missionTools(createMissions(db)),
    ...fileTools(documents),
    ...documentTools(documents),
  ];
  return readKnownTools(fixed, db, system);
}

async function checkKey(db: Database, config: Config): Promise<Finding[]> {
  const check = 'keys';
  try {
    const { secrets, key } = await openSecrets(db, config);
    const wrong = await secrets.findKeyProblem();
    if (wrong) return [problem(check, wrong, 'Set SECRETS_KEY to the key that the secrets were stored with.')];
    return [ok(check, `Stored secrets can be read; their key comes from the ${key.source}.`)];
  } catch (error) {
    return [problem(check, reasonOf(error), 'Restore the key from a backup, or set SECRETS_KEY.')];
  }
}

/** What the platforms last said to a service. It is known even if none runs now. */
async function checkRecorded(db: Database): Promise<Finding[]> {
  const check = 'channels';
  const accounts = await listChatAccounts(db);
  const broken = accounts.filter(({ lastError }) => lastError !== null);
  if (accounts.length === 0) return [];
  if (broken.length === 0)
    return [ok(check, `${accounts.map(({ name }) => name).join(', ')}: no problem is recorded.`)];
  return broken.map(({ id, name, lastError }) =>
    warning(
      check,
      `${name}: ${lastError}`,
      `Run \`reborn channel test ${id}\`. If the token is wrong, remove the channel and add it again.`,
    ),
  );
}

async function checkTools(db: Database, config: Config): Promise<Finding[]> {
  const check = 'tools';
  const tools = await listTools(db);
  const { secrets } = await openSecrets(db, config);
  const findings: Finding[] = [];
  for (const { name, capabilities } of tools) {
    const { setup } = parseCapabilities(capabilities);
    for (const { name: secret, optional } of setup.requiredSecrets)
      if (!optional && !(await secrets.exists('everyone', secret)))
        findings.push(warning(check, `The tool ${name} lacks the secret ${secret}.`, `Run: reborn tool setup ${name}`));
  }
  return findings.length > 0
    ? findings
    : [ok(check, tools.length === 0 ? 'No tools are installed.' : `${tools.length} installed and ready.`)];
}
