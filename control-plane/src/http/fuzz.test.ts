import { gunzipSync } from 'node:zlib'
import { Problem, refusals } from '@probe-mesh/contracts/schema/refusal'
import { routes, type Route, type RouteName } from '@probe-mesh/contracts/api/routes'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { caseSeed as seed, isSearch } from '@probe-mesh/infra/testing/case-seed'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { openApiDocument } from '../documents/openapi.ts'
import { makeWorld, routeNames } from '../app/testing/route-examples.ts'
import { anyJson, mutated, ofSchema, type Schema } from '../app/testing/schema-arbitrary.ts'
import { useTestApp, type TestAccount } from '../app/testing/test-app.ts'

/**
 * Sends valid and invalid requests, generated from the OpenAPI document, to the app with real databases. Each answer
 * matches the schema of the operation, or is a refusal with one of its codes. `FUZZ_REQUESTS` and `PROPERTY_SEED` set
 * the number and the seed.
 */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? (isSearch ? 1_500 : 500))
/** Requests per account, so that lists stay short and not everything is deleted. */
const requestsPerAccount = 150
const requestMsMax = 200

type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
}
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  'x-refusals': string[]
}

let account: TestAccount
let ids: string[] = ['']

const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url, config: { budgetScale: 10_000 } }))

const document = openApiDocument('/v1') as unknown as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const resolve = (reference: string): Schema =>
  document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {}

/** Operations with one answer. Streams do not end. */
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => routeNames.includes(operation.operationId as RouteName))
    .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

type Request = {
  method: string
  url: string
  headers: Record<string, string>
  payload: string | undefined
  operation: Operation
}

const often = <T>(usual: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>, weight = 6): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: seldom })

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Values of an operation's parameters in one place. A few are invalid or missing. */
const parameters = (operation: Operation, where: Parameter['in']) => {
  const wanted = (operation.parameters ?? []).filter((parameter) => parameter.in === where)
  const values = wanted.map(({ name, schema, required }) => {
    const sound = ofSchema(schema, resolve, () => ids, name)
    const value = often(sound, anyJson(), 8).map((one): [string, string][] => [[name, asText(one)]])
    return required ? often(value, fc.constant([]), 30) : often<[string, string][]>(fc.constant([]), value, 2)
  })
  return fc.tuple(...values).map((lists): [string, string][] => lists.flat())
}

