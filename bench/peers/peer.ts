/** One agent server, and how it is installed, started and asked. */
export type Peer = {
  /** A part of an address, so without spaces. */
  readonly name: string;
  /** Where it keeps conversations. */
  readonly storage: string;
  /** Installs it, or prepares it in another way, and returns the version. */
  install(): Promise<string>;
  /** Starts it; `folder` keeps its data over several starts. */
  start(setup: Setup): Promise<Running>;
};

export type Setup = {
  readonly modelUrl: string;
  readonly folder: string;
  readonly port: number;
};

export type Running = {
  /** The roots of its process trees. They may be known only after its first answer. */
  roots(): Promise<readonly number[]>;
  /** The request for one turn: in the conversation, or in a new one. */
  request(turn: Turn): Call;
  /** A new conversation, where the server chooses the id. */
  createConversation?(): Promise<string>;
};

export type Turn = {
  readonly text: string;
  readonly stream: boolean;
  readonly conversation?: string | undefined;
};

export type Call = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
};
