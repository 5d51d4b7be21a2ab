import type { Check, CheckType } from '@probe-mesh/contracts/check/check'
import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { typeIntervalSecondsMin } from '@probe-mesh/contracts/check/check-input'
import type { Me } from '@probe-mesh/contracts/account/account'
import type { Typed } from '../../html/components/form.ts'
import { textsOf, valuesOf } from './field.ts'
import type { Field, Values } from './field.ts'
import { joinRegions, splitRegions } from './regions-field.ts'
import { newStep, stepInputs, stepsIn, stepTexts, typedSteps } from './step-texts.ts'
import { refusedAsField, timeoutField, typeFields } from './type-fields.ts'

/** What a form for checks sent, by field; an agent that is chosen, or of the boxes of the regions all that are ticked. Pure. */
export const typedIn = (form: URLSearchParams): Typed => {
  const { act: _act, agent = '', ...typed } = Object.fromEntries(form)
  return { ...typed, regions: agent === '' ? joinRegions(form.getAll('regions')) : agent }
}

const nameField: Field = { name: 'name', label: 'Name', kind: 'text', isRequired: true }
const intervalField: Field = { name: 'intervalSeconds', label: 'Interval', kind: 'number' }
/** The fields of a type by which its body is made. */
export const fieldsOf = (type: CheckType): readonly Field[] =>
  typeFields[type].flatMap(({ fields }) => fields)

/** A heartbeat is probed nowhere, and its own settings say when it is due. */
export const isProbed = (type: CheckType): boolean => type !== 'heartbeat'

const scheduleOf = (type: CheckType, typed: Typed): Values =>
  isProbed(type) ? { ...valuesOf([intervalField], typed), regions: splitRegions(typed['regions']) } : {}

/** The body that creates a check of what was typed; the API says what is wrong with it. Pure. */
export const createBody = (type: CheckType, typed: Typed): Values => {
  const shared = { ...valuesOf([nameField], typed), ...scheduleOf(type, typed) }
  const own = valuesOf(fieldsOf(type), typed)
  if (type === 'multistep') return { type, ...shared, ...own, steps: stepInputs(stepsIn(typed)) }
  return type === 'http' ? { ...shared, ...own } : { type, ...shared, settings: {}, ...own }
}

/** The body that changes one: its settings as a whole, its steps not at all. Pure. */
export const editBody = (type: CheckType, typed: Typed): Values => {
  const shared = { ...valuesOf([nameField], typed), ...scheduleOf(type, typed) }
  const paused = typed['paused'] !== undefined
  if (type === 'multistep') return { ...shared, paused, ...sendRegionBody(typed) }
  const emptied = fieldsOf(type).includes(timeoutField) ? { timeoutSeconds: null } : {}
  return { ...shared, paused, settings: {}, ...emptied, ...valuesOf(fieldsOf(type), typed) }
}

/** Whether the region is sent: a box that is not ticked says no. Pure. */
export const sendRegionBody = (typed: Typed): { sendRegion: boolean } => ({
  sendRegion: typed['sendRegion'] !== undefined,
})

/** The assertions of an http check, all of them: what is empty is cleared. Pure. */
export const assertionsBody = (typed: Typed): Values => {
  const values = valuesOf(fieldsOf('http'), typed)
  const others = new Set(['url', 'sendRegion', ...judgingFields.map(({ name }) => name)])
  return Object.fromEntries(Object.entries(values).filter(([name]) => !others.has(name)))
}

/** What an http check is judged by beside its assertions. */
export const judgingFields: readonly Field[] = [timeoutField, refusedAsField]

/** How long an attempt may take and what a refusal means, both: what is empty is the default. Pure. */
export const judgingBody = (typed: Typed): Values => ({
  timeoutSeconds: null,
  refusedAs: 'down',
  ...valuesOf(judgingFields, typed),
})

/** What a check holds, as it stands in the fields of its form. Pure. */
export const typedOfCheck = (check: Check, config: CheckConfig): Typed => ({
  ...textsOf([nameField, intervalField, pausedField], check),
  ...(isProbed(check.type) && { regions: joinRegions(check.regions) }),
  ...textsOf(fieldsOf(check.type), config.type === 'http' ? { ...check, ...config } : config),
  ...(config.type === 'multistep' && typedSteps(stepTexts(config.steps))),
})

const pausedField: Field = { name: 'paused', label: 'Paused', kind: 'flag' }

/** Seconds between runs of a new check where nobody says otherwise. */
const intervalUsual = 60

/** The fastest that the account may have of a type, seconds. */
export const fastestOf = (type: CheckType, me: Pick<Me, 'limits'>): number =>
  Math.max(me.limits.minimumIntervalSeconds, typeIntervalSecondsMin(type))

/** What stands in the fields of a new check before anything is typed. Pure. */
export const typedOfNew = (type: CheckType, me: Pick<Me, 'limits' | 'regions'>): Typed => ({
  ...(isProbed(type) && {
    intervalSeconds: String(Math.max(intervalUsual, fastestOf(type, me))),
    regions: joinRegions(me.regions),
  }),
  ...(type === 'multistep' && typedSteps([newStep])),
  ...usual[type],
})

const usual: Partial<Record<CheckType, Typed>> = {
  dns: { 'settings.recordType': 'A' },
  smtp: { 'settings.port': '25', 'settings.security': 'none' },
  heartbeat: { 'settings.periodSeconds': '86400', 'settings.graceSeconds': '3600' },
}

/** Every name by which a problem finds its field; the steps as a whole come last. Pure. */
export const fieldNames = (type: CheckType, typed: Typed): string[] => [
  'name',
  'intervalSeconds',
  'regions',
  ...fieldsOf(type).map(({ name }) => name),
  ...Object.keys(typed).filter((name) => name.startsWith('steps[')),
  ...(type === 'multistep' ? ['steps'] : []),
]
