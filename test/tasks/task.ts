export type ToolCall = { readonly name: string; readonly given: object };

/** A request to the agent, as a good model does it. */
export type Task = {
  readonly title: string;
  /** What they hand over. Up to ten go with the message; more are put in the thread. */
  readonly files: Readonly<Record<string, Buffer | string>>;
  /** The calls of each message: the first comes with the files. */
  readonly calls: readonly (readonly ToolCall[])[];
  /** Opens the results. */
  readonly check: (done: Done) => Promise<void>;
};

/** A thread, as its owner sees it from outside. */
export type Done = {
  readonly read: (path: string) => Promise<Buffer>;
  readonly list: () => Promise<string[]>;
  readonly outputs: () => Promise<string[]>;
  /** The files that the agent has handed over, by name. */
  readonly presented: () => Promise<Map<string, Buffer>>;
  /** The pictures in the thread, which have no names: those that code has drawn, then those that were handed over. */
  readonly pictures: () => Promise<Buffer[]>;
};

export const shell = (command: string): ToolCall => ({ name: 'reborn_shell', given: { command } });
export const python = (code: string): ToolCall => ({ name: 'reborn_python', given: { code } });
export const file = (tool: string, given: object): ToolCall => ({ name: `reborn_file_${tool}`, given });
export const present = (...paths: string[]): ToolCall => file('present', { paths });
