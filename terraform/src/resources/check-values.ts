import type { Check } from '@probe-mesh/contracts/check/check'
import type { RouteCall } from '@probe-mesh/contracts/api/routes'
import { toObject } from '../protocol/value.ts'
import type { ObjectValue, Value } from '../protocol/value.ts'
import { assertionNames } from './check-schema.ts'
import { bodyValue, valueOf } from './settle.ts'

/** A check of the API as a state holds it. */
export const toState = (check: Check): ObjectValue =>
  toObject([
    ['id', check.id],
    ['type', check.type],
    ['name', check.name],
    ['url', check.url],
    ['interval_seconds', check.intervalSeconds],
    ['regions', check.regions],
    ...assertionEntries(([name, field]) => [name, check[field]] as const),
  ])

type CreateBody = RouteCall<'createCheck'>['body']
type AssertionsBody = RouteCall<'updateCheckAssertions'>['body']

/** The schema holds each value to its field's type; whatever else is wrong with it the API refuses. */
export const createBody = (planned: ObjectValue): CreateBody =>
  ({
    name: bodyValue(valueOf(planned, 'name')),
    url: bodyValue(valueOf(planned, 'url')),
    ...given('intervalSeconds', valueOf(planned, 'interval_seconds')),
    ...given('regions', valueOf(planned, 'regions')),
    ...assertionsBody(planned),
  }) as CreateBody

/** All eight, since the API replaces them all; null clears. */
export const assertionsBody = (planned: ObjectValue): AssertionsBody =>
  Object.fromEntries(
    assertionEntries(([name, field]) => [field, bodyValue(valueOf(planned, name))] as const),
  )

/** What is null or not known is the service's to choose. */
const given = (field: string, value: Value): Record<string, unknown> => {
  const told = bodyValue(value) ?? null
  return told === null ? {} : { [field]: told }
}

type Entry = [keyof typeof assertionNames, (typeof assertionNames)[keyof typeof assertionNames]]

const assertionEntries = <T>(make: (entry: Entry) => T): T[] =>
  (Object.entries(assertionNames) as Entry[]).map(make)
