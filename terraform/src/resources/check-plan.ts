import { assertionProblems } from '@probe-mesh/contracts/check/assertions'
import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { Api } from '../api/create-api.ts'
import { errorAt, warningAt } from '../protocol/diagnostic.ts'
import type { Diagnostic } from '../protocol/diagnostic.ts'
import type { PlannedChange, PlanRule, CallContext } from '../protocol/resource.ts'
import { isWhollyKnown, toObject, unknown } from '../protocol/value.ts'
import type { ObjectValue, Value } from '../protocol/value.ts'
import { assertionNames, checkSchema, assertionsBody } from './check-schema.ts'
import { attributePath, snakeOf } from './failure-diagnostics.ts'
import { isSame, valueOf } from './settle.ts'

/** The rules between the assertion fields, when all of them are known. */
export const validateCheck = (config: ObjectValue): Diagnostic[] => {
  const isKnown = Object.keys(assertionNames).every((name) => isWhollyKnown(valueOf(config, name)))
  if (!isKnown) return []
  return assertionProblems(assertionsOf(config)).map(({ path, message }) =>
    errorAt(
      attributePath(checkSchema, path),
      'Invalid assertion',
      `${snakeOf(path)}: ${message.replace(/\bassertion[A-Z]\w*/g, snakeOf)}`,
    ),
  )
}

/** The schema guarantees the type of every field, or null. */
const assertionsOf = (config: ObjectValue): Assertions => assertionsBody(config) as Assertions

/** The rules of a change that involve several attributes. */
export const planCheck = (change: PlannedChange): PlanRule => {
  const { config, prior, planned, private: remembered } = change
  if (prior === null) return { planned, diagnostics: refuseWithoutUrl(config) }
  const diagnostics = refuseOtherType(prior, planned)
  if (valueOf(prior, 'type') !== 'http') return { planned, diagnostics }
  const regions = planRegions(valueOf(config, 'regions'), valueOf(planned, 'regions'), remembered)
  return { planned: toObject([...Object.entries(planned), ['regions', regions]]), diagnostics }
}

const refuseWithoutUrl = (config: ObjectValue): Diagnostic[] =>
  valueOf(config, 'url') === null
    ? [
        errorAt(
          ['url'],
          'A check needs a URL',
          'url: is required to create a check. Terraform creates http checks only; create other checks in the dashboard and import them.',
        ),
      ]
    : []

/** Over REST only `http` checks change (S-2704): refused before anything is done. */
const refuseOtherType = (prior: ObjectValue, planned: ObjectValue): Diagnostic[] => {
  const type = valueOf(prior, 'type')
  if (type === 'http' || typeof type !== 'string') return []
  return Object.entries(checkSchema.attributes).flatMap(([name, attribute]) => {
    const next = valueOf(planned, name)
    const isSet = Array.isArray(attribute.type) && attribute.type[0] === 'set'
    if (!isWhollyKnown(next) || isSame(valueOf(prior, name), next, isSet)) return []
    const detail =
      attribute.replaces === true
        ? `${name}: changing it replaces the check, and Terraform cannot create a ${type} check. Keep the current value, or change the check in the dashboard.`
        : `${name}: Terraform cannot change a ${type} check. Keep the current value, or change the check in the dashboard.`
    return [errorAt([name], `This is a ${type} check`, detail)]
  })
}

/**
 * Warns of existing checks with the name and URL of a check to be created, unless Terraform is known to
 * manage them. An interrupted run can leave such a check behind. When the API does not answer, the plan goes
 * ahead.
 */
export const noticeTwins = async (
  api: Api,
  { prior, planned }: PlannedChange,
  context: CallContext,
): Promise<Diagnostic[]> => {
  const priorId = prior === null ? null : valueOf(prior, 'id')
  // a replaced check is planned a second time without its prior state
  if (typeof priorId === 'string') api.held.add(priorId)
  const [name, url] = [valueOf(planned, 'name'), valueOf(planned, 'url')]
  if (prior !== null || typeof name !== 'string' || typeof url !== 'string') return []
  const listed = await api.checks(context)
  if (!listed.ok) return []
  const twins = listed.value.filter(
    (each) => each.name === name && each.url === url && !api.held.has(each.id),
  )
  if (twins.length === 0) return []
  const ids = twins.map(({ id }) => id).join(', ')
  return [
    warningAt(
      [],
      'A check with this name and URL already exists',
      `The account has ${JSON.stringify(name)} for ${url} (${ids}), which this configuration does not seem to manage. ` +
        'Applying creates another one. If an interrupted run left it behind, import it by its id or delete it.',
    ),
  ]
}

/** What Terraform keeps privately beside the state: whether the check uses every live region. */
export const rememberRegions = ({ allRegions }: Check): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ allRegions }))

/**
 * Omitted regions are all live ones (S-2707). Where the configuration names none
 * and the check is measured from some only, the live ones are learnt on apply; otherwise it stays.
 * @param remembered by `rememberRegions` at the last read; empty before the first
 */
export const planRegions = (configured: Value, planned: Value, remembered: Uint8Array): Value =>
  configured === null && isSomeOnly(remembered) ? unknown : planned

const isSomeOnly = (remembered: Uint8Array): boolean => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(remembered))
    return (value as { allRegions?: unknown } | null)?.allRegions === false
  } catch {
    return false
  }
}
