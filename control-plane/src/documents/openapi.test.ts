import { routes } from '@probe-mesh/contracts/api/routes'
import { answerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { bodyExamples } from './body-examples.ts'
import { openApiDocument } from './openapi.ts'

const document: unknown = JSON.parse(JSON.stringify(openApiDocument('/v1')))
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Fields and parameters anywhere in a document, each with the names around it. */
const fieldsIn = (value: unknown, around: readonly string[]): { name: string; schema: unknown }[] => {
  if (Array.isArray(value)) return value.flatMap((each) => fieldsIn(each, around))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, part]) => {
    if (key === 'example' || key === 'examples') return []
    if (key !== 'properties' || !isObject(part)) return fieldsIn(part, [...around, key])
    return Object.entries(part).flatMap(([name, schema]) => [
      { name: [...around, name].join('.'), schema },
      ...fieldsIn(schema, [...around, name]),
    ])
  })
}

type Operation = {
  operationId: string
  parameters?: { name: string; in: string; description?: string; required?: boolean }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { headers?: object }>
}
const { paths } = openApiDocument('/v1') as { paths: Record<string, Record<string, Operation>> }
const operations = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .filter((part) => 'operationId' in part)

test('every field of the document has a description', () => {
  const fields = fieldsIn(document, [])
  expect(fields.length).toBeGreaterThan(500)
  const without = fields.filter(({ schema }) => !isObject(schema) || schema['description'] === undefined)
  expect(without.map(({ name }) => name)).toEqual([])
})

test('every parameter of the document has a description', () => {
  const without = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.filter(({ description }) => description === undefined).map(({ name }) => [operationId, name]),
  )
  expect(without).toEqual([])
})

test('a query parameter that a route needs is required', () => {
  const needed = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters
      .filter(({ required, in: where }) => required === true && where === 'query')
      .map(({ name }) => [operationId, name]),
  )
  expect(needed).toEqual([['getActiveMaintenance', 'statusPageId']])
})

test('every body has a name, and every created resource an address', () => {
  for (const { operationId, requestBody, responses } of operations) {
    if (requestBody !== undefined) {
      expect(requestBody.content['application/json']?.schema, operationId).toHaveProperty('$ref')
    }
    if (responses['201'] !== undefined) expect(responses['201'].headers).toHaveProperty('Location')
  }
})

const bodies: Record<string, { method: string; body?: z.ZodType }> = { ...routes, ...answerRoutes }

test.each(Object.entries(bodyExamples))('the example of %s is accepted by its route', (name, example) => {
  expect(bodies[name]?.body?.safeParse(example).error?.issues ?? []).toEqual([])
})

test('every route with a body has an example', () => {
  const withBody = Object.entries(bodies).filter(([, { body }]) => body !== undefined)
  expect(withBody.map(([name]) => name).toSorted()).toEqual(Object.keys(bodyExamples).toSorted())
})
