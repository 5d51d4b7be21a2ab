import type { Check } from '@probe-mesh/contracts/check/check'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'
import { errorAt, type Diagnostic } from '../protocol/diagnostic.ts'
import type { PlannedChange, PlanRule } from '../protocol/resource.ts'
import { isWhollyKnown, toObject, unknown, type ObjectValue, type Value } from '../protocol/value.ts'
import { checkSchema } from './check-schema.ts'
import { bodyValue, isSame, valueOf } from './settle.ts'

/** The rules of a change that involve several attributes. */
export const planCheck = (change: PlannedChange): PlanRule => {
  const { config, prior, planned, private: remembered } = change
  if (prior === null) return { planned, diagnostics: refuseWithoutUrl(config) }
  const diagnostics = refuseOtherType(prior, planned)
  if (valueOf(prior, 'type') !== 'http') return { planned, diagnostics }
  if (isOfAgent(prior)) return { planned, diagnostics: refuseMoving(config, prior, planned) }
  const regions = planRegions(valueOf(config, 'regions'), valueOf(planned, 'regions'), remembered)
  return { planned: toObject([...Object.entries(planned), ['regions', regions]]), diagnostics }
}

/** Whether a private agent measures the check. */
const isOfAgent = (state: ObjectValue): boolean => {
  const regions = valueOf(state, 'regions')
  return (
    Array.isArray(regions) && regions.some((region) => typeof region === 'string' && isPrivateRegion(region))
  )
}

/** Terraform creates the new check of a replace from the configuration alone: without regions on every live one. */
const refuseMoving = (config: ObjectValue, prior: ObjectValue, planned: ObjectValue): Diagnostic[] => {
  if (valueOf(config, 'regions') !== null) return []
  const isReplaced = Object.entries(checkSchema.attributes).some(
    ([name, { replaces }]) =>
      replaces === true &&
      valueOf(config, name) !== null &&
      !isSame(valueOf(prior, name), valueOf(planned, name)),
  )
  return isReplaced ? [agentMissing(valueOf(prior, 'regions'))] : []
}

export const agentMissing = (regions: Value): Diagnostic =>
  errorAt(
    ['regions'],
    'The private agent is missing',
    `regions: a private agent measures this check. A new check without regions would be measured from every live region. Set regions = ${JSON.stringify(bodyValue(regions))}, or name other regions.`,
  )

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
