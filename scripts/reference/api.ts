import { API_PARTS, describeService } from '#app/describe-service.ts';
import { code, table } from './markdown.ts';

/** The page about every route and every shape that is sent or answered. */
export function apiPage(): string {
  const { paths, components } = describeService();
  const parts = Object.entries(API_PARTS).map(([title, routes]) => {
    const sections = routes.map(({ path, method }) => routeSection(path, method, paths[path]?.[method] as Operation));
    return `## ${title}\n\n${sections.join('\n')}`;
  });
  const shapes = Object.entries(components.schemas).map(([name, schema]) => shapeSection(name, schema as Schema));
  return `${INTRODUCTION}\n${parts.join('\n')}\n## Shapes\n\n${shapes.join('\n')}`;
}

const INTRODUCTION = `# HTTP API

Written by \`npm run reference\` from what the service itself serves as OpenAPI 3.1 at \`/openapi.json\`, and as a page at
\`/docs\`. Routes want \`Authorization: Bearer <token>\` unless they say otherwise; the webhook channel has a host and port of
its own, and wants \`X-Webhook-Secret\`. Every route may also answer 500, and every one that wants a token 401, 403 and 503:
[error codes](errors.md).
`;

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
};

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

type Operation = {
  readonly summary: string;
  readonly security: readonly unknown[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
};

function routeSection(path: string, method: string, { summary, ...operation }: Operation): string {
  const isPublic = operation.security.length === 0 ? ' Needs no bearer token.' : '';
  const fields = (operation.parameters ?? []).map(({ name, in: place, required, schema }) => [
    code(name),
    place + (required ? ', required' : ''),
    typeOf(schema),
    schema.description ?? '',
  ]);
  const body = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => ['body', typeOf(schema)]);
  const answers = Object.entries(operation.responses)
    .filter(([status]) => !ALWAYS.includes(status))
    .map(([status, { description, content = {} }]) => [status, typesOf(content), description]);
  return (
    [
      `### ${method.toUpperCase()} ${path}`,
      `${summary}${isPublic}`,
      ...(fields.length > 0 ? [table([['parameter', 'in', 'type', 'meaning'], ...fields])] : []),
      ...body.map(([, type]) => `Body: ${type}`),
      table([['status', 'answer', 'when'], ...answers]),
      '',
    ]
      .join('\n\n')
      .trimEnd() + '\n'
  );
}

const ALWAYS = ['401', '403', '500', '503'];

function typesOf(content: Content): string {
  const types = Object.entries(content).map(
    ([kind, { schema }]) => typeOf(schema) + (kind === 'text/event-stream' ? ' as events' : ''),
  );
  return types.join(', or ');
}

function shapeSection(name: string, schema: Schema): string {
  const about = schema.description ? `${schema.description}\n\n` : '';
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return `### ${name}\n\n${about}${typeOf(schema)}\n`;

  const rows = properties.map(([key, field]) => [
    code(key),
    typeOf(field),
    schema.required?.includes(key) ? 'yes' : '',
    field.description ?? '',
  ]);
  return `### ${name}\n\n${about}${table([['field', 'type', 'required', 'meaning'], ...rows])}\n`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return linkTo(schema.$ref.split('/').at(-1) ?? '');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum) return schema.enum.map((choice) => code(JSON.stringify(choice))).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ');
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.properties) return `object with ${Object.keys(schema.properties).map(code).join(', ')}`;
  return [schema.type ?? 'anything'].flat().join(' or ');
}

const linkTo = (name: string) => `[${name}](#${name.toLowerCase()})`;
