/** One input. The driver makes it, and every engine runs the same body for it. */
export type Input = {
  readonly id: string;
  readonly thread: string;
  /** Whether the thread has had an input before. */
  readonly follows?: boolean;
  /** The third write does not come on this worker until the driver allows it: a model that is slow to answer. */
  readonly hangOn?: string;
  /** It waits for an answer from outside after its second write. */
  readonly hasGate?: boolean;
  /** Inputs of one thread must be run one after the other. Some engines have a slower form for this. */
  readonly isOrdered?: boolean;
};

export type Written = { readonly by: string; readonly text: string };

/** How the body of a turn reaches its engine. */
export type Steps = {
  /** Makes what the step `n` writes, unless an earlier attempt has written it, and writes it. */
  write(n: number, make: () => Promise<Written>): Promise<Written>;
  /** Waits for the answer from outside. */
  wait(): Promise<void>;
};

export type RunBody = (input: Input, steps: Steps) => Promise<Written[]>;

/** An engine inside a worker process. */
export type Hosted = {
  /** Resolves when the input is stored. */
  accept(input: Input): Promise<void>;
  /** Accepts the input and waits for the end of its turn. */
  run(input: Input): Promise<void>;
  /** Called before each burst. */
  makeRoom?(atOnce: number): Promise<void>;
  answer(input: string): Promise<void>;
  /** How many turns wait for an answer, according to the store. */
  countWaiting(): Promise<number>;
  /** Who wrote each of the three steps, according to the store. */
  findWriters(input: string): Promise<(string | undefined)[]>;
  stop(): Promise<void>;
};

export type HostSetup = {
  readonly connection: Connection;
  /** The name of the process. */
  readonly worker: string;
  /** The name that the engine knows the worker by, where it has one. A restarted worker has the same. */
  readonly identity: string;
  /** pg-boss leaves the fence to the application. */
  readonly isFenced: boolean;
  readonly restate?: { readonly ingress: string; readonly admin: string; readonly port: number };
  readonly body: RunBody;
};

export type Connection = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

/** What the module of an engine exports. */
export type EngineModule = { readonly createEngine: (setup: HostSetup) => Promise<Hosted> };

/** What the driver asks a worker for. */
export type Ask =
  | { readonly ask: 'accept'; readonly input: Input }
  | { readonly ask: 'answer' | 'findWriters'; readonly input: string }
  | { readonly ask: 'burst'; readonly atOnce: number; readonly seconds: number }
  | { readonly ask: 'openGates'; readonly count: number }
  | { readonly ask: 'answerGates'; readonly count: number }
  | { readonly ask: 'countWaiting' | 'release' | 'stop' };

/** What a worker tells by itself. */
export type Note = {
  readonly note: 'ready' | 'started' | 'hangs' | 'ended' | 'refused';
  readonly input: string;
  readonly worker: string;
  /** Milliseconds of the system's clock. */
  readonly at: number;
  readonly reason?: string | undefined;
};
