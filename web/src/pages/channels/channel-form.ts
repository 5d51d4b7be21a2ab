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

const webhook: ConfigField = {
  key: 'webhookUrl',
  label: 'Webhook address',
  hint: 'Whoever has it can post there: it is stored encrypted and not shown again.',
}

/** The keys of each type's config, as the schemas of `contracts` have them. */
const configFields: Readonly<Record<ChannelType, readonly ConfigField[]>> = {
  discord: [webhook],
  teams: [webhook],
  opsgenie: [
    { key: 'apiKey', label: 'API key', hint: 'Stored encrypted, not shown again.', isSecret: true },
    {
      key: 'apiUrl',
      label: 'API address (optional)',
      hint: 'Left empty: https://api.opsgenie.com.',
      isOptional: true,
    },
  ],
  json: [
    { key: 'url', label: 'Address', hint: 'Messages are posted there as JSON.' },
    {
      key: 'secret',
      label: 'Secret for signatures (optional)',
      hint: 'At least 16 characters, or whsec_ and base64. Left empty: messages are not signed.',
      isOptional: true,
      isSecret: true,
    },
  ],
}

/** What the form has of a channel's config; null where all of it was left empty. */
export const configOf = (type: ChannelType, typed: Typed): Record<string, string> | null => {
  const given = configFields[type].flatMap(({ key }) => {
    const text = (typed[`config.${key}`] ?? '').trim()
    return text === '' ? [] : [[key, text] as const]
  })
  return given.length === 0 ? null : Object.fromEntries(given)
}

/** @param channel what is changed; null for a new one */
export const channelForm = (type: ChannelType, channel: Channel | null, form: FormState): Html => {
  const fields = configFields[type]
  return html`
    ${problemSummary(form, ['name', ...fields.map(({ key }) => `config.${key}`)])}
    <form method="post" action="/dashboard/channels${channel === null ? '' : `/${channel.id}`}">
      <input type="hidden" name="type" value="${type}" />
      <div class="fields">
        ${textField(form, { name: 'name', label: 'Name', fallback: channel?.name ?? '', isRequired: true })}
        ${
          channel !== null &&
          html`<p class="hint">
            Leave what follows empty to keep it. If anything of it is given, all of it is replaced: a secret
            that is left empty then is gone.
          </p>`
        }
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
      <p class="actions">
        <button class="primary" type="submit">
          ${channel === null ? 'Make the channel' : 'Save the channel'}
        </button>
        <a href="/dashboard/channels">Back to the channels</a>
      </p>
    </form>
  `
}
