import type { FailureDetails, TurnFailure } from '@reborn-agent/client/api';

/** What a person can do about a failure. */
export type Ways = {
  /** The page of the settings that helps; for those who may see it. */
  readonly settings?: SettingsPage;
  /** The same message and model may work the next time. */
  readonly again?: true;
  /** Another model may answer. */
  readonly other?: true;
  /** It may work with a summary in place of the earlier messages. */
  readonly shorter?: true;
};

export type SettingsPage = 'key' | 'server' | 'models' | 'users' | 'missions';

/** A failure whose details say nothing about that can be tried again. */
export function waysOf(failure: TurnFailure | undefined): Ways {
  const code = failure?.details?.code ?? '';
  if (failure?.details?.code === 'limit.day' && Date.parse(failure.details.values.resets) < Date.now())
    return { again: true };
  if (Object.hasOwn(WAYS, code)) return WAYS[code as FailureDetails['code']];
  if (failure?.code === 'model_not_configured') return { settings: 'models', again: true, other: true };
  if (failure?.code === 'model_error') return { again: true, other: true };
  return { again: true };
}

const WAYS: Readonly<Record<FailureDetails['code'], Ways>> = {
  'model.key_refused': { settings: 'key', other: true, again: true },
  'model.no_credit': { settings: 'models', other: true, again: true },
  'model.busy': { again: true, other: true },
  'model.unreachable': { settings: 'server', again: true, other: true },
  'model.not_found': { settings: 'models', other: true },
  'model.too_long': { shorter: true, other: true },
  'model.broken': { again: true, other: true },
  'model.broke_off': { again: true, other: true },
  'model.filtered': { other: true },
  'model.refused': { again: true, other: true },
  'limit.day': { settings: 'users', again: true },
  'limit.run': { settings: 'missions' },
  'limit.work_run': { again: true },
  'limit.work_day': { again: true },
  'tool.failed': { again: true },
};
