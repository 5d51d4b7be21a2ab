import type { Channel, ChannelType } from '@probe-mesh/contracts/channel/channel'
import { templateFields } from '@probe-mesh/contracts/channel/body-template'
import { jsonFormNames, type JsonForm } from '@probe-mesh/contracts/channel/json-forms'

/** What a person chooses: a type, or a form of the JSON type. */
export type Preset = ChannelType | Exclude<JsonForm, 'default'>

export type ConfigField = {
  key: string
  label: string
  hint: string
  isOptional?: true
  /** How it is typed; a URL without it. */
  kind?: 'secret' | 'text' | 'lines' | 'choice'
}

type PresetWords = { name: string; note?: string; fields: readonly ConfigField[] }

const webhookUrl = (hint: string): ConfigField => ({ key: 'webhookUrl', label: 'Webhook URL', hint })
const secret = (key: string, label: string, hint: string): ConfigField => ({
  key,
  label,
  hint,
  kind: 'secret',
})
const apiUrl = (hint: string): ConfigField => ({
  key: 'apiUrl',
  label: 'API URL (optional)',
  hint,
  isOptional: true,
})

/** The name of each preset, and the keys of its config as the schemas of `contracts` have them. */
export const presets: Readonly<Record<Preset, PresetWords>> = {
  discord: {
    name: 'Discord',
    fields: [
      webhookUrl('In Discord: Server settings, Integrations, Webhooks, New webhook, Copy webhook URL.'),
    ],
  },
  teams: {
    name: 'Microsoft Teams',
    fields: [
      webhookUrl(
        'In Teams: the menu of a channel, Workflows, "Post to a channel when a webhook request is received". Copy the URL at the end.',
      ),
    ],
  },
  slack: {
    name: 'Slack',
    fields: [
      webhookUrl(
        'In Slack: your app, Features, Incoming Webhooks, Add New Webhook. It starts with https://hooks.slack.com/.',
      ),
    ],
  },
  pagerduty: {
    name: 'PagerDuty',
    fields: [
      secret(
        'routingKey',
        'Integration key',
        'In PagerDuty: your service, Integrations, Add integration, Events API v2. It has 32 characters.',
      ),
      apiUrl(
        'https://events.eu.pagerduty.com for accounts in the EU. Default: https://events.pagerduty.com.',
      ),
    ],
  },
  jsm: {
    name: 'Jira Service Management',
    fields: [
      secret(
        'apiKey',
        'API key',
        'In Jira Service Management: your team, Operations, Integrations, Add integration, API. Not an API token of a user.',
      ),
      apiUrl('Default: https://api.atlassian.com.'),
    ],
  },
  opsgenie: {
    name: 'Opsgenie',
    note: 'Opsgenie ends on 2027-04-05. Its successor is Jira Service Management, which has its own preset.',
    fields: [
      secret(
        'apiKey',
        'API key',
        'In Opsgenie: Teams, your team, Integrations, Add integration, API. It needs access to create and close alerts.',
      ),
      apiUrl('https://api.eu.opsgenie.com for accounts in the EU. Default: https://api.opsgenie.com.'),
    ],
  },
  telegram: {
    name: 'Telegram',
    fields: [
      secret('botToken', 'Bot token', 'In Telegram: write /newbot to @BotFather and copy the token.'),
      {
        key: 'chatId',
        label: 'Chat',
        hint: 'The number of the chat, such as -1001234567890, or @ and the name of a public channel. Add the bot to it.',
        kind: 'text',
      },
      apiUrl('For your own Bot API server. Default: https://api.telegram.org.'),
    ],
  },
  ntfy: {
    name: 'ntfy',
    fields: [
      {
        key: 'topicUrl',
        label: 'Topic URL',
        hint: 'The server and the topic, such as https://ntfy.sh/my-topic.',
      },
      {
        ...secret('accessToken', 'Access token (optional)', 'For a protected topic. It starts with tk_.'),
        isOptional: true,
      },
    ],
  },
  mattermost: {
    name: 'Mattermost',
    fields: [
      webhookUrl('In Mattermost: Product menu, Integrations, Incoming Webhooks, Add Incoming Webhook.'),
    ],
  },
  google_chat: {
    name: 'Google Chat',
    fields: [webhookUrl('In Google Chat: the menu of a space, Apps & integrations, Webhooks, Add webhook.')],
  },
  gotify: {
    name: 'Gotify',
    fields: [
      { key: 'url', label: 'Server URL', hint: 'The root of your Gotify server.' },
      secret('token', 'Application token', 'In Gotify: Apps, Create application.'),
    ],
  },
  pushover: {
    name: 'Pushover',
    fields: [
      secret('token', 'API token', 'In Pushover: Your Applications, Create an Application/API Token.'),
      secret('user', 'User or group key', 'On the home page of your Pushover account.'),
      apiUrl('Default: https://api.pushover.net.'),
    ],
  },
  json: {
    name: 'JSON webhook',
    fields: [
      { key: 'url', label: 'URL', hint: 'Messages are posted there as JSON.' },
      {
        ...secret(
          'secret',
          'Signing secret (optional)',
          'At least 16 characters, or whsec_ and base64. Signatures follow Standard Webhooks.',
        ),
        isOptional: true,
      },
    ],
  },
  template: {
    name: 'Custom request',
    fields: [
      { key: 'url', label: 'URL', hint: 'The request is a POST to it.' },
      {
        key: 'contentType',
        label: 'Content type',
        hint: 'How the values of fields are encoded.',
        kind: 'choice',
      },
      {
        key: 'body',
        label: 'Body',
        hint: `Fields: ${templateFields.map((field) => `{{ ${field} }}`).join(', ')}. In JSON, write them inside quotes.`,
        kind: 'lines',
      },
      {
        key: 'headers',
        label: 'Headers (optional)',
        hint: 'One a line, such as Authorization: Bearer …; at most 10.',
        isOptional: true,
        kind: 'lines',
      },
    ],
  },
}

export const presetNames = Object.keys(presets) as Preset[]

/** The preset of a type and a form; null when there is none. */
export const presetOf = (type: string | null, form: string | null | undefined): Preset | null => {
  const isForm = type === 'json' && form !== undefined && form !== null && form !== '' && form !== 'default'
  return (
    presetNames.find((preset) => preset === (isForm ? form : type) && isForm === isFormOf(preset)) ?? null
  )
}

const isFormOf = (preset: Preset): preset is Exclude<JsonForm, 'default'> =>
  jsonFormNames.some((form) => form === preset)

/** The type and the form that a preset stands for. */
export const typeOf = (preset: Preset): { type: ChannelType; form: Exclude<JsonForm, 'default'> | null } =>
  isFormOf(preset) ? { type: 'json', form: preset } : { type: preset, form: null }

/** The preset of a channel; that of its type when its form is of a later version. */
export const presetOfChannel = ({ type, configSummary }: Channel): Preset =>
  presetOf(type, configSummary['form']) ?? type
