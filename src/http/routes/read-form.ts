import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { errorCodes, type FastifyRequest } from 'fastify';
import { InvalidRequest } from '#domain/errors.ts';

/** A form as multipart/form-data, with at most one file. */
export type Form = {
  readonly fields: ReadonlyMap<string, string>;
  readonly file: FormFile | undefined;
};

export type FormFile = {
  readonly field: string;
  /** As the client says, which can be anything. */
  readonly filename: string;
  readonly mediaType: string;
  readonly content: Buffer;
};

/** What a form has beside its file: the fields, and the headers of all parts. */
export const FORM_BYTES = 64 * 1024;

const LIMITS = { files: 1, fields: 20, parts: 21, fieldSize: 1024, headerPairs: 20, headerSize: 8 * 1024 };

/** Reads the form of a request as it arrives. The body is not destroyed when it is refused, so the client reads the answer. */
export async function readForm(request: FastifyRequest, maxFileBytes: number): Promise<Form> {
  const parser = openParser(request, maxFileBytes);
  const form = collect(parser);
  const finished = once(parser, 'finish');
  finished.catch(() => {}); // it is awaited at the end
  let total = 0;
  for await (const chunk of chunksOf(request)) {
    total += chunk.length;
    if (total > maxFileBytes + FORM_BYTES) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
    if (!parser.write(chunk)) await Promise.race([once(parser, 'drain'), finished]).catch(asInvalid);
    form.check(); // before the end: the parser throws out of reach when a form ends in a part that it passes over
  }
  parser.end();
  await finished.catch(asInvalid);
  form.check();
  return form.read();
}

function openParser({ headers }: FastifyRequest, fileSize: number): BusboyInstance {
  try {
    const type = headers['content-type'] ?? '';
    return new Busboy({ headers: { 'content-type': type }, limits: { ...LIMITS, fileSize }, preservePath: true });
  } catch (error) {
    return asInvalid(error);
  }
}

/** A client that disconnects is not a failure of the service. */
async function* chunksOf({ body, raw }: FastifyRequest): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of (body as Readable).iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (error) {
    if (!raw.complete) asInvalid(error);
    throw error;
  }
}

function collect(parser: BusboyInstance) {
  const fields = new Map<string, string>();
  const pieces: Buffer[] = [];
  let file: Omit<FormFile, 'content'> | undefined;
  let problem: Error | undefined;
  const refuse = (message: string) => (problem = new InvalidRequest('invalid_request', null, message));
  parser.on('error', () => {}); // `once` sees the first one, and there may be more
  parser.on('file', (field, stream, filename, _encoding, mediaType) => {
    file = { field, filename: filename ?? '', mediaType };
    stream.on('limit', () => (problem = new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()));
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('error', (error) => parser.emit('error', error));
  });
  parser.on('field', (name, value, _nameTruncated, isCut) => {
    if (isCut) refuse(`The field ${name} is too long.`);
    fields.set(name, value);
  });
  parser.on('filesLimit', () => refuse('The form may have one file.'));
  parser.on('fieldsLimit', () => refuse('The form has too many fields.'));
  parser.on('partsLimit', () => refuse('The form has too many fields.'));
  return {
    check(): void {
      if (problem) throw problem;
    },
    read: (): Form => ({ fields, file: file && { ...file, content: Buffer.concat(pieces) } }),
  };
}

function asInvalid(_error: unknown): never {
  throw new InvalidRequest('invalid_request', null, 'The body is not complete multipart/form-data.');
}
