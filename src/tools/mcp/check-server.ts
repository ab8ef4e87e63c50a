import { Forbidden, InvalidRequest } from '#domain/errors.ts';
import { isMcpServerName, mcpPrefix } from '#domain/tool/mcp-server.ts';
import { isReservedName } from '#domain/tool/reserved-names.ts';
import { checkHeaders } from '#egress/check-headers.ts';
import { EgressRefused } from '#egress/egress-failure.ts';
import type { OAuthClient } from '../auth/oauth-client.ts';

export type McpServerRequest = {
  readonly name: string;
  /** Empty for a program. */
  readonly url: string;
  /** A program and its arguments, instead of an address. Its headers are then variables of its environment. */
  readonly command?: readonly string[] | undefined;
  /** Values by header name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly privateNetwork: boolean;
  readonly trustAnnotations: boolean;
  /** Registered by hand with the server's authorization server, which does not register clients by itself. */
  readonly client?: OAuthClient | undefined;
};

const MAX_HEADERS = 8;
const MAX_URL = 2000;

/** Refuses a server that can't be added, before anything is sent to it. */
export function checkMcpServer(request: McpServerRequest, byOperator: boolean): void {
  const { name, privateNetwork, trustAnnotations } = request;
  if (!isMcpServerName(name))
    throw invalid('name', 'A name begins with a letter and has up to 32 lower-case letters, digits and dashes.');
  if (isReservedName(mcpPrefix(name))) throw invalid('name', `The name "${name}" belongs to Reborn itself.`);
  if (!byOperator && (privateNetwork || trustAnnotations))
    throw new Forbidden(
      'operator_only',
      'Only the operator may allow a private network or trust annotations. Leave them out.',
    );
  if (request.command) return checkProgram(request, request.command, byOperator);
  checkUrl(request, byOperator);
  checkOwnHeaders(request.headers);
  checkClient(request.client);
}

function checkProgram(
  { url, headers, client }: McpServerRequest,
  command: readonly string[],
  byOperator: boolean,
): void {
  if (!byOperator)
    throw new Forbidden('operator_only', 'Only the operator may add a program. Add a server by its address.');
  if (url !== '' || client) throw invalid('url', 'A server has either an address or a command.');
  const isUsable = (word: string) => word.length <= MAX_WORD && !word.includes('\0') && word.isWellFormed();
  if (command.length > MAX_WORDS || !command.every(isUsable) || !command[0])
    throw invalid('command', `A command has up to ${MAX_WORDS} words of up to ${MAX_WORD} characters.`);
  for (const [name, value] of Object.entries(headers))
    if (
      !/^[A-Za-z_]\w{0,63}$/.test(name) ||
      value.length < MIN_VALUE ||
      value.length > MAX_VALUE ||
      value.includes('\0')
    )
      throw invalid(
        'headers',
        `A variable has a name such as API_KEY and a value of ${MIN_VALUE} to ${MAX_VALUE} characters.`,
      );
}

const MAX_WORDS = 64;
const MAX_WORD = 2000;

function checkClient(client: OAuthClient | undefined): void {
  if (client && !CLIENT.test(client.id)) throw invalid('client_id', 'A client id has up to 512 visible characters.');
  if (client?.secret !== undefined && !CLIENT.test(client.secret))
    throw invalid('client_secret', 'A client secret has up to 512 visible characters.');
}

const CLIENT = /^[\x21-\x7E]{1,512}$/;

function checkUrl({ url: text, privateNetwork }: McpServerRequest, byOperator: boolean): void {
  const url = URL.parse(text);
  if (!url || text.length > MAX_URL || /[\s\\\p{Cc}]/u.test(text))
    throw invalid('url', 'url must be an address such as https://mcp.example.com/mcp.');
  if (url.protocol !== 'https:' && !(privateNetwork && url.protocol === 'http:'))
    throw invalid('url', `Only https is allowed. ${byOperator && url.protocol === 'http:' ? IN_PRIVATE : IN_PUBLIC}`);
  if (url.username || url.password || url.hash)
    throw invalid('url', 'The address contains a user name, a password or a fragment. Send keys in a header.');
  if (url.port !== '' && !byOperator)
    throw invalid('url', 'Only the operator may name a port. Leave it out: requests go to port 443.');
}

const IN_PUBLIC = 'Start the address with https://.';
const IN_PRIVATE = 'For a server in a private network, set private_network (`--private-network`).';

/** The protocol sets these itself. */
const OWN_HEADERS = /^(?:accept|accept-encoding|content-type|content-encoding|cookie|last-event-id|mcp-.*)$/;

function checkOwnHeaders(headers: Readonly<Record<string, string>>): void {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) throw invalid('headers', `A server can have ${MAX_HEADERS} headers.`);
  for (const name of names) {
    if (OWN_HEADERS.test(name.toLowerCase()))
      throw invalid('headers', `The header ${name} is set for you. Leave it out.`);
    if (!/^[\w-]{1,64}$/.test(name))
      throw invalid('headers', `A header's name has up to 64 letters, digits and dashes.`);
    if ((headers[name] ?? '').trim().length < MIN_VALUE || (headers[name] ?? '').length > MAX_VALUE)
      throw invalid('headers', `The value of ${name} must have ${MIN_VALUE} to ${MAX_VALUE} characters.`);
  }
  try {
    checkHeaders(headers);
  } catch (error) {
    if (error instanceof EgressRefused) throw invalid('headers', error.message);
    throw error;
  }
}

/** A shorter one would be found in any text. */
const MIN_VALUE = 8;
const MAX_VALUE = 8192;

const invalid = (param: string, message: string) => new InvalidRequest('invalid_request', param, message);
