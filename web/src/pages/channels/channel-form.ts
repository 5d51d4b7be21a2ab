import type { Channel } from '@probe-mesh/contracts/channel/channel'
import {
  longTextField,
  problemSummary,
  selectField,
  textField,
  type FormState,
  type Typed,
} from '../../html/components/form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { presets, typeOf, type ConfigField, type Preset } from './presets.ts'

/** The label of each key of a preset, as summaries show it. */
export const configLabels = (preset: Preset): Readonly<Record<string, string>> =>
  Object.fromEntries(presets[preset].fields.map(({ key, label }) => [key, label.replace(' (optional)', '')]))

/** The channel's config from the form; null if all of it is empty. */
export const configOf = (preset: Preset, typed: Typed): Record<string, string> | null => {
  const { fields } = presets[preset]
  const given = fields.flatMap(({ key }) => {
    const text = (typed[`config.${key}`] ?? '').trim()
    return text === '' ? [] : [[key, text] as const]
  })
  // a choice is never empty
  const isEmpty = given.every(([key]) => fields.some((field) => field.key === key && field.kind === 'choice'))
  const { form } = typeOf(preset)
  return isEmpty ? null : Object.fromEntries([...(form === null ? [] : [['form', form]]), ...given])
}

const contentTypes = [
  { value: 'json', label: 'JSON' },
  { value: 'form', label: 'Form' },
]

const configField = (
  form: FormState,
  { key, label, hint, isOptional, kind }: ConfigField,
  isNew: boolean,
): Html => {
  const field = { name: `config.${key}`, label, hint, isRequired: isNew && isOptional !== true }
  if (kind === 'choice') return selectField(form, { ...field, choices: contentTypes, fallback: 'json' })
  if (kind === 'lines') return longTextField(form, { ...field, rows: 6 })
  if (kind === 'secret') return textField(form, { ...field, type: 'password', autocomplete: 'new-password' })
  return textField(form, { ...field, type: kind === 'text' ? 'text' : 'url', autocomplete: 'off' })
}

/** @param channel the edited channel; null for a new one */
export const channelForm = (preset: Preset, channel: Channel | null, form: FormState): Html => {
  const { fields, note } = presets[preset]
  const { type, form: formName } = typeOf(preset)
  return html`
    ${problemSummary(form, ['name', ...fields.map(({ key }) => `config.${key}`)])}
    ${note !== undefined && html`<p class="warned">${note}</p>`}
    <form method="post" action="/dashboard/channels${channel === null ? '' : `/${channel.id}`}">
      <input type="hidden" name="type" value="${type}" />
      ${formName !== null && html`<input type="hidden" name="config.form" value="${formName}" />`}
      <div class="fields">
        ${textField(form, { name: 'name', label: 'Name', fallback: channel?.name ?? '', isRequired: true })}
        ${channel !== null && html`<p class="hint">Leave the fields below empty to keep the stored credentials. A new value replaces all of them.</p>`}
        ${fields.map((field) => configField(form, field, channel === null))}
      </div>
      <p class="muted small-print">Credentials are stored encrypted and never shown again.</p>
      <p class="actions">
        <button class="primary" type="submit">${channel === null ? 'Create channel' : 'Save channel'}</button>
        <a href="/dashboard/channels">Cancel</a>
      </p>
    </form>
  `
}
