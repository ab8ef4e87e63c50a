/** What the matrix asks of every client, as the rows of the table. */
export const FEATURES = [
  'answers a message',
  'answers under the alias `/v1`',
  'streams an answer',
  'goes on from `previous_response_id`',
  'runs tools by `previous_response_id`',
  'runs tools and replays the history',
  'runs tools while streaming',
  'retrieves a response',
  'cancels a background response',
  'resumes a background stream',
  'tells of a failed turn',
  'tells of a failed stream',
  'lists input items',
  'lists models',
  'knows 400',
  'knows 401',
  'knows 404',
  'knows 429',
] as const;

export type Feature = (typeof FEATURES)[number];

/** A service as a client's settings name it. */
export type Target = { readonly baseURL: string; readonly apiKey: string };

export type Targets = {
  /** Under `/api/v1`. */
  readonly service: Target;
  /** The same one under `/v1`. */
  readonly alias: Target;
  /** The same one with a token that nobody has. */
  readonly stranger: Target;
  /** An address at which it has nothing. */
  readonly nowhere: Target;
  /** Another one, which takes two messages a minute. */
  readonly limited: Target;
};

/** Resolves when the client can do it, and throws when it can't. */
type Check = (targets: Targets) => Promise<void>;

/** Why the client can't, whatever the service does. */
export type Limit = string;

export type Client = {
  /** The packages that make it up; their versions name it in the table. */
  readonly packages: readonly string[];
  readonly features: Readonly<Record<Feature, Check | Limit>>;
};

export const NO_CALL: Limit = 'The client has no call for this.';
