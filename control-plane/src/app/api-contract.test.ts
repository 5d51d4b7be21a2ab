import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openApiDocument } from '../documents/openapi.ts'

/**
 * The operations and fields of the API, a line each, so that a change of the API shows in its commit.
 * `API=write npm test -- control-plane/src/app/api-contract` records it.
 */
const file = new URL('testing/api-contract.json', import.meta.url)

type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
}
type Body = { $ref?: string; content?: Record<string, { schema?: Schema }> }
type Operation = {
  operationId: string
  parameters?: { name: string; required?: boolean }[]
  requestBody?: Body
  responses: Record<string, Body>
}
const { paths, components } = JSON.parse(JSON.stringify(openApiDocument('/v1'))) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const variantsOf = ({ anyOf = [], oneOf = [] }: Schema): Schema[] => [...anyOf, ...oneOf]

const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const variants = variantsOf(schema)
  if (variants.length > 0) return [...new Set(variants.map(typeOf))].join(' | ')
  if (schema.items !== undefined) return `(${typeOf(schema.items)})[]`
  return (schema.enum ?? [schema.type ?? 'any'].flat()).join(' | ')
}

/** The fields of a schema and those inside it, by path; `?` marks an optional field. */
const fieldsOf = (schema: Schema, path: string): [string, string][] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, string][] => [
    [`${path}${name}${schema.required?.includes(name) === true ? '' : '?'}`, typeOf(field)],
    ...fieldsOf(field, `${path}${name}.`),
  ]),
  ...variantsOf(schema).flatMap((variant) => fieldsOf(variant, path)),
  ...(schema.items === undefined ? [] : fieldsOf(schema.items, path)),
  ...(typeof schema.additionalProperties === 'object' ? fieldsOf(schema.additionalProperties, path) : []),
]

const bodyOf = ({ content = {} }: Body): string =>
  Object.values(content)
    .map(({ schema = {} }) => ` ${typeOf(schema)}`)
    .join('')

const operationOf = (verb: string, path: string, operation: Operation): [string, string] => {
  const parameters = (operation.parameters ?? []).map(
    ({ name, required }) => `${name}${required === true ? '' : '?'}`,
  )
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status < '400')
    .map(([status, body]) => `${status}${bodyOf(body)}`)
  const input = operation.requestBody === undefined ? '' : bodyOf(operation.requestBody)
  return [
    `${verb.toUpperCase()} ${path}`,
    `${operation.operationId}(${parameters.join(', ')})${input}: ${answers.join(', ')}`,
  ]
}

/** Fields of several variants: all their types. */
const merged = (fields: readonly [string, string][]): Record<string, string> =>
  Object.fromEntries(
    [...Map.groupBy(fields, ([path]) => path)].map(([path, all]) => [
      path,
      [...new Set(all.map(([, type]) => type))].join(' | '),
    ]),
  )

/** The answers whose schemas have no name. */
const answersOf = ({ operationId, responses }: Operation): [string, Record<string, string>][] =>
  Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.values(content).flatMap(({ schema = {} }): [string, Record<string, string>][] =>
      schema.properties === undefined ? [] : [[`${operationId} ${status}`, merged(fieldsOf(schema, ''))]],
    ),
  )

const operations = Object.entries(paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).flatMap(([verb, one]) => ('operationId' in one ? [{ verb, path, one }] : [])),
)
const contract = {
  operations: Object.fromEntries(operations.map(({ verb, path, one }) => operationOf(verb, path, one))),
  ...Object.fromEntries(operations.flatMap(({ one }) => answersOf(one))),
  ...Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [name, merged(fieldsOf(schema, ''))]),
  ),
}
if (process.env['API'] === 'write') writeFileSync(file, `${JSON.stringify(contract, null, 2)}\n`)

// a name that is gone breaks a client; a new one is recorded
test('every operation and field of the API is as recorded', () => {
  expect(contract).toEqual(JSON.parse(readFileSync(file, 'utf8')))
})
