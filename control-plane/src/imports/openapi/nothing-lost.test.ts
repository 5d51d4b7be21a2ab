import { expect, test } from 'vitest'
import { readOpenApi } from './read-openapi.ts'

/** What YAML and JSON Schema say beyond the words of a document: nothing of it is lost without a word. */

const head = 'servers: [{ url: https://api.example }]\ninfo: { title: t }\n'
const ok = "responses: { '200': { description: ok } }"
const read = (text: string, version = '3.1.0') => {
  const draft = readOpenApi(`openapi: ${version}\n${head}${text}`, [], null)
  if ('problems' in draft) return draft.problems
  return [
    ...draft.operations.map(({ operation, check }) => `${operation} ${new URL(check.url).search}`),
    ...draft.operations.flatMap(({ check }) => check.request?.body ?? []),
    ...draft.leftOut.map(({ operation, why }) => `${operation}: ${why}`),
  ]
}

test.each([
  ['one part', '<<: *base', 'GET /a ?q=5'],
  ['a list of parts', '<<: [*more, *base]', 'GET /a ?q=5'],
  ['a part whose members are replaced', '<<: *base\n      parameters: []', 'GET /a '],
])('a merge key of YAML adds the members of %s', (_, merge, line) => {
  const base = 'x-base: &base { parameters: [{ name: q, in: query, required: true, example: 5 }] }\n'
  const more = 'x-more: &more { summary: s }\n'
  expect(read(`${base}${more}paths:\n  /a:\n    get:\n      ${merge}\n      ${ok}`)).toEqual([line])
})

test.each([
  [
    'in an example',
    `paths: { /a: { post: { requestBody: { content: { application/json: { example: &a { x: *a } } } }, ${ok} } } }`,
  ],
  ['elsewhere', `x-loop: &l [1, { y: *l }]\npaths: { /a: { get: { ${ok} } } }`],
  ['by a merge key', `x-loop: &l { <<: *l, z: *l }\npaths: { /a: { get: { ${ok} } } }`],
])('a part that contains itself %s is refused by name', (_, text) =>
  expect(read(text)).toEqual([expect.stringContaining('alias')]),
)

const schemas = `components:
  schemas:
    Id: { type: integer, example: 1 }
    Base: { type: object, required: [b], properties: { b: { example: 1 }, ro: { type: string, example: x } } }
`
const withBody = (schema: string) =>
  `paths: { /a: { post: { requestBody: { required: true, content: { application/json: { schema: ${schema} } } }, ${ok} } } }\n${schemas}`
const withQuery = (schema: string) =>
  `paths: { /a: { get: { parameters: [{ name: q, in: query, required: true, schema: ${schema} }], ${ok} } } }\n${schemas}`

test.each([
  ['3.1.0', withQuery("{ $ref: '#/components/schemas/Id', default: 7 }"), ['GET /a ?q=7']],
  ['3.1.0', withQuery("{ $ref: '#/components/schemas/Id', description: an id }"), ['GET /a ?q=1']],
  ['3.0.3', withQuery("{ $ref: '#/components/schemas/Id', default: 7 }"), ['GET /a ?q=1']],
  [
    '3.1.0',
    withBody("{ $ref: '#/components/schemas/Base', required: [e], properties: { e: { example: 2 } } }"),
    ['POST /a ', '{"b":1,"ro":"x","e":2}'],
  ],
  [
    '3.1.0',
    withBody("{ $ref: '#/components/schemas/Base', required: [e], properties: { e: { type: string } } }"),
    [expect.stringContaining('POST /a: its body')],
  ],
  [
    '3.1.0',
    withBody("{ $ref: '#/components/schemas/Base', required: [ro] }"),
    ['POST /a ', '{"b":1,"ro":"x"}'],
  ],
  [
    '3.1.0',
    withBody("{ allOf: [{ $ref: '#/components/schemas/Base' }], required: [none] }"),
    [expect.stringContaining('POST /a: its body')],
  ],
  [
    '3.0.3',
    withBody("{ allOf: [{ $ref: '#/components/schemas/Base' }, { required: [ro] }] }"),
    ['POST /a ', '{"b":1,"ro":"x"}'],
  ],
])('%s: %s', (version, text, lines) => expect(read(text, version)).toEqual(lines))

test('what stands beside the reference of a path is read too', () => {
  const text = `paths:
  /a:
    $ref: '#/components/pathItems/P'
    parameters: [{ name: q, in: query, required: true, example: 1 }]
    get: { ${ok} }
components: { pathItems: { P: { delete: { ${ok} } } } }`
  expect(read(text)).toEqual(['GET /a ?q=1', 'DELETE /a ?q=1'])
})

test.each([
  '12345678901234567890',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '.inf',
  '1e400',
])('an example of %s, which would be sent as another number, is left out by name', (number) => {
  const why = expect.stringContaining('has more digits than are kept')
  expect(read(withQuery(`{ example: ${number} }`))).toEqual([why])
  expect(read(withBody(`{ example: { a: [{ id: ${number} }] } }`))).toEqual([why])
})

test.each(['9007199254740991', '-1.5', '1e3', '0.1'])('an example of %s is sent', (number) =>
  expect(read(withQuery(`{ example: ${number} }`))).toEqual([`GET /a ?q=${Number(number)}`]),
)
