import type { Diagnostic, Path } from '../diagnostic.ts'
import type { PlannedChange, PlanRule, Resource } from '../resource.ts'
import type { Attribute, Schema } from '../schema.ts'
import { isEqual, toObject, unknown } from '../value.ts'
import type { ObjectValue, Value } from '../value.ts'

/** What Terraform asks to plan. */
type ProposedChange = {
  config: ObjectValue
  /** null: there is none yet. */
  prior: ObjectValue | null
  /** The configuration, and the prior value of what is the service's. */
  proposed: ObjectValue
  private: Uint8Array
}
export type Plan = {
  planned: ObjectValue
  /** Not empty: it will be another object, and Terraform asks once more, without a prior one. */
  replaces: readonly Path[]
  private: Uint8Array
  diagnostics: Diagnostic[]
  /** Whether there is anything to carry out. */
  isChange: boolean
}

/**
 * Plans a change: defaults, then what the service will say is unknown, then the resource's own rule,
 * then what replaces. Of an update the rule is asked twice: whether there is a change at all, where it
 * may make one or take one back, and what a change is then planned as. Terraform asks again when it
 * applies, with more that is known, and what was known may not be different then: the plan is made of
 * nothing but its arguments.
 */
export const planChange = (
  resource: Pick<Resource<unknown>, 'schema' | 'plan'>,
  proposal: ProposedChange,
): Plan => {
  const { schema } = resource
  const { config, prior } = proposal
  // a new object has nothing of the one that it replaces
  const kept = prior === null ? new Uint8Array() : proposal.private
  const applyRule = (planned: ObjectValue): PlanRule => {
    const change: PlannedChange = { config, prior, planned, private: kept }
    return resource.plan?.(change) ?? { planned }
  }

  const defaulted = withDefaults(schema, config, proposal.proposed)
  const wanted = prior === null ? defaulted : applyRule(defaulted).planned
  const isChange = isDifferent(schema, prior, wanted)
  const ruled = applyRule(isChange ? withUnknowns(schema, proposal, wanted) : wanted)
  const { planned, diagnostics = [] } = ruled
  return {
    planned,
    replaces: prior === null ? [] : replacesOf(schema, { config, prior, planned }, ruled.replaces),
    private: ruled.private ?? kept,
    diagnostics,
    isChange,
  }
}

const isDifferent = (schema: Schema, prior: ObjectValue | null, planned: ObjectValue): boolean =>
  prior === null ||
  Object.entries(schema.attributes).some(
    ([name, { type }]) => !isEqual(type, prior[name] ?? null, planned[name] ?? null),
  )

const mapAttributes = (
  { attributes }: Schema,
  map: (name: string, attribute: Attribute) => Value,
): ObjectValue =>
  toObject(Object.entries(attributes).map(([name, attribute]) => [name, map(name, attribute)]))

const withDefaults = (schema: Schema, config: ObjectValue, proposed: ObjectValue): ObjectValue =>
  mapAttributes(schema, (name, { default: value }) =>
    value !== undefined && isUnset(config, name) ? value : (proposed[name] ?? null),
  )

const isUnset = (config: ObjectValue, name: string): boolean => (config[name] ?? null) === null

/** Whether the value is what the service answers. */
const isOfService = (config: ObjectValue, name: string, attribute: Attribute): boolean =>
  (attribute.presence === 'computed' || attribute.presence === 'optional_computed') &&
  attribute.default === undefined &&
  isUnset(config, name)

/** Only of a plan that changes something: otherwise no plan would ever be without changes. */
const withUnknowns = (
  schema: Schema,
  { config, prior }: Pick<ProposedChange, 'config' | 'prior'>,
  planned: ObjectValue,
): ObjectValue =>
  mapAttributes(schema, (name, attribute) => {
    if (!isOfService(config, name, attribute)) return planned[name] ?? null
    const before = prior?.[name] ?? null
    return attribute.keeps === true && before !== null ? before : unknown
  })

/** What the service chose is not asked to change: a plan that replaced for it would always do so. */
const replacesOf = (
  { attributes }: Schema,
  { config, prior, planned }: { config: ObjectValue; prior: ObjectValue; planned: ObjectValue },
  ruled: readonly Path[] = [],
): Path[] => {
  const own = Object.entries(attributes)
    .filter(
      ([name, attribute]) =>
        attribute.replaces === true &&
        !isOfService(config, name, attribute) &&
        !isEqual(attribute.type, prior[name] ?? null, planned[name] ?? null),
    )
    .map(([name]): Path => [name])
  const named = new Set(own.map((path) => JSON.stringify(path)))
  return [...own, ...ruled.filter((path) => !named.has(JSON.stringify(path)))]
}
