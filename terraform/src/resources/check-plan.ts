import { assertionProblems } from '@probe-mesh/contracts/check/assertion-problems'
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

/** The rules between the assertion fields, once all of them are known. */
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

/** Every field of its type, or null: that is what the schema makes of a configuration. */
const assertionsOf = (config: ObjectValue): Assertions => assertionsBody(config) as Assertions

/** What the attributes' own rules cannot say of a change. */
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
          'url: is required to create a check. Only http checks are created here; others are created in the dashboard and imported.',
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
        ? `${name}: a change replaces the check, and a ${type} check cannot be created here. Set it to what the check has, or change the check in the dashboard.`
        : `${name}: a ${type} check cannot be changed here. Leave it as it is, or change the check in the dashboard.`
    return [errorAt([name], `This is a ${type} check`, detail)]
  })
}

/**
 * Names checks that are what a plan is about to create and that Terraform has not shown to hold, such
 * as one whose creation it did not live to write down. No answer is no reason not to plan.
 */
export const noticeTwins = async (
  api: Api,
  { prior, planned }: PlannedChange,
  context: CallContext,
): Promise<Diagnostic[]> => {
  const priorId = prior === null ? null : valueOf(prior, 'id')
  // what is replaced is planned a second time, as if there were none
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
      'There is a check of this name and URL already',
      `The account has ${JSON.stringify(name)} for ${url} (${ids}), and nothing of this configuration was seen to be it. ` +
        'Creating it makes another. If it was left behind by a run that broke off, import it by its id or delete it.',
    ),
  ]
}

/** What Terraform keeps beside the state: whether the regions are simply every live one. */
export const rememberRegions = ({ allRegions }: Check): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ allRegions }))

/**
 * Omitted regions are all live ones (S-2707). Where the configuration names none
 * and the check is measured from some only, the live ones are learnt on apply; otherwise it stays.
 * @param remembered by `rememberRegions` when the check was last read; nothing where it never was
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
