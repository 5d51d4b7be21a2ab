import type { JsonConfigOf, JsonForm } from '@probe-mesh/contracts/channel/json-forms'
import { z } from 'zod'
import type { ChannelRequest } from '../request.ts'

/** What each vendor's documentation demands, written down without the builders' code. */
export type VendorForm = Exclude<JsonForm, 'default' | 'template'>

type Step = 'trigger' | 'resolve'
type Sent = Pick<ChannelRequest, 'headers' | 'body'> & { path: string }

export type Vendor<Form extends VendorForm = VendorForm> = {
  /** A config that sends to this receiver. */
  config: (origin: string) => JsonConfigOf<Form>
  path: (step: Step) => string | RegExp
  headers: Readonly<Record<string, string>>
  body: (step: Step) => z.ZodType
  /** The whole body, in bytes. */
  bytesMax: number
  /** What the receiver answers to an accepted message. */
  accepted: { status: number; body: string }
  /** What it answers to one that it refuses, with the part that a person has to see. */
  refused: { status: number; body: string; says: string }
  /** The texts that a person reads, by path, and how the receiver decodes them; throws at markup. */
  shown: Readonly<Record<string, (text: string) => string>>
}

const plain = (text: string): string => text

const short = (max: number) => z.string().min(1).max(max)
const httpUrl = z.url({ protocol: /^https?$/ })

/** Decodes the three entities of Slack; any other control character is markup. */
const fromEntities = (text: string): string => {
  if (/[<>]|&(?!amp;|lt;|gt;)/.test(text)) throw new Error(`markup in ${text}`)
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? '')
}

/** HTML with these tags only; texts between them. */
const fromHtml =
  (tags: RegExp) =>
  (html: string): string =>
    fromEntities(html.replace(tags, ''))

