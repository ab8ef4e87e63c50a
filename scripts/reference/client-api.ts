import { API_PARTS, describeService } from '#app/describe-service.ts';
import { publishedPath, type RouteDescription } from '#http/routes/openapi.ts';

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
};

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

type Operation = {
  readonly summary: string;
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: Schema }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};

/** The types of the client: every shape of the API, and what each route takes and returns. */
export function clientApi(): string {
  const { paths, components } = describeService();
  const shapes = Object.entries(components.schemas as Record<string, Schema>).map(
    ([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')};\n`,
  );
  const routes = Object.entries(API_PARTS)
    .flatMap(([, part]) => part)
    .filter(({ path }) => path !== '/api/ws')
    .map((route) => routeType(route, paths[publishedPath(route)]?.[route.method] as Operation));
  return `// Written by \`npm run reference\` from the route definitions of the service. Do not edit.

${shapes.join('\n')}
/** By method and path: the parameters, query and body that a route takes, and its result. */
export type Routes = {
${routes.join('')}};
`;
}

function routeType(route: RouteDescription, operation: Operation): string {
  const { parameters = [], requestBody, responses } = operation;
  const fields = [
    ...objectOf('params', parameters, 'path'),
    ...objectOf('query', parameters, 'query'),
    ...(requestBody ? [`body${requestBody.required ? '' : '?'}: ${typeOf(jsonOf(requestBody.content), '    ')};`] : []),
    `result: ${resultOf(responses)};`,
  ];
  const name = `${route.method.toUpperCase()} ${publishedPath(route)}`;
  return `${comment(route.summary, '  ')}  '${name}': {\n${fields.map((field) => `    ${field}\n`).join('')}  };\n`;
}

function objectOf(name: string, parameters: NonNullable<Operation['parameters']>, place: string): string[] {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return [];
  const isOptional = own.every(({ required }) => !required);
  const fields = own.map((field) => `${field.name}${field.required ? '' : '?'}: ${parameterType(field.schema)}`);
  return [`${name}${isOptional ? '?' : ''}: { ${fields.join('; ')} };`];
}

/** A number in a query or path may also be given as one. */
const parameterType = (schema: Schema) => {
  const type = typeOf(schema, '    ');
  return type === 'unknown' ? 'string | number' : type;
};

function resultOf(responses: Operation['responses']): string {
  const results = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content = {} }]) => ('application/json' in content ? typeOf(jsonOf(content), '    ') : 'undefined'));
  return [...new Set(results)].join(' | ');
}

const jsonOf = (content: Content): Schema => content['application/json']?.schema ?? {};

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(choice, indent)))].join(' | ');
  if (schema.not) return 'never';
  if (Array.isArray(schema.type))
    return schema.type.map((type: string) => typeOf({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `readonly ${bracketed(typeOf(schema.items ?? {}, indent))}[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      return 'unknown';
  }
}

function objectType({ properties = {}, additionalProperties, required = [] }: Schema, indent: string): string {
  const fields = Object.entries(properties);
  if (fields.length === 0)
    return typeof additionalProperties === 'object'
      ? `Readonly<Record<string, ${typeOf(additionalProperties, indent)}>>`
      : 'Readonly<Record<string, unknown>>';
  const inner = `${indent}  `;
  const lines = fields.map(([name, field]) => {
    const optional = required.includes(name) ? '' : '?';
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    return `${comment(field.description, inner)}${inner}readonly ${key}${optional}: ${typeOf(field, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));

const bracketed = (type: string) => (/ \| |^readonly /.test(type) ? `(${type})` : type);

const comment = (text: string | undefined, indent: string) => (text ? `${indent}/** ${text} */\n` : '');
