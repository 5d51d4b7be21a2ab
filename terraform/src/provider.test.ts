import { formatApiKey } from '@probe-mesh/contracts/account/key-text'
import type { Exchange } from '@probe-mesh/contracts/api/route-client'
import { refuse, toProblem, type RefusalCode } from '@probe-mesh/contracts/schema/refusal'
import { describe, expect, test } from 'vitest'
import { brokenOff, contextOf, fakePatience } from './api/testing.ts'
import { toObject, unknown, type Value } from './protocol/value.ts'
import { createProvider } from './provider.ts'

const apiKey = formatApiKey('read_write', new Uint8Array(32).fill(7))
const { context } = contextOf()

/** Where the first request of a configured provider goes, or why it is not configured. */
const configure = async (
  said: { api_key?: Value; base_url?: Value },
  environment: Record<string, string> = {},
) => {
  const sent: [string, string | null][] = []
  const exchange: Exchange = async (url, { headers }) => {
    sent.push([url.href, headers['authorization'] ?? null])
    return Response.json({ checks: [] })
  }
  const provider = createProvider({ environment, exchange })
  const config = toObject([
    ['api_key', said.api_key ?? null],
    ['base_url', said.base_url ?? null],
  ])
  const configured = await provider.configure(config, { ...context, terraformVersion: '1.11.4' })
  if ('diagnostics' in configured) return configured.diagnostics
  await configured.client.checks(context)
  return sent
}

test.each<[Parameters<typeof configure>, string]>([
  [[{ api_key: apiKey }], 'http://127.0.0.1:8080/v1'],
  [
    [{}, { SERVICE_API_KEY: apiKey, SERVICE_API_URL: 'https://a.example.com/v1/' }],
    'https://a.example.com/v1',
  ],
  [
    [
      { api_key: ` ${apiKey}\n`, base_url: 'https://b.example.com/x/v1' },
      { SERVICE_API_KEY: 'no', SERVICE_API_URL: 'no' },
    ],
    'https://b.example.com/x/v1',
  ],
  [[{ api_key: apiKey, base_url: 'http://127.0.0.1:9090' }], 'http://127.0.0.1:9090/v1'],
  [[{ api_key: apiKey, base_url: 'http://127.0.0.1:9090/' }], 'http://127.0.0.1:9090/v1'],
  [[{ api_key: apiKey }, { SERVICE_API_URL: '' }], 'http://127.0.0.1:8080/v1'],
])('configured by %j it calls %s', async (of, root) => {
  // the reads that follow share its answer
  expect(await configure(...of)).toEqual([[`${root}/checks`, `Bearer ${apiKey}`]])
})

describe('it is not configured', () => {
  const cut = apiKey.slice(0, -1)

  test.each<[Parameters<typeof configure>, string[]]>([
    [[{}], ['api_key']],
    [[{ api_key: '' }], ['api_key']],
    [[{ api_key: cut }], ['api_key']],
    [[{}, { SERVICE_API_KEY: cut }], ['api_key']],
    [[{ api_key: unknown }, { SERVICE_API_KEY: apiKey }], ['api_key']],
    [[{ api_key: apiKey, base_url: unknown }], ['base_url']],
    [[{ api_key: apiKey, base_url: 'ftp://a.example.com' }], ['base_url']],
    [[{ api_key: apiKey, base_url: 'a.example.com' }], ['base_url']],
    [[{ api_key: apiKey, base_url: 'https://u:p@a.example.com' }], ['base_url']],
    [[{ api_key: apiKey, base_url: 'https://a.example.com/?x=1' }], ['base_url']],
    [
      [{ base_url: 'no' }, { SERVICE_API_KEY: cut }],
      ['api_key', 'base_url'],
    ],
  ])('by %j: %j', async (of, attributes) => {
    const problems = await configure(...of)
    expect(problems.map((problem) => ('path' in problem ? problem.path : problem))).toEqual(
      attributes.map((name) => [name]),
    )
    expect(JSON.stringify(problems)).not.toContain(cut)
  })
})

describe('it is not configured by', () => {
  const failing = async (exchange: Exchange) => {
    const { patience } = fakePatience()
    const provider = createProvider({ environment: { SERVICE_API_KEY: apiKey }, exchange, patience })
    const config = toObject([])
    return provider.configure(config, { ...context, terraformVersion: '1.11.4' })
  }
  const refusing = (code: RefusalCode) => async () => {
    const problem = toProblem(refuse(code))
    return Response.json(problem, { status: problem.status })
  }

  test('a server that does not answer: one error, at the provider', async () => {
    const dead = await failing(async () => {
      throw brokenOff('ECONNREFUSED')
    })
    expect(dead).toMatchObject({ diagnostics: [{ severity: 'error', path: ['base_url'] }] })
    expect(JSON.stringify(dead)).toContain('http://127.0.0.1:8080/v1: The API did not answer')
    const other = await failing(async () => new Response('<html>'))
    expect(other).toMatchObject({ diagnostics: [{ path: ['base_url'] }] })
  })

  test.each(['SV-1002', 'SV-1003', 'SV-1012'] as const)('a key that is refused with %s', async (code) => {
    expect(await failing(refusing(code))).toMatchObject({
      diagnostics: [{ path: ['api_key'], summary: `The API refuses the key (${code})` }],
    })
  })

  test('nothing that passes by itself', async () => {
    expect(await failing(refusing('SV-6001'))).toHaveProperty('client')
  })
})

test('has its four resources and one data source', () => {
  const { resources, dataSources } = createProvider({ environment: {} })
  expect(resources.map(({ name }) => name)).toEqual([
    'service_check',
    'service_status_page',
    'service_status_page_component',
    'service_notification_channel',
  ])
  expect(dataSources.map(({ name }) => name)).toEqual(['service_status_page'])
})
