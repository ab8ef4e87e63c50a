import { type Config, readConfig, wantsColour } from '#config/config.ts';
import { ConfigError } from '#config/config-error.ts';
import { createColours } from '#terminal/screen/colours.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { findService } from '../connect/running-service.ts';
import { printJson, printLine, printMarked } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { tryModel } from '../setup/try-model.ts';
import { checkChannels } from './check-channels.ts';
import { checkDatabase } from './check-database.ts';
import { checkDisk, checkPermissions } from './check-home.ts';
import { checkPorts } from './check-ports.ts';
import { checkQuarantine } from './check-quarantine.ts';
import { checkSandbox } from './check-sandbox.ts';
import { checkStored } from './check-stored.ts';
import { checkWall } from './check-wall.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

type Options = { readonly json?: true; readonly offline?: true };

/** `reborn doctor`: checks everything the service needs and says how to fix it. Exits with 1 if there are problems. */
export function doctor({ json, offline }: Options): Promise<void> {
  return runCommand(async () => {
    const findings = await examine(offline ?? false);
    if (json) printJson(findings);
    else for (const finding of findings) printFinding(finding);
    const count = (wanted: Finding['level']) => findings.filter(({ level }) => level === wanted).length;
    const [problems, warnings] = [count('problem'), count('warning')];
    const isSound = problems + warnings === 0;
    if (!json) printLine(isSound ? 'All checks passed.' : `Problems: ${problems}, warnings: ${warnings}.`);
    if (problems > 0) process.exitCode = 1;
  });
}

export async function examine(offline: boolean): Promise<Finding[]> {
  const versions = ok(
    'versions',
    `Reborn ${packageJson.version} on Node ${process.versions.node}, ${process.platform}.`,
  );
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [versions, ...error.problems.map((wrong) => problem('settings', wrong, MEND_SETTINGS))];
  }
  const running = await findService(config);
  const channels = await checkChannels(config, running, offline);
  const stored = { offline, areChannelsTested: channels.length > 0 };
  return [
    versions,
    ok('settings', 'Every setting can be read. `reborn config` lists them.'),
    ...(await checkPermissions(config.home)),
    ...(await checkDisk(config.home)),
    ...(await checkPorts(config, running !== undefined)),
    ...(await checkDatabase(config, (db, system) => checkStored(db, system, config, stored))),
    ...(await checkWall(config.toolJailRequires)),
    ...(await checkSandbox(config)),
    ...(await checkQuarantine(config, running)),
    ...channels,
    ...(await checkModel(config, offline)),
  ];
}

const MEND_SETTINGS = 'Correct it in the environment, with `reborn config set`, or run `reborn init`.';

export async function checkModel({ model }: Config, offline: boolean): Promise<Finding[]> {
  const check = 'model';
  if (model.provider === 'demo')
    return [warning(check, 'No model is set, so the demo model answers.', 'Run `reborn init`.')];
  if (offline) return [ok(check, `${model.name} by ${model.provider}; not asked, because of --offline.`)];
  const outcome = await tryModel(model);
  if ('said' in outcome) return [ok(check, `The model ${model.name} (${model.provider}) answers.`)];
  const mend = /\b40[13]\b/.test(outcome.failure)
    ? 'The key is wrong, or not allowed to use this model. Run `reborn init` to enter it again.'
    : 'Run `reborn init` to set another model, or try again later.';
  return [problem(check, outcome.failure, mend)];
}

const MARKS = { ok: 'ok', warning: 'warning', problem: 'PROBLEM' } as const;

function printFinding({ check, level, message, mend }: Finding): void {
  const { done, waiting, failed } = createColours(wantsColour() && process.stdout.isTTY);
  const paint = { ok: done, warning: waiting, problem: failed }[level];
  const [first = '', ...more] = [message, ...(mend ? [mend] : [])].flatMap(wrapWords);
  printMarked(paint(MARKS[level].padEnd(7)), `  ${check.padEnd(11)}  ${first}`);
  for (const line of more) printLine(' '.repeat(INDENT) + line);
}

const INDENT = 22;

/** Lines that fit beside the names of the checks; a pipe has no width, and gets each sentence on one line. */
function wrapWords(text: string): string[] {
  const room = process.stdout.isTTY ? Math.max(20, process.stdout.columns - INDENT) : Number.POSITIVE_INFINITY;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= room) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
