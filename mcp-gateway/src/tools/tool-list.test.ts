import { toolsOf } from '@probe-mesh/contracts/api/tools'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { compactOutput } from './compact-output.ts'
import { toolLists } from './tool-list.ts'

/** Bytes of the answer to `tools/list`, so that a client does not spend its context on it (S-2590). */
const bytesMax = { public: 25_000, mcp: 75_000 } as const
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
/** A rule of thumb for English and JSON; tokenizers differ by a fifth. */
const bytesPerToken = 4

describe.each(['public', 'mcp'] as const)('the list of /%s', (endpoint) => {
  const tools = toolLists[endpoint]
  const answer = {
    jsonrpc: '2.0',
    id: 1,
    result: { tools, resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' },
  }

  test('fits into its bytes', () => {
    const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
    const [whole, byModels] = [bytesOf(answer), bytesOf(read)]
    const tokens = (bytes: number): number => Math.ceil(bytes / bytesPerToken)
    process.stdout.write(
      `tools/list of /${endpoint}: ${whole} bytes, about ${tokens(whole)} tokens (bytes / 4); without output schemas, titles ` +
        `and hints, which most clients keep from their model: ${byModels} bytes, about ${tokens(byModels)} tokens\n`,
    )
    expect(whole).toBeLessThanOrEqual(bytesMax[endpoint])
  })

  test('has no reference, and compiles in the validators of clients', () => {
    const options = {
      strict: true,
      allowUnionTypes: true,
      formats: { 'date-time': true, uuid: true, uri: true },
    } as const
    const strict = new Ajv2020(options)
    const ofSdk = new AjvJsonSchemaValidator()
    for (const { name, inputSchema, outputSchema } of tools) {
      for (const schema of [inputSchema, ...(outputSchema === undefined ? [] : [outputSchema])]) {
        expect([name, JSON.stringify(schema)]).not.toMatchObject([
          name,
          expect.stringMatching(/"\$(?:ref|defs)"/),
        ])
        // strict: an unknown keyword or a loose type is an error
        strict.compile(schema)
        ofSdk.getValidator(schema)
      }
    }
  })

  test('has the fields of the routes, each with its words', () => {
    const outputOf = new Map(
      toolsOf[endpoint].map(({ name, route }) => [
        name,
        Object.keys(Object(Reflect.get(route.output, 'shape'))),
      ]),
    )
    for (const { name, outputSchema } of tools) {
      if (outputSchema === undefined) continue
      const properties = Object.entries(
        outputSchema['properties'] as Record<string, { description?: string }>,
      )
      expect([name, properties.map(([field]) => field)]).toEqual([name, outputOf.get(name)])
      for (const [field, { description = '' }] of properties)
        expect([name, field, description]).not.toContain('')
    }
  })
})

test.each([
  [
    { type: 'integer', minimum: 0, maximum: 5, default: 0, description: 'A.' },
    { type: 'integer', description: 'A.' },
  ],
  [
    { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
    { type: ['string', 'null'], format: 'date-time' },
  ],
  [{ anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }, { enum: ['a', null] }],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
  [
    { anyOf: [{ type: 'string', description: 'In.' }, { type: 'null' }], description: 'Out.' },
    { type: ['string', 'null'], description: 'Out.' },
  ],
  [
    { type: 'array', maxItems: 3, items: { type: 'string', description: 'One.' } },
    { type: 'array', items: { type: 'string' } },
  ],
  [
    {
      type: 'object',
      required: ['required'],
      properties: { required: { type: 'string', pattern: 'x' }, pattern: { type: 'number' } },
    },
    { type: 'object', properties: { required: { type: 'string' }, pattern: { type: 'number' } } },
  ],
  [{ type: 'string', enum: ['default', 'pattern'] }, { enum: ['default', 'pattern'] }],
  [{ type: 'boolean', const: true }, { const: true }],
  [
    {
      oneOf: [
        {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'a', description: 'T.' },
            x: { type: 'object', properties: {}, description: 'X.' },
          },
        },
        {
          type: 'object',
          properties: {
            type: { type: 'string', const: 'b', description: 'T.' },
            x: { type: 'string', description: 'Y.' },
          },
        },
      ],
      description: 'C.',
    },
    {
      type: 'object',
      properties: { type: { enum: ['a', 'b'], description: 'T.' }, x: { description: 'X.' } },
      description: 'C.',
    },
  ],
  [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, { oneOf: [{ type: 'string' }, { type: 'number' }] }],
])('%j is %j in few words', (whole, few) => {
  expect(compactOutput(whole)).toEqual(few)
})
