import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { Attribute, Schema } from '../protocol/schema.ts'
import { setOf, toObject, type ObjectValue, type Value } from '../protocol/value.ts'
import { snakeOf } from './failure-diagnostics.ts'
import { bodyValue, valueOf } from './settle.ts'

/** The attributes of the eight assertion fields, by their names in the API. */
const assertionAttributes = {
  assertionStatusMin: {
    type: 'number',
    presence: 'optional',
    description:
      'Lowest HTTP status that counts as up, inclusive. When either bound is set, the default of 2xx does not apply.',
  },
  assertionStatusMax: {
    type: 'number',
    presence: 'optional',
    description: 'Highest HTTP status that counts as up, inclusive.',
  },
  assertionBodyOp: {
    type: 'string',
    presence: 'optional',
    description: 'How the body is compared with `assertion_body_value`: `contains` or `not_contains`.',
  },
  assertionBodyValue: {
    type: 'string',
    presence: 'optional',
    description: 'Literal text; regular expressions are not supported.',
  },
  assertionBodyCaseSensitive: {
    type: 'bool',
    presence: 'optional',
    description: 'Whether the comparison with the body is case-sensitive.',
  },
  assertionJsonPath: {
    type: 'string',
    presence: 'optional',
    description:
      'Path of a field in a JSON body, with plain keys and indexes, such as `a.items[0].name`. Wildcards, filters and recursive descent are not supported.',
  },
  assertionJsonOp: {
    type: 'string',
    presence: 'optional',
    description: 'How the field is compared: `equals`, `contains`, or `exists`, which takes no value.',
  },
  assertionJsonValue: {
    type: 'string',
    presence: 'optional',
    description: 'The value that the field is compared with.',
  },
} as const satisfies Record<keyof Assertions, Attribute>

/** The attribute of each assertion field, such as `assertion_body_op` for `assertionBodyOp`. */
export const assertionNames = Object.fromEntries(
  Object.keys(assertionAttributes).map((field) => [snakeOf(field), field]),
) as Readonly<Record<string, keyof Assertions>>

const assertionEntries = <T>(toEntry: (name: string, field: keyof Assertions) => T): T[] =>
  Object.entries(assertionNames).map(([name, field]) => toEntry(name, field))

/** Another `name`, `url` or `interval_seconds` replaces the check with its history (S-2703). */
export const checkSchema: Schema = {
  version: 1,
  description:
    'Requests a URL from every region at an interval. Create checks of other types in the dashboard and import them; Terraform can only delete those.',
  attributes: {
    id: {
      type: 'string',
      presence: 'computed',
      description: 'The id of the check, a UUID.',
      keeps: true,
    },
    type: {
      type: 'string',
      presence: 'computed',
      description: '`http` for checks that Terraform creates; imported checks may have another type.',
      keeps: true,
    },
    name: {
      type: 'string',
      presence: 'required',
      description: 'Changing it replaces the check and its history.',
      replaces: true,
    },
    url: {
      type: 'string',
      presence: 'optional_computed',
      description:
        'A public http or https URL, kept as written. Required to create a check; imported checks of other types may have none. Changing it replaces the check and its history.',
      replaces: true,
      keeps: true,
    },
    interval_seconds: {
      type: 'number',
      presence: 'optional_computed',
      description:
        'Seconds between two measurements from a region. Defaults to the shortest interval that the account allows. Changing it replaces the check and its history.',
      replaces: true,
      keeps: true,
    },
    regions: {
      type: setOf('string'),
      presence: 'optional_computed',
      description:
        'Codes of the regions that measure, such as `["fra", "iad"]`, or one private agent, `["private-<agent id>"]`. Defaults to every live region; a check of a private agent keeps its agent.',
      keeps: true,
    },
    ...Object.fromEntries(assertionEntries((name, field) => [name, assertionAttributes[field]])),
  },
}

/** A check of the API as a Terraform state. */
export const toState = (check: Check): ObjectValue =>
  toObject([
    ['id', check.id],
    ['type', check.type],
    ['name', check.name],
    ['url', check.url],
    ['interval_seconds', check.intervalSeconds],
    // a heartbeat has none, and a configuration cannot say that
    ['regions', check.regions.length === 0 ? null : check.regions],
    ...assertionEntries((name, field) => [name, check[field]] as const),
  ])

/** The API's field of each attribute that a write sends. */
export const checkFields: Readonly<Record<string, string>> = {
  name: 'name',
  url: 'url',
  interval_seconds: 'intervalSeconds',
  regions: 'regions',
  ...assertionNames,
}

type CreateBody = RouteCall<'createCheck'>['body']
type AssertionsBody = RouteCall<'updateCheckAssertions'>['body']

/** The schema checks the type of each value; the API checks everything else. */
export const createBody = (planned: ObjectValue): CreateBody =>
  ({
    name: bodyValue(valueOf(planned, 'name')),
    url: bodyValue(valueOf(planned, 'url')),
    ...given('intervalSeconds', valueOf(planned, 'interval_seconds')),
    ...given('regions', valueOf(planned, 'regions')),
    ...assertionsBody(planned),
  }) as CreateBody

/** All eight fields, since the API replaces them all; null clears a field. */
export const assertionsBody = (planned: ObjectValue): AssertionsBody =>
  Object.fromEntries(assertionEntries((name, field) => [field, bodyValue(valueOf(planned, name))] as const))

/** Leaves null and unknown values to the service. */
const given = (field: string, value: Value): Record<string, unknown> => {
  const told = bodyValue(value) ?? null
  return told === null ? {} : { [field]: told }
}
