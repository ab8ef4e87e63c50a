/** How a tool is described to the model. */
export type ToolDefinition = {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments; null when the caller gave none. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly strict: boolean | null;
  /** The caller's group of tools that it belongs to. Its name begins with it. */
  readonly namespace?: string;
};

/** The model's name for a tool of a namespace, and the caller's name for it. */
export const nameIn = (namespace: string, name: string): string => `${namespace}__${name}`;
export const bareName = ({ name, namespace }: { readonly name: string; readonly namespace?: string }): string =>
  namespace === undefined ? name : name.slice(nameIn(namespace, '').length);

/** One call of a tool, as the model wrote it. */
export type ToolCall = {
  readonly callId: string;
  readonly name: string;
  /** JSON text, exactly as the model wrote it. */
  readonly arguments: string;
};

/** Whether a call can run: at once, after an approval, or never. */
export type ToolLevel = (typeof TOOL_LEVELS)[number];

export const TOOL_LEVELS = ['allow', 'ask', 'never'] as const;
