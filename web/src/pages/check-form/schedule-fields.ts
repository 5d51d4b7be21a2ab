import { privateTypes } from '@probe-mesh/contracts/check/types-with-settings'
import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { Me } from '@probe-mesh/contracts/account/account'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'
import { idOf, problemsOf, selectField, type FormState } from '../../html/components/form.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { shortDuration } from '../../html/measures.ts'
import { attribute, flag, html, type Html } from '@probe-mesh/runtime/html'
import { fastestOf } from './check-texts.ts'
import { splitRegions } from './regions-text.ts'

/** Offered intervals, seconds; a check with another interval keeps it as an additional choice. */
const intervals = [10, 30, 60, 300, 600, 1_800, 3_600, 21_600, 86_400] as const

/** The interval, as choices from the shortest that the plan and the type allow. */
export const intervalField = (type: CheckType, form: FormState, me: Pick<Me, 'limits'>): Html => {
  const fastest = fastestOf(type, me)
  const typed = form.typed['intervalSeconds'] ?? ''
  const own = /^\d{1,6}$/.test(typed) ? [Number(typed)] : []
  const offered = [...new Set([fastest, ...intervals.filter((each) => each > fastest), ...own])].toSorted(
    (a, b) => a - b,
  )
  return segments(form, {
    name: 'intervalSeconds',
    label: 'Interval',
    type: 'radio',
    choices: offered.map((seconds) => ({
      value: String(seconds),
      label: html`${shortDuration(seconds)}`,
      isChosen: String(seconds) === typed,
    })),
  })
}

/** The regions that measure a check. @param live every region; chosen ones are in the form */
export const regionsField = (form: FormState, live: readonly string[]): Html => {
  const chosen = splitRegions(form.typed['regions']).filter((region) => !isPrivateRegion(region))
  // a chosen region that is no longer live is shown, so that it can be removed
  const offered = [...live, ...chosen.filter((region) => !live.includes(region))]
  return segments(form, {
    name: 'regions',
    label: 'Regions',
    hint: 'All of them includes regions that are added later.',
    type: 'checkbox',
    choices: offered.map((region) => ({
      value: region,
      label: regionLabel(region),
      isChosen: chosen.includes(region),
    })),
  })
}

type Segment = { value: string; label: Html; isChosen: boolean }

/** Choices side by side, single (radio) or multiple (checkbox). */
const segments = (
  form: FormState,
  field: {
    name: string
    label: string
    hint?: string
    type: 'radio' | 'checkbox'
    choices: readonly Segment[]
  },
): Html => {
  const id = idOf(field.name)
  const own = problemsOf(form, field.name)
  return html`<fieldset
    class="plain-set"
    id="${id}"
    ${attribute('aria-describedby', own.length > 0 ? `${id}-problem` : null)}
  >
    <legend>${field.label}</legend>
    ${field.hint !== undefined && html`<p class="hint">${field.hint}</p>`}
    <div class="segments">
      ${field.choices.map(
        ({ value, label, isChosen }) =>
          html`<label
            ><input
              type="${field.type}"
              name="${field.name}"
              value="${value}"
              ${flag('checked', isChosen)}
            />${label}</label
          >`,
      )}
    </div>
    ${own.length > 0 && html`<p class="problem" id="${id}-problem">${own.map(({ message }) => message).join('; ')}</p>`}
  </fieldset>`
}

/** The private agent in a text of regions; empty for regions of the mesh. */
const agentIn = (regions: string | undefined): string =>
  isPrivateRegion(regions ?? '') ? (regions ?? '') : ''

/** Whether a check runs from regions of the mesh or from a private agent. Null without a choice. */
export const agentField = (
  type: CheckType,
  form: FormState,
  agents: readonly Pick<PrivateAgent, 'name' | 'region' | 'revokedAt'>[],
): Html | null => {
  const chosen = agentIn(form.typed['regions'])
  const offered = agents.filter(({ region, revokedAt }) => revokedAt === null || region === chosen)
  if (!privateTypes.has(type) || offered.length === 0) return null
  return selectField(
    { ...form, typed: { ...form.typed, agent: chosen } },
    {
      name: 'agent',
      label: 'Runs from',
      hint: 'A check on your own agent stays private: no status page can show it.',
      choices: [
        { value: '', label: 'the regions below' },
        ...offered.map(({ name, region, revokedAt }) => ({
          value: region,
          label: revokedAt === null ? `your agent ${name}` : `your agent ${name} (revoked)`,
        })),
      ],
    },
  )
}
