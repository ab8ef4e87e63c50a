import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** Parses one option's text. `undefined` means that the text is wrong; `expects` then ends the sentence "it must be ...". */
export type Parser<T> = { expects: string; parse: (text: string) => T | undefined };

export const flag: Parser<boolean> = {
  expects: 'true or false (1, 0, yes and no work too)',
  parse: (value) => FLAGS.get(value.toLowerCase()),
};

export const port: Parser<number> = {
  expects: 'a port from 0 to 65535 (0 picks a free one)',
  parse: (value) => parseInteger(value, 0, 65_535),
};

export function integer(least: number, most: number): Parser<number> {
  return {
    expects: `a whole number from ${least} to ${most}`,
    parse: (value) => parseInteger(value, least, most),
  };
}

export const money: Parser<number> = {
  expects: 'an amount above 0, such as 5 or 0.50',
  parse: (value) => (/^\d{1,9}(\.\d{1,6})?$/.test(value) && Number(value) > 0 ? Number(value) : undefined),
};

export function oneOf<const T extends string>(...choices: T[]): Parser<T> {
  return {
    expects: `one of ${choices.join(', ')}`,
    parse: (value) => choices.find((choice) => choice === value.toLowerCase()),
  };
}

export function someOf<const T extends string>(...choices: T[]): Parser<T[]> {
  const isChoice = (entry: string): entry is T => choices.some((choice) => choice === entry);
  return {
    expects: `a comma-separated list of ${choices.join(', ')}`,
    parse: (value) => parseList(value.toLowerCase(), isChoice)?.filter(isChoice),
  };
}

export const text: Parser<string> = {
  expects: 'text',
  parse: (value) => value,
};

/** A header value. Other characters would arrive changed, so a secret that contains them would never match. */
export const headerText: Parser<string> = {
  expects: 'printable ASCII',
  parse: (value) => (/^[\x20-\x7e]+$/.test(value) ? value : undefined),
};

/** The text after `Bearer ` in a header. */
export const token: Parser<string> = {
  expects: 'printable ASCII without spaces',
  parse: (value) => (/^[\x21-\x7e]+$/.test(value) ? value : undefined),
};

export const bucketName: Parser<string> = {
  expects: 'the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
  parse: (value) => (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value) ? value : undefined),
};

export const bindHost: Parser<string> = {
  expects: 'an IP address or a host name, such as 127.0.0.1, 0.0.0.0 or localhost',
  parse: (value) => (isHost(value) ? value : undefined),
};

/** Kept as written: an OIDC issuer is compared character by character. */
export const webUrl: Parser<string> = {
  expects: 'an http:// or https:// address without a query or fragment',
  parse: (value) => (isWebUrl(value) ? value : undefined),
};

/** A web address to which paths are appended. */
export const baseUrl: Parser<string> = {
  expects: webUrl.expects,
  parse: (value) => webUrl.parse(value)?.replace(/\/+$/, ''),
};

/** Only the scheme is checked, because pg also accepts forms that are not WHATWG URLs, such as postgres:///name?host=/run/socket. */
export const postgresUrl: Parser<string> = {
  expects: 'a connection string such as postgres://user:password@host:5432/name',
  parse: (value) => (/^postgres(ql)?:\/\/\S+$/i.test(value) ? value : undefined),
};

export const hostNames: Parser<string[]> = {
  expects: 'a comma-separated list of host names, such as hooks.example.com or hooks.example.com:8443',
  parse: (value) => parseList(value.toLowerCase(), isHostWithPort)?.map((host) => host.replace(/:443$/, '')),
};

/** An IPv6 address is written in brackets. */
export const addresses: Parser<{ host: string; port: number }[]> = {
  expects: 'a comma-separated list of addresses with a port, such as runners:7070 or 10.1.2.3:7070',
  parse: (value) => {
    const found = parseList(value, () => true)?.map(parseAddress) ?? [];
    return found.length > 0 && found.every((address) => address !== undefined) ? found : undefined;
  },
};

export const exactHosts: Parser<string[]> = {
  expects: 'a comma-separated list of full host names, such as pypi.org, without ports and patterns',
  parse: (value) =>
    parseList(value.toLowerCase(), (entry) => isHost(entry) && entry.includes('.') && isIP(entry) === 0),
};

