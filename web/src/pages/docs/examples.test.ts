import { readFileSync } from 'node:fs'
import vm from 'node:vm'
import { eventsRoute, metricsRoute, routes } from '@probe-mesh/contracts/api/routes'
import { answerRoutes, answersPath } from '@probe-mesh/contracts/outage/answer-routes'
import { probesRoute } from '@probe-mesh/contracts/agent/probes'
import { openApiDocument } from '@probe-mesh/control-plane/documents/openapi'
import { parse } from 'shell-quote'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { endpointsOf, type Endpoint, type OpenApi } from '../../api/open-api.ts'
import { requestExamples, sampleOf } from './request-examples.ts'

type AnyRoute = { method: string; path: string; output: z.ZodType; params?: z.ZodType; body?: z.ZodType }
const belowPublic = Object.entries<AnyRoute>(answerRoutes).map(
  ([name, route]) => [name, { ...route, path: answersPath + route.path }] as const,
)
const table: Record<string, AnyRoute> = {
  ...routes,
  ...Object.fromEntries(belowPublic),
  streamEvents: eventsRoute,
  getMetrics: metricsRoute,
  getProbes: probesRoute,
}
const site = 'https://mesh.example.com'
const api = JSON.parse(JSON.stringify(openApiDocument(`${site}/v1`))) as OpenApi
const endpoints = endpointsOf(api).map((endpoint) => [endpoint.operation.operationId, endpoint] as const)
const codeOf = (endpoint: Endpoint, name: string): string | undefined =>
  requestExamples(endpoint).find((each) => each.name === name)?.code

type Sent = { method: string; url: string; headers: Record<string, string>; body: unknown }

/** The request that curl sends for this shell command. */
const sentByCurl = (code: string): Sent => {
  const words = parse(code, { SERVICE_API_KEY: 'the-key' })
    .filter((word) => word !== '\n')
    .map(String)
  const sent: Sent = { method: 'GET', url: '', headers: {}, body: undefined }
  for (const [at, word] of words.entries()) {
    const next = words[at + 1] ?? ''
    if (word === '-X') sent.method = next
    if (word.startsWith('https://')) sent.url = word
    if (word === '-H') sent.headers[next.split(': ')[0] ?? ''] = next.split(': ')[1] ?? ''
    if (word === '-d') sent.body = JSON.parse(next)
  }
  return sent
}

/** The request that the program sends. */
const sentByProgram = async (code: string): Promise<Sent> => {
  const calls: Sent[] = []
  const answer = { ok: true, json: async () => ({}) }
  const fetch = async (url: string, options: Partial<Sent> & { body?: string } = {}) => {
    const { method = 'GET', headers = {}, body } = options
    calls.push({ method, url, headers: { ...headers }, body: body === undefined ? body : JSON.parse(body) })
    return answer
  }
  const process = { env: { SERVICE_API_KEY: 'the-key' } }
  await vm.runInNewContext(`(async () => {${code}})()`, { fetch, process, console: { log: () => {} } })
  const [call] = calls
  if (call === undefined || calls.length > 1) throw new Error(`it sent ${calls.length} requests`)
  return call
}

/** The body in a Python program, read as JSON. */
const pythonBody = (code: string): unknown => {
  const literal = /\bjson=([^]*),\n\)/.exec(code)?.[1]
  if (literal === undefined) return undefined
  const asJson = literal
    .replaceAll(/\bTrue\b/g, 'true')
    .replaceAll(/\bFalse\b/g, 'false')
    .replaceAll(/\bNone\b/g, 'null')
    .replaceAll(/,(\s*[}\]])/g, '$1')
  return JSON.parse(asJson)
}

test.each(endpoints)('the curl example of %s is a request that its route accepts', (id, endpoint) => {
  const code = codeOf(endpoint, 'curl')
  const route = table[id]
  if (code === undefined) return expect(endpoint.operation.parameters?.[0]?.name).toBeDefined()
  const sent = sentByCurl(code)
  expect(sent.method).toBe(route?.method)
  const root = id === 'getProbes' ? site : `${site}/v1`
  const pattern = new RegExp(`^${(route?.path ?? '').replace(/:\w+/g, '([^/]+)')}$`)
  const values = pattern.exec(sent.url.slice(root.length))
  expect(values, sent.url).not.toBeNull()
  const names = [...(route?.path ?? '').matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
  const params = Object.fromEntries(names.map((name, at) => [name, values?.[at + 1]]))
  expect(route?.params?.safeParse(params).success ?? true, JSON.stringify(params)).toBe(true)
  expect(route?.body?.safeParse(sent.body).error?.issues ?? []).toEqual([])
  expect(sent.headers['Authorization']).toBe(
    endpoint.operation.security === undefined ? 'Bearer the-key' : undefined,
  )
})

test.each(endpoints)(
  'the examples of %s in TypeScript and Python send what curl sends',
  async (_, endpoint) => {
    const [curl, typescript, python] = ['curl', 'TypeScript', 'Python'].map((name) => codeOf(endpoint, name))
    if (curl === undefined || typescript === undefined || python === undefined) return
    const sent = sentByCurl(curl)
    expect(await sentByProgram(typescript)).toEqual(sent)
    expect(pythonBody(python)).toEqual(sent.body)
    expect(python).toContain(`requests.${sent.method.toLowerCase()}(\n    "${sent.url}"`)
  },
)

test('every operation has an example; one for a single client has it in its language', () => {
  const without = endpoints.filter(([, endpoint]) => requestExamples(endpoint).length === 0)
  // Terraform changes and deletes without a separate example
  expect(without.map(([id]) => id).every((id) => /^(update|delete)(StatusPage|Component)$/.test(id))).toBe(
    true,
  )
})

test.each(endpoints)('the answer shown for %s matches its route', (id, { operation }) => {
  const [, response] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? []
  const [media] = Object.values(response?.content ?? {})
  const sample = sampleOf(media?.schema ?? {}, api.components.schemas)
  expect(table[id]?.output.safeParse(sample).error?.issues ?? []).toEqual([])
})

const inTerraform = endpoints.flatMap(([, endpoint]) => codeOf(endpoint, 'Terraform') ?? [])

test('there are resources for checks, pages, components and channels', () => {
  expect(inTerraform).toHaveLength(4)
})

test.each(inTerraform)('the provider has each argument of %s', (code) => {
  const [, type = '', body = ''] = /^resource "service_(\w+)" "\w+" \{\n([^]*)\n\}$/.exec(code) ?? []
  const reference = readFileSync(
    new URL(`../../../../terraform/docs/resources/${type}.md`, import.meta.url),
    'utf8',
  )
  const [, table = ''] = reference.split('## ')
  const known = [...table.matchAll(/^\| `(\w+)` \| [^|]* \| ([^|]*)\|/gm)]
  const given = [...body.matchAll(/^ {2}(\w+) += /gm)].map((match) => match[1])
  expect(given.length).toBeGreaterThan(0)
  for (const name of given) expect(known.map((match) => match[1])).toContain(name)
  const required = known.filter((match) => match[2]?.includes('required')).map((match) => match[1])
  for (const name of required) expect(given).toContain(name)
})
