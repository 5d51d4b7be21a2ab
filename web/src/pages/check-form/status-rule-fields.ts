import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import { failuresMax, slowMsMax, type StatusRule } from '@probe-mesh/contracts/check/status-rule'
import { html, type Html } from '@probe-mesh/runtime/html'
import { problemsOf, type FormState, type Typed } from '../../html/components/form.ts'
import { fieldHtml } from './field-html.ts'
import type { Field } from '../../html/components/field.ts'
import { textsOf, valuesOf, type Values } from '../check-fields/field.ts'

const failingRegions = 'statusRule.failingRegions'

/** @param regions the most that can be chosen */
const fieldsFor = (regions: number): readonly Field[] => [
  {
    name: failingRegions,
    label: 'Down when',
    kind: 'choice',
    hint: 'Only regions that can judge it now count. Refused, missing and quarantined readings are no failures.',
    choices: [
      { value: 'majority', label: 'most regions fail: more than half, of several at least two' },
      { value: 'any', label: 'any region fails' },
      ...Array.from({ length: Math.max(0, regions - 1) }, (_each, index) => ({
        value: String(index + 2),
        label: `${index + 2} regions fail`,
      })),
      { value: 'all', label: 'all regions fail, of several at least two' },
    ],
  },
  {
    name: 'statusRule.failures',
    label: 'Failed slots in a row, in a region',
    kind: 'number',
    isShort: true,
    hint: `1 to ${failuresMax}. Empty: two readings, since all regions measure again at once after a failure. With a number only slots of the schedule count.`,
  },
  {
    name: 'statusRule.slowMs',
    label: 'Degraded above, in ms',
    kind: 'number',
    isShort: true,
    hint: `Up to ${inFigures(slowMsMax)}. Degraded while most regions that are up were slower in their last two readings. Empty: never.`,
  },
]

export const statusRuleNames: readonly string[] = fieldsFor(0).map(({ name }) => name)

/** The rule in submitted fields, absent without them; the API reports its problems. */
export const statusRuleIn = (typed: Typed): Values => {
  if (typed[failingRegions] === undefined) return {}
  const { statusRule } = valuesOf(fieldsFor(0), typed)
  const chosen = Number(typed[failingRegions])
  const number = Number.isInteger(chosen) && chosen > 0 ? { failingRegions: chosen } : {}
  return { statusRule: { ...(statusRule as Values), ...number } }
}

/** The fields of a form that show a rule; one region is the same as any. */
export const typedOfRule = (rule: StatusRule): Typed =>
  textsOf(fieldsFor(0), {
    statusRule: { ...rule, failingRegions: rule.failingRegions === 1 ? 'any' : rule.failingRegions },
  })

/** Whether the form has something else than the default. */
export const hasStatusRule = (form: FormState): boolean =>
  (form.typed[failingRegions] ?? 'majority') !== 'majority' ||
  statusRuleNames.some(
    (name) =>
      (name !== failingRegions && (form.typed[name] ?? '') !== '') || problemsOf(form, name).length > 0,
  )

/** @param replay what the rule would have done; null for a check without readings */
export const statusRuleFields = (form: FormState, regions: number, replay: Html | null): Html => {
  const chosen = Number(form.typed[failingRegions])
  // more than are live now: shown, so that it can be changed
  const offered = Number.isInteger(chosen) ? Math.max(regions, chosen) : regions
  return html`${fieldsFor(offered).map((field) => fieldHtml(form, field))}
    <p class="hint">
      Alert rules follow the status: a rule that names <i>down</i> sends when this makes the check down, and
      until then a failing or slow check is <i>degraded</i>. An alert ends with <i>operational</i>: not while
      the check is slow.
    </p>
    ${replay}`
}