export const origins: Parser<string[]> = {
  expects: 'a comma-separated list of origins, such as https://app.example.com',
  parse: (value) => parseList(value, (entry) => URL.canParse(entry) && new URL(entry).origin === entry),
};

/** The weight of a cell that is listed without one. */
const USUAL_WEIGHT = 100;

export const weightedCells: Parser<{ cell: number; weight: number }[]> = {
  expects: 'a comma-separated list of cells, each with a weight from 0 to 10000 if it is not 100, such as 1,2,3:50,4:0',
  parse: (value) => {
    const found = parseList(value, (entry) => /^\d+(:\d+)?$/.test(entry))?.map((entry) => {
      const [cell = '', weight = String(USUAL_WEIGHT)] = entry.split(':');
      return { cell: parseInteger(cell, 1, 4095), weight: parseInteger(weight, 0, 10_000) };
    });
    const cells = found?.flatMap(({ cell, weight }) =>
      cell === undefined || weight === undefined ? [] : [{ cell, weight }],
    );
    return cells && cells.length === found?.length && isEachOnce(cells.map(({ cell }) => cell)) ? cells : undefined;
  },
};

export const cellNumbers: Parser<number[]> = {
  expects: 'a comma-separated list of cells, such as 1,2,3,4',
  parse: (value) => {
    const found = parseList(value, () => true)?.map((entry) => parseInteger(entry, 1, 4095)) ?? [];
    const cells = found.filter((cell) => cell !== undefined);
    return cells.length === found.length && isEachOnce(cells) ? cells : undefined;
  },
};

const isEachOnce = (cells: readonly number[]) => cells.length > 0 && new Set(cells).size === cells.length;

export const routeNames: Parser<string[]> = {
  expects: 'a comma-separated list of model routes',
  parse: (value) => parseList(value, () => true),
};

export const networks: Parser<string[]> = {
  expects: 'a comma-separated list of IP addresses and CIDR ranges, such as 10.0.0.0/8',
  parse: (value) => parseList(value, isNetwork),
};

export const folder: Parser<string> = {
  expects: 'a folder',
  parse: (value) => resolve(value.replace(/^~(?=\/|$)/, homedir)),
};

/** An AES-256 key. */
export const encryptionKey: Parser<Buffer> = {
  expects: '32 bytes in hex or base64; create one with `openssl rand -hex 32`',
  parse: (value) => {
    if (/^[0-9a-f]{64}$/i.test(value)) return Buffer.from(value, 'hex');
    return /^[\w+/-]{43}=?$/.test(value) ? Buffer.from(value, 'base64') : undefined;
  },
};

const FLAGS = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

function parseInteger(value: string, least: number, most: number): number | undefined {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  return number >= least && number <= most ? number : undefined;
}

function parseList(value: string, isValid: (entry: string) => boolean): string[] | undefined {
  const entries = value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.every(isValid) ? entries : undefined;
}

/** A name that ends in a number is a mistyped IP address. */
function isHost(value: string): boolean {
  if (isIP(value)) return true;

  const labels = value.split('.');
  const isNumber = /^\d+$/.test(labels.at(-1) ?? '');
  return value.length <= 253 && !isNumber && labels.every((label) => /^[a-z\d]([a-z\d-]*[a-z\d])?$/i.test(label));
}

function isHostWithPort(value: string): boolean {
  const [, host = '', at = '443'] = /^(.*?)(?::(\d{1,5}))?$/.exec(value) ?? [];
  return isIP(value) > 0 || (isHost(host) && Number(at) >= 1 && Number(at) <= 65_535);
}

function parseAddress(value: string): { host: string; port: number } | undefined {
  const [, bracketed, plain, at = ''] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(value) ?? [];
  const [host = '', number] = [bracketed ?? plain, parseInteger(at, 1, 65_535)];
  const isValid = bracketed === undefined ? isHost(host) : isIP(host) === 6;
  return isValid && number !== undefined ? { host, port: number } : undefined;
}

function isNetwork(value: string): boolean {
  const [address = '', bits, ...more] = value.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;

  return bits === undefined || parseInteger(bits, 0, version === 4 ? 32 : 128) !== undefined;
}

function isWebUrl(value: string): boolean {
  const url = URL.parse(value);
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && !/[?#\s]/.test(value);
}
