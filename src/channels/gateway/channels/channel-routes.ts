import { z } from 'zod';
import type { ChatAdmin } from '#agent/chats/accounts/chat-admin.ts';
import { CHAT_MODES, type ChatAccount, type ChatLink } from '#domain/chat/chat.ts';
import { CHAT_CHANNELS } from '#domain/chat/chat-channel.ts';
import type { ChatAccountId } from '#domain/ids.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { assistantField } from '../work-fields.ts';
import { mailCredentials, newMailChannel } from './new-mail-channel.ts';
import { newSlackChannel, slackCredentials } from './new-slack-channel.ts';

type Services = { readonly chatAdmin: ChatAdmin };

const path = '/api/channels/{id}';
const params = z.object({ id: uuid<ChatAccountId>('This channel does not exist.') });

const channel = z
  .strictObject({
    id: z.uuid(),
    channel: z.enum(CHAT_CHANNELS),
    name: z.string().describe('The name that people find it by on the platform.'),
    mode: z.enum(CHAT_MODES).describe('polling: the service asks for messages. webhook: the platform sends them.'),
    groups: z.boolean().describe('Whether it answers in groups, when it is addressed.'),
    assistant: z.string().nullable().describe('Answers in chats that have chosen none; null for the usual agent.'),
    request_url: z
      .string()
      .nullable()
      .describe('Where the platform sends messages. Enter it in the settings of a Slack app.'),
    last_error: z.string().nullable().describe('Why the platform could not be asked; null when the last try was fine.'),
    failed_at: z.iso.datetime().nullable(),
    received_at: z.iso.datetime().nullable().describe('When the platform last answered or sent something.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Channel' });

const listed = channel
  .extend({
    waiting: z.int().describe('Messages that are stored and not handled yet.'),
    failed: z.int().describe('Messages that could not be handled.'),
    refused: z
      .int()
      .describe('Messages of the last days that led to nothing, such as mail whose sender is not proven.'),
  })
  .meta({ id: 'ListedChannel' });

const link = z
  .strictObject({
    channel_id: z.uuid(),
    sender: z.string().describe("The person's id on the platform."),
    name: z.string().describe("The person's name there, when the link was made."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'ChannelLink' });

const newTelegramChannel = z.strictObject({
  channel: z.literal('telegram'),
  token: z
    .string('token must be a string.')
    .trim()
    .regex(
      /^[\w:-]{10,200}$/,
      'token must be the token of a bot, such as 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw.',
    ),
  mode: z.enum(CHAT_MODES).default('polling'),
  groups: z.boolean().default(false),
});

const assistant = assistantField.nullish().describe('The name of an assistant for everyone.');

const newChannel = z
  .discriminatedUnion(
    'channel',
    [
      newTelegramChannel.extend({ assistant }),
      newSlackChannel.extend({ assistant }),
      newMailChannel.extend({ assistant }),
    ],
    {
      error: `channel must be ${CHAT_CHANNELS.join(' or ')}.`,
    },
  )
  .meta({ id: 'NewChannel' });

const listChannels = defineRoute({
  method: 'get',
  path: '/api/channels',
  summary: "List the chat channels, and the caller's links to them.",
  responses: {
    200: {
      description: 'The channels, oldest first.',
      json: z.strictObject({ channels: z.array(listed), links: z.array(link) }).meta({ id: 'ChannelList' }),
    },
  },
  async handle({ principal }, { chatAdmin }: Services) {
    const { accounts, links } = await chatAdmin.list(principal);
    const channels = accounts.map((account) => ({
      ...renderChannel(account, chatAdmin),
      waiting: account.waiting,
      failed: account.failed,
      refused: account.refused,
    }));
    return { channels, links: links.map(renderLink) };
  },
});

const addChannel = defineRoute({
  method: 'post',
  path: '/api/channels',
  summary: 'Add a chat channel. The platform is asked whether the token is good.',
  access: 'operator',
  body: newChannel,
  responses: { 201: { description: 'The channel.', json: channel } },
  errors: [400, 409],
  async handle({ principal, body: { assistant: named, ...body } }, { chatAdmin }: Services) {
    const asked =
      body.channel === 'mail'
        ? { channel: body.channel, mode: 'polling' as const, groups: false, credentials: mailCredentials(body) }
        : {
            channel: body.channel,
            mode: body.mode,
            groups: body.groups,
            credentials: body.channel === 'slack' ? slackCredentials(body) : body.token,
          };
    return renderChannel(await chatAdmin.add(principal, { ...asked, assistant: named ?? null }), chatAdmin);
  },
});

const updateChannel = defineRoute({
  method: 'patch',
  path,
  summary: 'Choose the assistant that answers in the chats of a channel.',
  access: 'operator',
  params,
  body: z
    .strictObject({ assistant: assistantField.nullable().describe('null for the usual agent.') })
    .meta({ id: 'ChannelChange' }),
  responses: { 200: { description: 'The channel.', json: channel } },
  errors: [400, 404],
  async handle({ principal, params: { id }, body }, { chatAdmin }: Services) {
    return renderChannel(await chatAdmin.setAssistant(principal, id, body.assistant), chatAdmin);
  },
});

const removeChannel = defineRoute({
  method: 'delete',
  path,
  summary: 'Remove a chat channel with its links. The threads stay.',
  access: 'operator',
  params,
  responses: { 204: { description: 'The channel is removed.' } },
  errors: [404],
  async handle({ principal, params: { id } }, { chatAdmin }: Services) {
    await chatAdmin.remove(principal, id);
  },
});

const testChannel = defineRoute({
  method: 'post',
  path: `${path}/test`,
  summary: 'Ask the platform whether the token is still good.',
  access: 'operator',
  params,
  responses: {
    200: {
      description: 'The result.',
      json: z.strictObject({ error: z.string().nullable().describe('null: it works.') }).meta({ id: 'ChannelTest' }),
    },
  },
  errors: [404],
  async handle({ principal, params: { id } }, { chatAdmin }: Services) {
    return { error: (await chatAdmin.test(principal, id)) ?? null };
  },
});

const createCode = defineRoute({
  method: 'post',
  path: '/api/channels/codes',
  summary: 'Create a code that links a chat to the caller. It replaces an earlier code.',
  responses: {
    201: {
      description: 'The code, which is valid once and for ten minutes. Send it to the bot in a private chat.',
      json: z
        .strictObject({
          code: z.string(),
          expires_at: z.iso.datetime(),
          links: z
            .array(z.strictObject({ channel_id: z.uuid(), url: z.string() }))
            .describe('Addresses that open the chat and send the code.'),
        })
        .meta({ id: 'ChannelCode' }),
    },
  },
  async handle({ principal }, { chatAdmin }: Services) {
    const { code, expiresAt, links } = await chatAdmin.createCode(principal);
    return {
      code,
      expires_at: expiresAt.toISOString(),
      links: links.map(({ accountId, url }) => ({ channel_id: accountId, url })),
    };
  },
});

const removeLink = defineRoute({
  method: 'delete',
  path: `${path}/links/{sender}`,
  summary: "Remove one of the caller's links: the chat can't be used any more.",
  params: params.extend({ sender: z.string().max(200) }),
  responses: { 204: { description: 'The link is removed.' } },
  errors: [404],
  async handle({ principal, params: { id, sender } }, { chatAdmin }: Services) {
    await chatAdmin.unlink(principal, { accountId: id, sender });
  },
});

export const channelRoutes = [
  listChannels,
  addChannel,
  updateChannel,
  removeChannel,
  testChannel,
  createCode,
  removeLink,
];

const renderChannel = (account: ChatAccount, chats: Pick<ChatAdmin, 'addressOf'>): z.infer<typeof channel> =>
  renderAs(channel, account, { request_url: chats.addressOf(account) });

const renderLink = (made: ChatLink): z.infer<typeof link> => renderAs(link, made, { channel_id: made.accountId });