const jsonBody = ({ requestBody }: Operation): fc.Arbitrary<unknown> => {
  if (requestBody === undefined) return often(fc.constant(undefined), anyJson())
  const sound = ofSchema(requestBody.content['application/json'].schema, resolve, () => ids)
  return fc.oneof(
    { weight: 9, arbitrary: sound },
    { weight: 5, arbitrary: sound.chain(mutated) },
    { weight: 1, arbitrary: anyJson() },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

const brokenBody = fc.constantFrom(
  `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
  `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`,
  '{',
  '{"a":',
  '[1,]',
  "{'a':1}",
  '\u0000',
  'NaN',
  '{"a":1}}',
  '[]',
)

const contentType = often<string>(
  fc.constant('application/json'),
  fc.constantFrom(
    'application/json; charset=utf-16',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
    '',
  ),
  15,
)

const oddHeaders = fc.constantFrom<Record<string, string>>(
  {},
  {},
  {},
  { accept: 'text/html;q=0.1, application/xml' },
  { 'accept-encoding': 'gzip;q=x' },
  { 'x-forwarded-for': '::, 999.1.1.1' },
  { 'if-none-match': '*', range: 'bytes=5-1' },
  { cookie: '__Host-session=x; =; ;' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { expect: '200-ok' },
  { 'transfer-encoding': 'identity' },
  { 'x-http-method-override': 'DELETE' },
)

const keys = fc.noBias(fc.nat(99)).map((n) => {
  if (n === 0) return 'Basic eDp5'
  if (n === 1) return 'Bearer sv_rw_nonsense'
  return `Bearer ${n < 12 ? account.readKey : account.writeKey}`
})

/** Header values that Node passes to a server. */
const headerText = (value: string): string =>
  // eslint-disable-next-line no-control-regex
  value.replaceAll(/[^\t\x20-\x7e\u0080-\u00ff]/g, '').slice(0, 2_000)

const request: fc.Arbitrary<Request> = fc.constantFrom(...operations).chain(({ path, method, operation }) =>
  fc
    .record({
      path: parameters(operation, 'path'),
      query: parameters(operation, 'query'),
      moreQuery: often(
        fc.constant(''),
        fc.constantFrom('&x=1', '&limit=5&limit=6', '&%', '&__proto__=1'),
        12,
      ),
      header: parameters(operation, 'header'),
      odd: oddHeaders,
      key: keys,
      type: contentType,
      payload: often(
        jsonBody(operation).map((body) => (body === undefined ? undefined : JSON.stringify(body))),
        brokenBody,
        20,
      ),
    })
    .map(({ path: inPath, query, moreQuery, header, odd, key, type, payload }) => {
      const values = Object.fromEntries(inPath)
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encode(values[name] ?? ''))
      const search = query.map(([name, value]) => `${name}=${encode(value)}`).join('&')
      const sent = header.map(([name, value]) => [name.toLowerCase(), headerText(value)])
      return {
        method,
        url: `/v1${filled}?${search}${moreQuery}`,
        headers: {
          ...odd,
          ...Object.fromEntries(sent),
          authorization: key,
          ...(payload === undefined ? {} : { 'content-type': type }),
        },
        payload,
        operation,
      }
    }),
)

/** A URL cannot contain half a surrogate pair: it is replaced by U+FFFD. */
const encode = (value: string): string => encodeURIComponent(value.toWellFormed())

const settle = async ({ operation, method, url, headers, payload }: Request): Promise<string> => {
  const response = await at.app.inject({
    method: method as 'GET',
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  })
  const { statusCode } = response
  const isPacked = response.headers['content-encoding'] === 'gzip'
  const body = isPacked ? gunzipSync(response.rawPayload).toString() : response.body
  const said = `${operation.operationId} answered ${statusCode} ${body.slice(0, 300)}`
  expect(
    statusCode,
    `${said}\n${at.logged.findLast((line) => line.includes('request failed'))}`,
  ).toBeLessThan(500)
  const route: Route = routes[operation.operationId as RouteName]
  if (statusCode === 304) return 'unchanged'
  if (statusCode < 400) {
    expect(statusCode, said).toBe(route.success)
    const parsed = route.output.safeParse(JSON.parse(body))
    expect(parsed.error?.issues ?? [], said).toEqual([])
    return String(statusCode)
  }
  expect(response.headers['content-type'], said).toMatch('application/problem+json')
  const problem = Problem.parse(JSON.parse(body))
  // a path that no longer matches the operation is not found
  const codes = /\/(\.{0,2})(\/|\?|$)/.test(url) ? ['SV-3001'] : []
  expect([...operation['x-refusals'], ...codes], said).toContain(problem.code)
  expect(Object.keys(refusals), said).toContain(problem.code)
  expect(problem.status, said).toBe(statusCode)
  return problem.code
}

const timeoutMs = 60_000 + requests * requestMsMax

test(`${requests} requests of seed ${seed} are answered as documented`, { timeout: timeoutMs }, async () => {
  let sent = 0
  const answers = new Map<string, number>()
  const takeNewAccount = async (): Promise<void> => {
    account = await at.account('scale')
    const other = await at.account('scale')
    const worlds = [await makeWorld(at, account), await makeWorld(at, other)] as const
    // mostly ids of the account itself
    ids = [...Object.values(worlds[0]), ...Object.values(worlds[0]), ...Object.values(worlds[1])]
  }
  await takeNewAccount()
  await forAllAsync([request], { numRuns: requests, seed, endOnFailure: true }, async (one) => {
    if (++sent % requestsPerAccount === 0) await takeNewAccount()
    const answer = await settle(one)
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
  })
  // enough requests must pass the gate
  expect(answers.get('200') ?? 0).toBeGreaterThan(requests / 10)
  expect(answers.get('201') ?? 0).toBeGreaterThan(requests / 100)
  if (process.env['FUZZ_REQUESTS'] !== undefined) {
    process.stdout.write(`${JSON.stringify(Object.fromEntries([...answers].toSorted()))}\n`)
  }
})
