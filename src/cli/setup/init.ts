import path from 'node:path';
import {
  autocomplete,
  confirm,
  intro,
  isCancel,
  log,
  note,
  outro,
  password,
  select,
  spinner,
  text,
} from '@clack/prompts';
import { explainOptions, findHome, findProblem, readEnvironment } from '#config/config.ts';
import { changeSettings, settingsFile } from '#config/settings-file.ts';
import { findData } from '#database/embedded/runtime/choose-data-folder.ts';
import { isSameAddress } from '#models/bound-keys.ts';
import { isPublicProvider, type ModelProvider, type ModelRoute } from '#models/model-route.ts';
import { PROVIDER_PRESETS, type ProviderPreset } from '#models/provider-presets.ts';
import { toLines } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { describeOffer, findOfferedModels } from './offered-models.ts';
import { tryModel } from './try-model.ts';

/** What is asked for; `undefined` takes it out of the settings. */
type Chosen = {
  readonly LLM_PROVIDER: ModelProvider;
  readonly LLM_MODEL: string | undefined;
  readonly LLM_BASE_URL: string | undefined;
  readonly LLM_API_KEY: string | undefined;
};

class Cancelled extends Error {}

/** `reborn init`: sets the model up. Every step shows what is set now, and Enter keeps it; running it again changes it. */
export function init(): Promise<void> {
  return runCommand(async () => {
    if (!process.stdin.isTTY || !process.stdout.isTTY)
      throw new Error(
        'init asks questions, so it needs a terminal. Set LLM_PROVIDER, LLM_MODEL and LLM_API_KEY in the environment, or with `reborn config set`.',
      );
    try {
      await setUp(findHome());
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      outro('Nothing was changed.');
      process.exitCode = 1;
    }
  });
}

async function setUp(home: string): Promise<void> {
  intro('Reborn: choose a model');
  warnOfEnvironment();
  let chosen = currentlyChosen();
  do chosen = await choose(chosen);
  while (await wantsAnotherTry(chosen));
  await changeSettings(home, chosen);
  note(
    [
      `Settings   ${settingsFile(home)} (yours alone to read)`,
      `Everything ${home}`,
      `Database   ${readEnvironment()['DATABASE_URL'] ? 'named by DATABASE_URL' : await describeData(home)}`,
      'Other options: reborn config',
    ].join('\n'),
    'Where things are',
  );
  outro('Done. Start the chat with `reborn`, or the service with `reborn serve`.');
}

/** For root, it may be outside the home. */
async function describeData(home: string): Promise<string> {
  return (await findData(home)) ?? (process.getuid?.() === 0 ? NEW_FOR_ROOT : path.join(home, 'postgres-18'));
}

const NEW_FOR_ROOT = "in that folder or, if its user can't enter it, below /var/lib/reborn";

/** A value in the environment would go before what is kept here. */
function warnOfEnvironment(): void {
  const hidden = explainOptions().filter(({ name, source }) => name.startsWith('LLM_') && source === 'environment');
  if (hidden.length > 0)
    log.warn(
      `Set in the environment, which takes precedence over what you choose here: ${hidden.map(({ name }) => name).join(', ')}.`,
    );
}

function currentlyChosen(): Chosen {
  const env = readEnvironment();
  return {
    LLM_PROVIDER: (env['LLM_PROVIDER'] as ModelProvider | undefined) ?? 'openai',
    LLM_MODEL: env['LLM_MODEL'],
    LLM_BASE_URL: env['LLM_BASE_URL'],
    LLM_API_KEY: env['LLM_API_KEY'],
  };
}

async function choose(before: Chosen): Promise<Chosen> {
  const current = findChosen(before);
  const chosen = await answered(
    select({
      message: 'Provider',
      initialValue: current,
      maxItems: 14,
      options: [
        ...PROVIDER_PRESETS.map(({ name, title }) => ({ value: name, label: title })),
        { value: OWN, label: 'Another server with the API of OpenAI', hint: 'needs its address' },
        { value: 'demo', label: 'Demo model (offline)', hint: 'no key needed' },
      ],
    }),
  );
  if (chosen === 'demo')
    return { LLM_PROVIDER: chosen, LLM_MODEL: undefined, LLM_BASE_URL: undefined, LLM_API_KEY: undefined };
  const preset = PROVIDER_PRESETS.find(({ name }) => name === chosen);
  const provider = preset?.provider ?? 'openai-compatible';
  const same = chosen === current;
  const baseUrl = await findAddress(preset, same ? before.LLM_BASE_URL : undefined);
  const key = await askForKey(provider, same ? before.LLM_API_KEY : undefined);
  const model = await askForModel({ provider, baseUrl, apiKey: key }, same ? before.LLM_MODEL : undefined);
  return { LLM_PROVIDER: provider, LLM_MODEL: model, LLM_BASE_URL: baseUrl, LLM_API_KEY: key };
}

