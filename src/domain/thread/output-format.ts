/** The form of a turn's answer when it is not prose. */
export type OutputFormat =
  /** Any JSON object. */
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly description: string | null;
      readonly schema: Readonly<Record<string, unknown>>;
      /** Whether the provider must guarantee the schema; null leaves it to the provider. */
      readonly strict: boolean | null;
    };
