export type StreamEvent = {
  readonly type: string;
  readonly sequence_number: number;
  readonly item_id?: string;
  readonly delta?: string;
  /** The full text of a finished message. */
  readonly text?: string;
  readonly item?: { readonly id: string; readonly type: string; readonly status: string };
  readonly response?: { readonly id: string; readonly status: string; readonly output: unknown[] };
};

/** The events of a stream, one by one. Ends when the connection is closed or cut. */
export async function* readStream(response: Response): AsyncGenerator<StreamEvent, void> {
  let buffer = '';
  try {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      buffer += part;
      for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
        const data = buffer
          .slice(0, end)
          .split('\n')
          .find((line) => line.startsWith('data: '));
        buffer = buffer.slice(end + 2);
        if (data) yield JSON.parse(data.slice('data: '.length)) as StreamEvent;
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // the error of fetch for a cut connection
  }
}
