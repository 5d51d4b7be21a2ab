import type { Check, CheckType } from '@probe-mesh/contracts/check/check'
import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { typeIntervalSecondsMin } from '@probe-mesh/contracts/check/check-input'
import { foldTag } from '@probe-mesh/contracts/check/tags'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Me } from '@probe-mesh/contracts/account/account'
import type { Typed } from '../../html/components/form.ts'
import type { Field } from '../../html/components/field.ts'
import { textsOf, valuesOf, type Values } from '../check-fields/field.ts'
import { statusRuleIn, statusRuleNames } from './status-rule-fields.ts'
import { requestValuesOf } from '../check-fields/request-fields.ts'
import { joinRegions, splitRegions } from './regions-text.ts'
import { newStep, stepInputs, stepsIn, stepTexts, typedSteps } from './step-texts.ts'
import { settingsTypeOf } from '@probe-mesh/contracts/check/types-with-settings'
import { groupsOf, typeForms } from '../check-fields/type-forms.ts'

/** The submitted fields. Regions are the chosen agent, or all chosen regions. */
export const typedIn = (form: URLSearchParams): Typed => {
  const { act: _act, agent = '', ...typed } = Object.fromEntries(form)
  return { ...typed, regions: agent === '' ? joinRegions(form.getAll('regions')) : agent }
}

const nameField: Field = { name: 'name', label: 'Name', kind: 'text', isRequired: true }
const intervalField: Field = { name: 'intervalSeconds', label: 'Interval', kind: 'number' }
/** The fields that form a type's body. */
const fieldsOf = (type: CheckType): readonly Field[] => groupsOf(type).flatMap(({ fields }) => fields)

/** No region probes a heartbeat; its settings define when a ping is due. */
export const isProbed = (type: CheckType): boolean => type !== 'heartbeat'

/** Tags from a comma-separated text, without duplicates. */
export const tagsIn = (text: string | undefined): string[] => {
  const tags = (text ?? '').split(',').map((tag) => tag.trim())
  return tags.filter(
    (tag, at) => tag !== '' && tags.findIndex((each) => foldTag(each) === foldTag(tag)) === at,
  )
}

const scheduleOf = (type: CheckType, typed: Typed): Values =>
  isProbed(type) ? { ...valuesOf([intervalField], typed), regions: splitRegions(typed['regions']) } : {}

const sharedOf = (type: CheckType, typed: Typed): Values => {
  const name = typed['name']?.trim() === '' ? nameOf(typed) : (typed['name'] ?? nameOf(typed))
  return { name, ...scheduleOf(type, typed) }
}

/** The default name of a check: its target. Empty without a target, so that the API asks for a name. */
const nameOf = (typed: Typed): string => {
  const [url, host, name] = [
    typed['url'] ?? typed['settings.url'],
    typed['settings.host'],
    typed['settings.name'],
  ]
  const address = url ?? stepsIn(typed)[0]?.['url']
  const text = host ?? withoutScheme(address) ?? name
  return (text ?? '').slice(0, limits.nameCharactersMax)
}

const withoutScheme = (url: string | undefined): string | undefined =>
  url?.replace(/^https?:\/\//i, '').replace(/\/$/, '')

/** The body that creates a check from submitted fields; the API reports its problems. */
export const createBody = (type: CheckType, typed: Typed): Values => {
  const tags = tagsIn(typed['tags'])
  const shared = { ...sharedOf(type, typed), ...(tags.length > 0 && { tags }) }
  const own = requestValuesOf(fieldsOf(type), typed)
  if (type === 'multistep')
    return { type, ...shared, ...statusRuleIn(typed), ...own, steps: stepInputs(stepsIn(typed)) }
  if (type === 'http') return { type, ...shared, ...statusRuleIn(typed), ...own }
  return { type, ...shared, ...(isProbed(type) && statusRuleIn(typed)), settings: {}, ...own }
}

/** The body that changes a check: empty fields are cleared. */
export const editBody = (type: CheckType, typed: Typed): Values => {
  const shared = {
    ...sharedOf(type, typed),
    tags: tagsIn(typed['tags']),
    paused: typed['paused'] !== undefined,
    ...(isProbed(type) && statusRuleIn(typed)),
  }
  const sendRegion = typed['sendRegion'] !== undefined
  if (type === 'multistep') return { ...shared, sendRegion, steps: stepInputs(stepsIn(typed)) }
  const own = requestValuesOf(fieldsOf(type), typed)
  if (type === 'http') {
    const assertions = Object.fromEntries(
      Object.entries(own).filter(([name]) => name.startsWith('assertion')),
    )
    const others = Object.entries(own).filter(([name]) => !name.startsWith('assertion'))
    const emptied = { timeoutSeconds: null, refusedAs: 'down', request: null }
    return { ...shared, ...emptied, ...Object.fromEntries(others), sendRegion, assertions }
  }
  const emptied = settingsTypeOf(type)?.hasTimeout === true ? { timeoutSeconds: null } : {}
  return { ...shared, settings: {}, ...emptied, ...own }
}

/** The fields of a form that show a check. */
export const typedOfCheck = (check: Check, config: CheckConfig): Typed => ({
  ...textsOf([nameField, intervalField, pausedField], check),
  ...(check.tags.length > 0 && { tags: check.tags.join(', ') }),
  ...(isProbed(check.type) && { regions: joinRegions(check.regions) }),
  ...textsOf(fieldsOf(check.type), config.type === 'http' ? { ...check, ...config } : config),
  ...(config.type === 'multistep' && typedSteps(stepTexts(config.steps))),
})

const pausedField: Field = { name: 'paused', label: 'Paused', kind: 'flag' }

/** The default interval of a new check, seconds. */
const intervalUsual = 60

/** The shortest interval that the plan and the type allow, seconds. */
export const fastestOf = (type: CheckType, me: Pick<Me, 'limits'>): number =>
  Math.max(me.limits.minimumIntervalSeconds, typeIntervalSecondsMin(type))

/** The fields of the form of a new check. */
export const typedOfNew = (type: CheckType, me: Pick<Me, 'limits' | 'regions'>): Typed => ({
  ...(isProbed(type) && {
    intervalSeconds: String(Math.max(intervalUsual, fastestOf(type, me))),
    regions: joinRegions(me.regions),
  }),
  ...(type === 'multistep' && typedSteps([newStep])),
  ...typeForms[type].usual,
})

/** The field names that problems refer to; the steps as a whole come last. */
export const fieldNames = (type: CheckType, typed: Typed): string[] => [
  'name',
  'intervalSeconds',
  'regions',
  'tags',
  'runbookUrl',
  'ownerId',
  'notes',
  'parentIds',
  ...statusRuleNames,
  ...fieldsOf(type).map(({ name }) => name),
  ...Object.keys(typed).filter((name) => name.startsWith('steps[')),
  ...(type === 'multistep' ? ['steps'] : []),
]
