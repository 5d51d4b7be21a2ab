import { z } from 'zod'
import { templateCharactersMax, templateProblems } from './body-template.ts'
import { ChannelKey, ChannelUrl, SigningSecret } from './config-fields.ts'
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

const Template = z
  .strictObject({
    form: z.literal('template'),
    url: ChannelUrl,
    contentType: z.enum(['json', 'form']),
    body: z.string().min(1).max(templateCharactersMax),
    headers: HeaderLines.optional(),
  })
  .superRefine(({ body, contentType }, context) => {
    for (const message of templateProblems(body, contentType)) {
      context.addIssue({ code: 'custom', path: ['body'], message })
    }
  })

/** The forms of the `json` channel: ours, one for each vendor, and the owner's own body (S-2001). */
export const jsonForms = {
  default: z.strictObject({
    form: z.literal('default').optional(),
    url: ChannelUrl,
    secret: SigningSecret.optional(),
  }),
  slack: z.strictObject({ form: z.literal('slack'), webhookUrl: ChannelUrl }),
  pagerduty: z.strictObject({
    form: z.literal('pagerduty'),
    routingKey: ChannelKey.length(32, 'must have 32 characters'),
    apiUrl: ChannelUrl.optional(),
  }),
  telegram: z.strictObject({
    form: z.literal('telegram'),
    botToken: TelegramToken,
    chatId: TelegramChat,
    apiUrl: ChannelUrl.optional(),
  }),
  ntfy: z.strictObject({
    form: z.literal('ntfy'),
    topicUrl: NtfyTopicUrl,
    accessToken: ChannelKey.optional(),
  }),
  mattermost: z.strictObject({ form: z.literal('mattermost'), webhookUrl: ChannelUrl }),
  google_chat: z.strictObject({ form: z.literal('google_chat'), webhookUrl: ChannelUrl }),
  gotify: z.strictObject({ form: z.literal('gotify'), url: ChannelUrl, token: ChannelKey }),
  pushover: z.strictObject({
    form: z.literal('pushover'),
    token: ChannelKey,
    user: ChannelKey,
    apiUrl: ChannelUrl.optional(),
  }),
  jsm: z.strictObject({ form: z.literal('jsm'), apiKey: ChannelKey, apiUrl: ChannelUrl.optional() }),
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
