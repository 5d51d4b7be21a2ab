import { toolsOf } from '@probe-mesh/contracts/api/tools'
import { toProblem, refuse } from '@probe-mesh/contracts/schema/refusal'
import { describe, expect, test } from 'vitest'
import { answerPost } from './exchange.ts'
import { plainRequest } from './plain-request.ts'
import { contextOf, legacyPost, modernPost } from './testing.ts'

const problem = (code: Parameters<typeof refuse>[0]) => JSON.stringify(toProblem(refuse(code)))
const id = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const jsonOf = async (answer: ReturnType<typeof answerPost>) => {
  const { status, body, headers } = await answer
  return { status, headers, json: body === null ? null : JSON.parse(body) }
}

describe.each([
  ['before 2026-07-28', legacyPost],
  ['of 2026-07-28', modernPost],
])('a client %s', (_, post) => {
  const answers = {
    '200 value': { status: 200, body: '{"checks":[{"name":"a \\"b\\" \\u001b"}]}' },
    '201 value': { status: 201, body: '{"id":"x"}' },
    '403 SV-1004': { status: 403, body: problem('SV-1004') },
    '429 SV-6001': { status: 429, body: problem('SV-6001'), retryAfterSeconds: 7 },
    '503 SV-9002': { status: 503, body: problem('SV-9002') },
  }

  // an unusual member without a meaning makes a request bypass the shortcut
  const unusual = (sent: ReturnType<typeof post>) => ({
    ...sent,
    headers: { ...sent.headers, accept: 'text/event-stream , application/json' },
    body: { ...sent.body, params: { ...sent.body.params, cursor: undefined, extra: 1 } },
  })

  test.each(Object.keys(answers))(
    'gets the same answer from the SDK when the API answers %s',
    async (name) => {
      const { context } = contextOf(() => answers[name as keyof typeof answers])
      for (const [method, params] of [
        ['tools/list', {}],
        ['tools/call', { name: 'list_checks' }],
        ['tools/call', { name: 'get_check_status', arguments: { checkId: id } }],
        ['tools/call', { name: 'get_active_maintenance_window', arguments: { statusPageId: id } }],
        ['tools/call', { name: 'delete_check', arguments: { checkId: 'no uuid' } }],
      ] as const) {
        const sent = post(method, params, 'an id')
        const bySdk = unusual(sent)
        expect(plainRequest(sent.headers, sent.body)).not.toBeNull()
        expect(plainRequest(bySdk.headers, bySdk.body)).toBeNull()
        const plain = await jsonOf(answerPost(context, 'mcp', sent))
        expect(await jsonOf(answerPost(context, 'mcp', bySdk))).toEqual({
          ...plain,
          headers: undefined,
        })
      }
    },
  )

  test('lists 7 tools on /public and 24 on /mcp, each with its schemas, titles and hints', async () => {
    const { context } = contextOf()
    for (const endpoint of ['public', 'mcp'] as const) {
      const { json } = await jsonOf(answerPost(context, endpoint, post('tools/list')))
      expect(json.result.tools.map(({ name }: { name: string }) => name)).toEqual(
        toolsOf[endpoint].map(({ name }) => name),
      )
      for (const tool of json.result.tools) {
        expect(tool).toMatchObject({
          title: expect.any(String),
          description: expect.any(String),
          inputSchema: { type: 'object', additionalProperties: false },
          annotations: { readOnlyHint: expect.any(Boolean), destructiveHint: expect.any(Boolean) },
        })
      }
    }
  })

  test('describes every argument and every field of an answer', async () => {
    const { context } = contextOf()
    const { json } = await jsonOf(answerPost(context, 'mcp', post('tools/list')))
    const bare = (schema: unknown, path: string): string[] =>
      typeof schema !== 'object' || schema === null
        ? []
        : Object.entries(schema).flatMap(([key, part]: [string, unknown]) =>
            key === 'properties'
              ? Object.entries(part as object).flatMap(([name, field]: [string, object]) => [
                  ...('description' in field ? [] : [`${path}.${name}`]),
                  ...bare(field, `${path}.${name}`),
                ])
              : bare(part, path),
          )
    for (const { name, inputSchema, outputSchema } of json.result.tools) {
      expect([...bare(inputSchema, name), ...bare(outputSchema, name)]).toEqual([])
    }
  })

  test('names the wrong parameters of initialize', async () => {
    const { context } = contextOf()
    const { json } = await jsonOf(answerPost(context, 'public', post('initialize', { capabilities: 1 })))
    expect(json.error).toEqual({
      code: -32_602,
      message:
        'Invalid params: "protocolVersion" is missing, "capabilities" must be an object, "clientInfo" is missing.',
    })
  })
})