/** Every character of Markdown has a backslash before it, and no @ is followed by a name. */
const fromMarkdown = (text: string): string => {
  const unescaped = text.replace(/\\[\\`*_~|<>[\]()#]/g, '')
  if (/[\\`*_~|<>[\]()#]|@\w/.test(unescaped)) throw new Error(`markup in ${text}`)
  return text.replace(/\\([\\`*_~|<>[\]()#])/g, '$1').replaceAll('@\u200b', '@')
}

/** Block Kit: docs.slack.dev/reference/block-kit. Escapes: docs.slack.dev/messaging/formatting-message-text. */
const slackText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: short(max), emoji: z.boolean().optional() })
const slack: Vendor<'slack'> = {
  config: (origin) => ({ form: 'slack', webhookUrl: `${origin}/services/T000/B000/XXXX` }),
  path: () => '/services/T000/B000/XXXX',
  headers: {},
  body: () =>
    z.strictObject({
      text: short(40_000),
      mrkdwn: z.boolean().optional(),
      attachments: z
        .array(
          z.strictObject({
            color: z.string().regex(/^#[0-9a-f]{6}$/i),
            blocks: z
              .array(
                z.discriminatedUnion('type', [
                  z.strictObject({ type: z.literal('header'), text: slackText(150) }),
                  z.strictObject({
                    type: z.literal('section'),
                    text: slackText(3_000).optional(),
                    fields: z.array(slackText(2_000)).min(1).max(10).optional(),
                  }),
                  z.strictObject({
                    type: z.literal('actions'),
                    elements: z
                      .array(
                        z.strictObject({
                          type: z.literal('button'),
                          text: slackText(75),
                          url: httpUrl.max(3_000),
                        }),
                      )
                      .min(1)
                      .max(25),
                  }),
                ]),
              )
              .max(50),
          }),
        )
        .max(100),
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: 'ok' },
  refused: { status: 404, body: 'no_service', says: 'no_service' },
  shown: {
    text: fromEntities,
    'attachments.*.blocks.*.text.text': fromEntities,
    'attachments.*.blocks.*.fields.*.text': fromEntities,
  },
}

/** developer.pagerduty.com/docs/send-alert-event */
const pagerduty: Vendor<'pagerduty'> = {
  config: (origin) => ({ form: 'pagerduty', routingKey: 'r'.repeat(32), apiUrl: origin }),
  path: () => '/v2/enqueue',
  headers: {},
  body: (step) =>
    z.strictObject({
      routing_key: z.string().length(32),
      event_action: z.literal(step),
      dedup_key: short(255),
      client: z.string().optional(),
      client_url: httpUrl.optional(),
      links: z.array(z.strictObject({ href: httpUrl, text: z.string().optional() })).optional(),
      payload: z.strictObject({
        summary: short(1_024),
        source: short(10_000),
        severity: z.enum(['critical', 'error', 'warning', 'info']),
        timestamp: z.iso.datetime().optional(),
        component: z.string().optional(),
        group: z.string().optional(),
        class: z.string().optional(),
        custom_details: z.record(z.string(), z.unknown()).optional(),
      }),
    }),
  bytesMax: 512 * 1024,
  accepted: { status: 202, body: '{"status":"success","message":"Event processed","dedup_key":"k"}' },
  refused: {
    status: 400,
    body: '{"status":"invalid event","message":"Event object is invalid","errors":["Length of \'routing_key\' is incorrect"]}',
    says: 'Event object is invalid',
  },
  shown: { 'payload.summary': plain, 'payload.custom_details.text': plain },
}

/** core.telegram.org/bots/api#sendmessage, #html-style */
const telegramTags = /<\/?b>|<a href="https?:\/\/[^"<>\s]*">|<\/a>/g
const telegram: Vendor<'telegram'> = {
  config: (origin) => ({
    form: 'telegram',
    botToken: '123456:ABC-DEF',
    chatId: '-1001234567890',
    apiUrl: origin,
  }),
  path: () => '/bot123456:ABC-DEF/sendMessage',
  headers: {},
  body: () =>
    z.strictObject({
      chat_id: z.string().regex(/^(-?\d+|@\w+)$/),
      text: z.string().refine((text) => {
        const { length } = fromHtml(telegramTags)(text)
        return length >= 1 && length <= 4_096 && text.split('<a ').length === 2
      }, 'must have 1 to 4,096 characters after its entities are parsed, and one link'),
      parse_mode: z.literal('HTML'),
      link_preview_options: z.strictObject({ is_disabled: z.boolean() }).optional(),
      disable_notification: z.boolean().optional(),
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: '{"ok":true,"result":{"message_id":1}}' },
  refused: {
    status: 400,
    body: '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}',
    says: 'chat not found',
  },
  shown: { text: fromHtml(telegramTags) },
}

/** docs.ntfy.sh/publish/#publish-as-json; a message beyond 4,096 bytes becomes an attachment */
const ntfy: Vendor<'ntfy'> = {
  config: (origin) => ({ form: 'ntfy', topicUrl: `${origin}/alerts-of-us`, accessToken: 'tk_abcdefgh' }),
  path: () => '/',
  headers: { authorization: 'Bearer tk_abcdefgh' },
  body: () =>
    z.strictObject({
      topic: z.literal('alerts-of-us'),
      title: z.string().optional(),
      message: z.string().refine((text) => Buffer.byteLength(text) <= 4_096, 'must have 4,096 bytes'),
      priority: z.int().min(1).max(5),
      tags: z.array(z.string()),
      click: httpUrl,
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: '{"id":"x","event":"message"}' },
  refused: { status: 403, body: '{"code":40301,"http":403,"error":"forbidden"}', says: 'forbidden' },
  shown: { title: plain, message: plain },
}

/** developers.mattermost.com/integrate/reference/message-attachments; a post has 16,383 characters */
const mattermost: Vendor<'mattermost'> = {
  config: (origin) => ({ form: 'mattermost', webhookUrl: `${origin}/hooks/xxx-generatedkey-xxx` }),
  path: () => '/hooks/xxx-generatedkey-xxx',
  headers: {},
  body: () =>
    z.strictObject({
      attachments: z
        .array(
          z.strictObject({
            fallback: short(16_383),
            color: z.string().regex(/^#[0-9a-f]{6}$/i),
            title: short(1_000),
            title_link: httpUrl,
            text: z.string().max(16_383),
            fields: z.array(z.strictObject({ title: z.string(), value: z.string(), short: z.boolean() })),
          }),
        )
        .min(1),
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: 'ok' },
  refused: {
    status: 403,
    body: '{"id":"web.incoming_webhook.disabled.app_error","message":"disabled"}',
    says: 'disabled',
  },
  shown: {
    'attachments.*.fallback': fromMarkdown,
    'attachments.*.title': fromMarkdown,
    'attachments.*.text': fromMarkdown,
    'attachments.*.fields.*.title': fromMarkdown,
    'attachments.*.fields.*.value': fromMarkdown,
  },
}

/** developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages and .../cards */
const googleChat: Vendor<'google_chat'> = {
  config: (origin) => ({ form: 'google_chat', webhookUrl: `${origin}/v1/spaces/AAA/messages?key=k&token=t` }),
  path: () => '/v1/spaces/AAA/messages?key=k&token=t&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
  headers: {},
  body: () =>
    z.strictObject({
      fallbackText: z.string(),
      thread: z.strictObject({ threadKey: short(4_000) }),
      cardsV2: z
        .array(
          z.strictObject({
            cardId: z.string(),
            card: z.strictObject({
              header: z.strictObject({ title: short(1_000) }),
              sections: z.array(
                z.strictObject({
                  widgets: z
                    .array(
                      z.union([
                        z.strictObject({ textParagraph: z.strictObject({ text: short(10_000) }) }),
                        z.strictObject({
                          buttonList: z.strictObject({
                            buttons: z.array(
                              z.strictObject({
                                text: short(100),
                                onClick: z.strictObject({ openLink: z.strictObject({ url: httpUrl }) }),
                              }),
                            ),
                          }),
                        }),
                      ]),
                    )
                    .min(1)
                    .max(100),
                }),
              ),
            }),
          }),
        )
        .length(1),
    }),
  bytesMax: 32_000,
  accepted: { status: 200, body: '{"name":"spaces/AAA/messages/1"}' },
  refused: {
    status: 400,
    body: '{"error":{"code":400,"message":"Invalid JSON payload"}}',
    says: 'Invalid JSON payload',
  },
  shown: {
    'cardsV2.*.card.header.title': plain,
    'cardsV2.*.card.sections.*.widgets.*.textParagraph.text': fromHtml(/<br>/g),
  },
}

/** gotify.net/api-docs, gotify.net/docs/msgextras */
const gotify: Vendor<'gotify'> = {
  config: (origin) => ({ form: 'gotify', url: `${origin}/gotify/`, token: 'AiOLxxDxYOCc7bY' }),
  path: () => '/gotify/message',
  headers: { 'x-gotify-key': 'AiOLxxDxYOCc7bY' },
  body: () =>
    z.strictObject({
      title: z.string(),
      message: z.string().min(1),
      priority: z.int().min(0).max(10),
      extras: z.strictObject({
        'client::display': z.strictObject({ contentType: z.literal('text/plain') }),
        'client::notification': z.strictObject({ click: z.strictObject({ url: httpUrl }) }),
      }),
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: '{"id":1}' },
  refused: { status: 401, body: '{"error":"Unauthorized","errorCode":401}', says: 'Unauthorized' },
  shown: { title: plain, message: plain },
}

/** pushover.net/api, with its limits */
const pushover: Vendor<'pushover'> = {
  config: (origin) => ({
    form: 'pushover',
    token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi',
    user: 'u'.repeat(30),
    apiUrl: origin,
  }),
  path: () => '/1/messages.json',
  headers: {},
  body: () =>
    z.strictObject({
      token: z.string().length(30),
      user: z.string().length(30),
      message: short(1_024),
      title: z.string().max(250),
      url: httpUrl.max(512),
      url_title: z.string().max(100),
      // 2 would also need retry and expire
      priority: z.int().min(-2).max(1),
      timestamp: z.int().positive(),
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: '{"status":1,"request":"r"}' },
  refused: {
    status: 400,
    body: '{"user":"invalid","errors":["user identifier is invalid"],"status":0}',
    says: 'user identifier',
  },
  shown: { title: plain, message: plain },
}

/** developer.atlassian.com/cloud/jira/service-desk-ops/rest/v1/api-group-integration-events */
const jsm: Vendor<'jsm'> = {
  config: (origin) => ({ form: 'jsm', apiKey: 'the-key-of-jsm', apiUrl: origin }),
  path: (step) =>
    step === 'trigger'
      ? '/jsm/ops/integration/v2/alerts'
      : /^\/jsm\/ops\/integration\/v2\/alerts\/[^/?#]+\/close\?identifierType=alias$/,
  headers: { authorization: 'GenieKey the-key-of-jsm' },
  body: (step) =>
    step === 'resolve'
      ? z.strictObject({ note: z.string().max(25_000) })
      : z.strictObject({
          message: short(130),
          alias: short(512),
          description: z.string().max(15_000),
          details: z
            .record(z.string(), z.string())
            .refine((details) => Object.entries(details).flat().join('').length <= 8_000, 'too long'),
          priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
        }),
  bytesMax: 100_000,
  accepted: { status: 202, body: '{"result":"Request will be processed","requestId":"r"}' },
  refused: { status: 401, body: '{"message":"Could not authenticate"}', says: 'Could not authenticate' },
  shown: { message: plain, description: plain, note: plain },
}

export const vendors = {
  slack,
  pagerduty,
  telegram,
  ntfy,
  mattermost,
  google_chat: googleChat,
  gotify,
  pushover,
  jsm,
} as const satisfies { [Form in VendorForm]: Vendor<Form> }

/** Every way in which a request is not what the vendor documents. */
export const vendorProblems = (vendor: Vendor, { path, headers, body }: Sent, step: Step): string[] => {
  const wanted = vendor.path(step)
  const parsed = vendor.body(step).safeParse(JSON.parse(body))
  return [
    ...((typeof wanted === 'string' ? path === wanted : wanted.test(path)) ? [] : [`path ${path}`]),
    ...Object.entries({ 'content-type': 'application/json', ...vendor.headers }).flatMap(([name, value]) =>
      headers[name] === value ? [] : [`header ${name}`],
    ),
    ...(Buffer.byteLength(body) <= vendor.bytesMax ? [] : ['too many bytes']),
    ...(parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? []),
  ]
}

/** The texts that a person reads, decoded. @throws at markup that a message brought in */
export const shownTexts = (vendor: Vendor, body: string): string[] =>
  Object.entries(vendor.shown).flatMap(([path, decode]) =>
    valuesAt(JSON.parse(body), path.split('.')).flatMap((value) =>
      typeof value === 'string' ? [decode(value)] : [],
    ),
  )

const valuesAt = (value: unknown, [part, ...rest]: readonly string[]): unknown[] => {
  if (part === undefined) return [value]
  if (typeof value !== 'object' || value === null) return []
  const inner = part === '*' ? Object.values(value) : [(value as Record<string, unknown>)[part]]
  return inner.flatMap((each) => valuesAt(each, rest))
}
