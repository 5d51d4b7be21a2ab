import { z } from 'zod'
import { field } from '../schema/field.ts'
import { templateCharactersMax, templateProblems } from './body-template.ts'
import {
  apiKey,
  apiUrl,
  ChannelKey,
  ChannelUrl,
  postUrl,
  SigningSecret,
  webhookUrl,
} from './config-fields.ts'
import { HeaderLines } from './template-headers.ts'

/** A bot's token is a part of the path of each request. */
const TelegramToken = ChannelKey.regex(/^\d+:[\w-]+$/, 'must be a token of BotFather, such as 123456:ABC-DEF')
const TelegramChat = z
  .string()
  .max(100)
  .regex(/^(-?\d+|@\w+)$/, 'must be the number of a chat, or @ and the name of a channel')

/** The last part of the path is the topic. */
const NtfyTopicUrl = ChannelUrl.refine(
  (text) => !URL.canParse(text) || /\/[\w-]{1,64}$/.test(new URL(text).pathname),
  'must end with the topic, such as https://ntfy.sh/my-topic',
)

const form = <T extends string>(name: T) =>
  field(
    z.literal(name),
    'Form of the request: ours without it, that of a vendor, or `template` for your own body.',
    'slack',
  )

const Template = z
  .strictObject({
    form: form('template'),
    url: postUrl,
    contentType: field(z.enum(['json', 'form']), 'How values of fields are encoded in the body.', 'json'),
    body: field(
      z.string().min(1).max(templateCharactersMax),
      'Own body. `{{ field }}` is replaced by a field of the message.',
      '{"text": "{{ title }}"}',
    ),
    headers: field(HeaderLines.optional(), 'Own headers, one `Name: value` a line.', 'X-Env: prod'),
  })
  .superRefine(({ body, contentType }, context) => {
    for (const message of templateProblems(body, contentType)) {
      context.addIssue({ code: 'custom', path: ['body'], message })
    }
  })

/** The forms of the `json` channel: ours, one for each vendor, and the owner's own body (S-2001). */
export const jsonForms = {
  default: z.strictObject({
    form: form('default').optional(),
    url: postUrl,
    secret: field(
      SigningSecret.optional(),
      'Signs each message by Standard Webhooks. Absent: not signed.',
      'sixteen characters or more',
    ),
  }),
  slack: z.strictObject({
    form: form('slack'),
    webhookUrl,
  }),
  pagerduty: z.strictObject({
    form: form('pagerduty'),
    routingKey: field(
      ChannelKey.length(32, 'must have 32 characters'),
      'Integration key of PagerDuty.',
      '0123456789abcdef0123456789abcdef',
    ),
    apiUrl,
  }),
  telegram: z.strictObject({
    form: form('telegram'),
    botToken: field(TelegramToken, 'Token of the Telegram bot.', '123456:ABC-DEF'),
    chatId: field(TelegramChat, 'Number of the chat, or @ and the name of a channel.', '-1001234567890'),
    apiUrl,
  }),
  ntfy: z.strictObject({
    form: form('ntfy'),
    topicUrl: field(NtfyTopicUrl, 'Server and topic of ntfy.', 'https://ntfy.sh/my-topic'),
    accessToken: field(
      ChannelKey.optional(),
      'Access token of ntfy. Absent: an open topic.',
      'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2',
    ),
  }),
  mattermost: z.strictObject({
    form: form('mattermost'),
    webhookUrl,
  }),
  google_chat: z.strictObject({
    form: form('google_chat'),
    webhookUrl,
  }),
  gotify: z.strictObject({
    form: form('gotify'),
    url: postUrl,
    token: field(ChannelKey, 'Token of the application.', 'azGDORePK8gMaC0QOYAMyEEuzJnyUi'),
  }),
  pushover: z.strictObject({
    form: form('pushover'),
    token: field(ChannelKey, 'Token of the application.', 'azGDORePK8gMaC0QOYAMyEEuzJnyUi'),
    user: field(ChannelKey, 'Key of the Pushover user or group.', 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG'),
    apiUrl,
  }),
  jsm: z.strictObject({
    form: form('jsm'),
    apiKey,
    apiUrl,
  }),
  template: Template,
} as const satisfies Record<string, z.ZodObject>

export type JsonForm = keyof typeof jsonForms

export const jsonFormNames = Object.keys(jsonForms) as JsonForm[]

/** Every value is a text, so that Terraform's `map(string)` holds each config. */
export const JsonConfig = z.discriminatedUnion(
  'form',
  [
    jsonForms.default,
    jsonForms.slack,
    jsonForms.pagerduty,
    jsonForms.telegram,
    jsonForms.ntfy,
    jsonForms.mattermost,
    jsonForms.google_chat,
    jsonForms.gotify,
    jsonForms.pushover,
    jsonForms.jsm,
    jsonForms.template,
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? `must be one of ${jsonFormNames.join(', ')}` : undefined,
  },
)
export type JsonConfig = z.infer<typeof JsonConfig>

/** The config of one form; `default` for the form without a name. */
export type JsonConfigOf<Form extends JsonForm> = z.infer<(typeof jsonForms)[Form]>
