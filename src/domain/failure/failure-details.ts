/**
 * The one list of what clients write sentences for: why a turn failed, more exactly than its code, and the values of the
 * sentence. The schema of the API is made from it, and so are the types of the clients.
 */
export const FAILURE_DETAILS = {
  /** `provider`: its name, or the host of a self-hosted server. */
  'model.key_refused': { provider: 'text' },
  'model.no_credit': { provider: 'text' },
  'model.busy': { provider: 'text' },
  'model.unreachable': { host: 'text' },
  'model.not_found': { provider: 'text', model: 'text' },
  'model.too_long': { model: 'text' },
  'model.broken': { provider: 'text', status: 'number' },
  'model.broke_off': { model: 'text' },
  'model.filtered': { provider: 'text' },
  /** `said`: the provider's own words, which no one translates. */
  'model.refused': { provider: 'text', said: 'text' },
  'limit.day': { used: 'number', limit: 'number', unit: 'unit', resets: 'time' },
  'limit.run': { limit: 'number', unit: 'unit' },
  /** `name`: of the assistant or project whose budget it is. */
  'limit.work_run': { name: 'text', limit: 'number', unit: 'unit' },
  'limit.work_day': { name: 'text', limit: 'number', unit: 'unit', resets: 'time' },
  'tool.failed': { tool: 'text' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, keyof Kinds>>>>;

/** What a value can be. `time` is ISO 8601. */
type Kinds = { text: string; number: number; unit: 'tokens' | 'usd'; time: string };

type Table = typeof FAILURE_DETAILS;

export type FailureDetails = {
  [Code in keyof Table]: {
    readonly code: Code;
    readonly values: { readonly [Name in keyof Table[Code]]: Kinds[Table[Code][Name] & keyof Kinds] };
  };
}[keyof Table];
