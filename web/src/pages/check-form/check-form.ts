import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { Me } from '@probe-mesh/contracts/account/account'
import type { RuleReplay } from '@probe-mesh/contracts/check/rule-replay'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import {
  checkField,
  problemsOf,
  problemSummary,
  textField,
  type FormState,
} from '../../html/components/form.ts'
import { flag, html, type Html } from '@probe-mesh/runtime/html'
import { fieldNames, isProbed } from './check-texts.ts'
import { fieldHtml } from './field-html.ts'
import { enterButton } from '../rules/check-boxes.ts'
import { offersIn, offersOf } from './offers.ts'
import { replayPanel } from './replay-panel.ts'
import { hasStatusRule, statusRuleFields } from './status-rule-fields.ts'
import { agentField, intervalField, regionsField } from './schedule-fields.ts'
import { stepsIn } from './step-texts.ts'
import { stepsEditor } from './steps-editor.ts'
import { trialPanel } from './trial-panel.ts'
import type { FieldGroup } from '../../html/components/field.ts'
import { groupsOf } from '../check-fields/type-forms.ts'

type CheckFormPage = {
  path: string
  me: Me
  agents: readonly PrivateAgent[]
  trial: Trial | null
  save: string
  cancelPath: string
  /** What the rule in the form would have done to a stored check; null before it was tried. */
  replay?: RuleReplay | null
  /** A stored check can be paused. */
  isStored?: boolean
  /** What people know about a stored check. */
  notes?: { fields: Html; isOpen: boolean }
  /** The checks that a stored check depends on, with a search that the Enter key presses. */
  parents?: Html
  isParentsOpen?: boolean
}

/**
 * The form of a new or stored check: target and schedule are visible, the rest is collapsed until used. The
 * trial is next to it, and its buttons stay visible at the bottom.
 * @param page.path the form posts here, with `act` `save` or `try`
 */
export const checkForm = (type: CheckType, form: FormState, page: CheckFormPage): Html => {
  const { path, me, agents, trial } = page
  const [first, ...others] = groupsOf(type)
  const main = first?.isFolded === true ? undefined : first
  const isNamedElsewhere = page.isStored === true && type === 'http'
  const groups = main === undefined ? groupsOf(type) : others
  return html`${problemSummary(form, fieldNames(type, form.typed))}
    <form class="check-form" method="post" action="${path}" novalidate>
      ${page.parents === undefined ? enterSaves : enterButton}
      <div class="form-main">
        <div class="card fields">
          ${main !== undefined && main.fields.map((field) => fieldHtml(form, isNamedElsewhere && field.name === 'url' ? { ...field, hint: urlElsewhere } : field))}
          ${textField(form, {
            name: 'name',
            label: 'Name',
            hint: nameHint(type, isNamedElsewhere),
            isRequired: type === 'heartbeat',
          })}
        </div>
        ${type === 'multistep' && html`<div class="card">${stepsEditor(form, path, stepsIn(form.typed).length)}</div>`}
        ${
          isProbed(type) &&
          html`<div class="card fields">
            ${intervalField(type, form, me)} ${agentField(type, form, agents)}
            ${regionsField(form, me.regions)}
          </div>`
        }
        <div class="card folds">${foldsOf(type, form, page, groups)}</div>
      </div>
      ${isProbed(type) && html`<aside class="form-side" aria-label="Try">${trialPanel(path, trial, type !== 'http' ? [] : trial === null ? offersIn(form.typed) : offersOf(trial))}</aside>`}
      <div class="form-bar">
        <button class="primary" type="submit" name="act" value="save">${page.save}</button>
        <a class="button" href="${page.cancelPath}">Cancel</a>
      </div>
    </form>`
}

/** What is collapsed until it is used. */
const foldsOf = (
  type: CheckType,
  form: FormState,
  page: CheckFormPage,
  groups: readonly FieldGroup[],
): Html =>
  html`${groups.map((group) => foldedGroup(form, group))}
  ${
    isProbed(type) &&
    fold(
      'What decides down',
      hasStatusRule(form) || (page.replay ?? null) !== null,
      statusRuleFields(
        form,
        page.me.regions.length,
        page.isStored === true ? replayPanel(page.path, page.replay ?? null) : null,
      ),
    )
  }
  ${fold(
    'Tags',
    (form.typed['tags'] ?? '') !== '' || problemsOf(form, 'tags').length > 0,
    textField(form, {
      name: 'tags',
      label: 'Tags',
      hint: 'Separated by commas, such as shop, production.',
    }),
  )}
  ${page.notes !== undefined && fold('Runbook and notes', page.notes.isOpen, page.notes.fields)}
  ${
    page.parents !== undefined &&
    fold('Depends on', page.isParentsOpen === true || problemsOf(form, 'parentIds').length > 0, page.parents)
  }
  ${
    page.isStored === true &&
    fold(
      'Pause',
      form.typed['paused'] !== undefined,
      checkField(form, {
        name: 'paused',
        label: 'Paused',
        hint: 'A paused check is not measured, and no probes count as missed.',
      }),
    )
  }`

const urlElsewhere =
  'A checks file or Terraform with the old URL would replace this check at the next apply. Change it there too.'

const nameHint = (type: CheckType, isNamedElsewhere: boolean): string => {
  if (type === 'heartbeat') return 'Shown in lists, alerts and status pages.'
  return isNamedElsewhere
    ? 'A checks file with the old name would create a second check, and Terraform would replace this one. Change it there too.'
    : 'Default: the target.'
}

const foldedGroup = (form: FormState, { legend, fields }: FieldGroup): Html => {
  const isUsed = fields.some(
    ({ name, kind }) =>
      ((form.typed[name] ?? '') !== '' && kind !== 'choice') ||
      (kind === 'choice' && (form.typed[name] ?? '') !== '') ||
      problemsOf(form, name).length > 0,
  )
  return fold(legend, isUsed, html`${fields.map((field) => fieldHtml(form, field))}`)
}

const fold = (legend: string, isOpen: boolean, content: Html): Html =>
  html`<details${flag('open', isOpen)}>
    <summary>${legend}</summary>
    <div class="fields">${content}</div>
  </details>`

/** Enter presses the first button of a form; without this one that is a button of a step. */
const enterSaves = html`<button
  class="unseen"
  type="submit"
  name="act"
  value="save"
  tabindex="-1"
  aria-hidden="true"
>
  Save
</button>`

/** Problems of an edit name assertions within their object; the form's fields do not. */
export const withoutAssertionsPath = (form: FormState): FormState => ({
  ...form,
  problems: form.problems.map((problem) => ({ ...problem, path: problem.path.replace(/^assertions\./, '') })),
})
