import type { Diagnostic, Path } from '../diagnostic.ts'
import type { PlannedChange, PlanRule, Resource } from '../resource.ts'
import type { Attribute, Schema } from '../schema.ts'
import { isEqual, toObject, unknown, type ObjectValue, type Value } from '../value.ts'

/** What Terraform sends to plan. */
type ProposedChange = {
  config: ObjectValue
  /** null: the object does not exist yet. */
  prior: ObjectValue | null
  /** The configuration, with prior values of computed attributes. */
  proposed: ObjectValue
  private: Uint8Array
}
export type Plan = {
  planned: ObjectValue
  /** Not empty: the object is replaced, and Terraform plans again without a prior one. */
  replaces: readonly Path[]
  private: Uint8Array
  diagnostics: Diagnostic[]
  /** Whether there is anything to apply. */
  isChange: boolean
}

/**
 * Plans a change: defaults, unknowns for computed attributes, the resource's own rule, replacements. For an
 * update the rule runs twice: first to decide whether there is a change, which it may add or cancel, then on
 * the planned change. Terraform plans again during apply, when more values are known, and known values must
 * stay the same: the plan depends only on its arguments.
 */
export const planChange = (
  resource: Pick<Resource<unknown>, 'schema' | 'plan'>,
  proposal: ProposedChange,
): Plan => {
  const { schema } = resource
  const { config, prior } = proposal
  // a new object inherits nothing from the one that it replaces
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
  mapAttributes(schema, (name, { default: value, isWriteOnly }) => {
    if (isWriteOnly === true) return null
    return value !== undefined && isUnset(config, name) ? value : (proposed[name] ?? null)
  })

const isUnset = (config: ObjectValue, name: string): boolean => (config[name] ?? null) === null

/** Whether the service determines the value. */
const isOfService = (config: ObjectValue, name: string, attribute: Attribute): boolean =>
  (attribute.presence === 'computed' || attribute.presence === 'optional_computed') &&
  attribute.default === undefined &&
  isUnset(config, name)

/** Only for a plan that changes something: otherwise every plan would contain changes. */
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

/** A value that the service chose never replaces the object: else every plan would replace it. */
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
