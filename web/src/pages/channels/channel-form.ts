import type { Channel, ChannelType } from '@probe-mesh/contracts/channel/channel'
import { problemSummary, textField } from '../../html/components/form.ts'
import type { FormState, Typed } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

export const channelNames: Readonly<Record<ChannelType, string>> = {
  discord: 'Discord',
  teams: 'Microsoft Teams',
  opsgenie: 'Opsgenie',
  json: 'JSON webhook',
}

type ConfigField = { key: string; label: string; hint: string; isOptional?: true; isSecret?: true }

/** The keys of each type's config, as the schemas of `contracts` have them. */
const configFields: Readonly<Record<ChannelType, readonly ConfigField[]>> = {
  discord: [
    {
      key: 'webhookUrl',
      label: 'Webhook URL',
      hint: 'In Discord: Server settings, Integrations, Webhooks, New webhook, Copy webhook URL.',
    },
  ],
  teams: [
    {
      key: 'webhookUrl',
      label: 'Webhook URL',
      hint: 'In Teams: the menu of a channel, Workflows, "Post to a channel when a webhook request is received". Copy the URL at the end.',
    },
  ],
  opsgenie: [
    {
      key: 'apiKey',
      label: 'API key',
      hint: 'In Opsgenie: Teams, your team, Integrations, Add integration, API. It needs access to create and close alerts.',
      isSecret: true,
    },
    {
      key: 'apiUrl',
      label: 'API URL (optional)',
      hint: 'https://api.eu.opsgenie.com for accounts in the EU. Default: https://api.opsgenie.com.',
      isOptional: true,
    },
  ],
  json: [
    { key: 'url', label: 'URL', hint: 'Messages are posted there as JSON.' },
    {
      key: 'secret',
      label: 'Signing secret (optional)',
      hint: 'At least 16 characters, or whsec_ and base64. Signatures follow Standard Webhooks.',
      isOptional: true,
      isSecret: true,
    },
  ],
}

/** The label of each key, as summaries show it. */
export const configLabels: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(configFields)
    .flat()
    .map(({ key, label }) => [key, label.replace(' (optional)', '')]),
)

/** The channel's config from the form; null if all of it is empty. */
export const configOf = (type: ChannelType, typed: Typed): Record<string, string> | null => {
  const given = configFields[type].flatMap(({ key }) => {
    const text = (typed[`config.${key}`] ?? '').trim()
    return text === '' ? [] : [[key, text] as const]
  })
  return given.length === 0 ? null : Object.fromEntries(given)
}

/** @param channel the edited channel; null for a new one */
export const channelForm = (type: ChannelType, channel: Channel | null, form: FormState): Html => {
  const fields = configFields[type]
  return html`
    ${problemSummary(form, ['name', ...fields.map(({ key }) => `config.${key}`)])}
    <form method="post" action="/dashboard/channels${channel === null ? '' : `/${channel.id}`}">
      <input type="hidden" name="type" value="${type}" />
      <div class="fields">
        ${textField(form, { name: 'name', label: 'Name', fallback: channel?.name ?? '', isRequired: true })}
        ${channel !== null && html`<p class="hint">Leave the fields below empty to keep the stored credentials. A new value replaces all of them.</p>`}
        ${fields.map(({ key, label, hint, isOptional, isSecret }) =>
          textField(form, {
            name: `config.${key}`,
            label,
            hint,
            type: isSecret === true ? 'password' : 'url',
            autocomplete: isSecret === true ? 'new-password' : 'off',
            isRequired: channel === null && isOptional !== true,
          }),
        )}
      </div>
      <p class="muted small-print">Credentials are stored encrypted and never shown again.</p>
      <p class="actions">
        <button class="primary" type="submit">${channel === null ? 'Create channel' : 'Save channel'}</button>
        <a href="/dashboard/channels">Cancel</a>
      </p>
    </form>
  `
}
