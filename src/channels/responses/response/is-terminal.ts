/** Whether this is the last event of a stream. */
export const isTerminal = ({ type }: { readonly type: string }): boolean =>
  type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed';
