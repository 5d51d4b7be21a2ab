import { assertionProblems } from '@probe-mesh/contracts/check/assertions'
import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import { errorAt } from '../protocol/diagnostic.ts'
import type { Diagnostic } from '../protocol/diagnostic.ts'
import type { PlannedChange, PlanRule } from '../protocol/resource.ts'
import { isWhollyKnown, toObject } from '../protocol/value.ts'
import type { ObjectValue } from '../protocol/value.ts'
import { attributePath, snakeOf } from './attribute-path.ts'
import { planRegions } from './check-regions.ts'
import { assertionNames, checkSchema } from './check-schema.ts'
import { assertionsBody } from './check-values.ts'
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