/** What the list of providers calls the one that is set. */
function findChosen({ LLM_PROVIDER: provider, LLM_BASE_URL: baseUrl }: Chosen): string {
  if (provider === 'demo') return provider;
  const preset = PROVIDER_PRESETS.find((each) => each.isFixed && isSameAddress(each, { provider, baseUrl }));
  return preset?.name ?? OWN;
}

async function findAddress(
  preset: ProviderPreset | undefined,
  before: string | undefined,
): Promise<string | undefined> {
  if (preset?.isFixed) return isPublicProvider(preset.name) ? undefined : preset.baseUrl;
  return askFor('LLM_BASE_URL', 'Address', before ?? preset?.baseUrl ?? 'http://localhost:11434/v1');
}

/** No preset has this name. */
const OWN = 'own';

/** One of the models that the provider lists, or a name that is typed. */
async function askForModel(route: Omit<ModelRoute, 'name'>, before: string | undefined): Promise<string> {
  const typed = () => askFor('LLM_MODEL', "Model, in the provider's own spelling", before);
  const waiting = spinner();
  waiting.start('Asking for the list of models');
  const offered = await findOfferedModels(route);
  if (offered.problem === undefined) waiting.stop(describeOffer(offered));
  else waiting.error(toLines(offered.problem));
  if (offered.models.length === 0) return typed();
  const picked = await answered(
    autocomplete({
      message: 'Model (type to search)',
      maxItems: 10,
      ...(before && { initialValue: before }),
      options: [
        ...offered.models.map(({ id, contextTokens }) => ({
          value: id,
          label: id,
          ...(contextTokens && { hint: `${contextTokens.toLocaleString('en')} tokens` }),
        })),
        { value: OTHER, label: 'Another model', hint: 'type its name' },
      ],
    }),
  );
  return picked === OTHER ? typed() : picked;
}

/** No model has this name. */
const OTHER = '';

async function askFor(name: string, message: string, before: string | undefined): Promise<string> {
  const answer = await answered(
    text({
      message,
      ...(before && { initialValue: before }),
      validate: (value) => (value?.trim() ? findProblem(name, value.trim()) : 'It is needed.'),
    }),
  );
  return answer.trim();
}

async function askForKey(provider: ModelProvider, before: string | undefined): Promise<string | undefined> {
  const hint = before
    ? 'Enter keeps the one that is set'
    : provider === 'openai-compatible'
      ? 'Enter for none'
      : 'hidden';
  const answer = await answered(password({ message: `Key (${hint})`, validate: (value) => keyProblem(value) }));
  return answer?.trim() || before;
}

const keyProblem = (value: string | undefined) =>
  value?.trim() ? findProblem('LLM_API_KEY', value.trim()) : undefined;

/** The test is a real call, so that a wrong key is found now. It can be skipped, and a failed test does not prevent saving. */
async function wantsAnotherTry(chosen: Chosen): Promise<boolean> {
  if (chosen.LLM_PROVIDER === 'demo') return false;
  if (!(await answered(confirm({ message: 'Try it with one small, real call?' })))) return false;
  const waiting = spinner();
  waiting.start('Asking the model');
  const outcome = await tryModel(routeOf(chosen));
  if ('said' in outcome) {
    waiting.stop('The model answers.');
    return false;
  }
  waiting.error(toLines(outcome.failure));
  return answered(
    select({
      message: 'What now?',
      options: [
        { value: true, label: 'Choose again' },
        { value: false, label: 'Keep it as it is' },
      ],
    }),
  );
}

function routeOf({ LLM_PROVIDER, LLM_MODEL = '', LLM_BASE_URL, LLM_API_KEY }: Chosen): ModelRoute {
  return { provider: LLM_PROVIDER, name: LLM_MODEL, baseUrl: LLM_BASE_URL, apiKey: LLM_API_KEY };
}

async function answered<T>(prompt: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await prompt;
  if (isCancel(answer)) throw new Cancelled();
  return answer as Exclude<T, symbol>;
}
