import { Problem } from '@probe-mesh/contracts/schema/refusal'
import {
  answerRoutes,
  type AnswerRoute,
  type AnswerRouteName,
} from '@probe-mesh/contracts/outage/answer-routes'
import { caseSeed as seed, isSearch } from '@probe-mesh/infra/testing/case-seed'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { beforeAll, describe, expect, test } from 'vitest'
import { percentilesOf } from '../testing.ts'
import { answerCodes } from '../../documents/route-codes.ts'
import { anyJson, mutated } from '../../app/testing/schema-arbitrary.ts'
import { useTestApp, type Answer } from '../../app/testing/test-app.ts'

/**
 * Tests all keyless routes with valid and invalid requests. Each answer matches the schema of the route, or is a
 * refusal with one of its codes. `FUZZ_REQUESTS` and `PROPERTY_SEED` set the number and the seed.
 */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? (isSearch ? 1_000 : 300))
const requestMsMax = 100

const names = Object.keys(answerRoutes) as AnswerRouteName[]
const routeOf = (name: AnswerRouteName): AnswerRoute => answerRoutes[name]

let askers = 0
const at = useTestApp({ config: { trustProxy: ['127.0.0.1'] } })
beforeAll(async () => {
  at.answers.observed.setReadings('github', { fra: 'up', iad: 'up' })
  at.answers.observed.setReadings('npm', { fra: 'down', iad: 'blocked' })
  const days = Array.from({ length: 7 }, () => percentilesOf(100))
  at.answers.observed.setWeather([
    {
      region: 'fra',
      now: percentilesOf(110),
      days,
      responseRatio: { ratio: 1.1, services: 9 },
      dayRatios: days.map(() => ({ ratio: 1, services: 9 })),
      quarantined: false,
    },
  ])
})

/** A new address for each request, so that budgets do not matter. */
const newAsker = (): Record<string, string> => {
  askers += 1
  return { 'x-forwarded-for': `10.${askers >> 16}.${(askers >> 8) & 255}.${askers & 255}` }
}

const pathOf = (route: AnswerRoute, value: string): string =>
  `/v1/public${route.path.replace(/:\w+/, () => encodeURIComponent(value.toWellFormed()))}`

const exampleOf = (route: AnswerRoute): string =>
  pathOf(route, route.path.includes(':idOrSlug') ? 'web-shop' : 'github')

const send = (
  route: AnswerRoute,
  path: string,
  more: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> => at.call(route.method, path, { ...more, headers: { ...newAsker(), ...more.headers } })

describe.for(names)('%s', (name) => {
  const route = routeOf(name)
  const body = route.method === 'POST' ? { body: {} } : {}

  test('answers without a key in the documented schema, with evidence', async () => {
    const answer = await send(route, exampleOf(route), body)
    expect(answer.status, answer.text).toBe(route.success)
    expect(route.output.safeParse(answer.json)).toMatchObject({ success: true })
    expect(answer.json).toMatchObject({
      regionsRead: expect.any(Array),
      measuredAt: expect.stringMatching(/^2\d{3}-.*Z$/),
      freshness: { verdict: 'fresh' },
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\//),
      summary: expect.stringMatching(/\w/),
    })
    expect(answer.headers).toMatchObject({
      'ratelimit-policy': '"keyless";q=60;w=60',
      'access-control-allow-origin': '*',
    })
  })

  test('ignores keys', async () => {
    const free = await at.account('free')
    const plain = await send(route, exampleOf(route), body)
    for (const authorization of [`Bearer ${free.readKey}`, 'Bearer sv_r_nonsense', 'Basic eDp5']) {
      const answer = await send(route, exampleOf(route), { ...body, headers: { authorization } })
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.json)).toEqual(Object.keys(plain.json))
    }
  })

  test('is SV-6004 when the address has used up its minute', async () => {
    const headers = { 'x-forwarded-for': `192.0.2.${names.indexOf(name)}` }
    const send = () => at.call(route.method, exampleOf(route), { ...body, headers })
    const answers = await Promise.all(Array.from({ length: 61 }, send))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused).toMatchObject({ json: { code: 'SV-6004' } })
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('is SV-2001 with every invalid field', async () => {
    const isParameter = route.params !== undefined
    const long = isParameter ? pathOf(route, 'x'.repeat(301)) : `${exampleOf(route)}?x=%00`
    const wrong = [
      isParameter ? Object.keys(route.params?.shape ?? {}) : ['x'],
      route.query === undefined ? [] : ['region'],
      route.body === undefined ? [] : ['region', 'more'],
    ].flat()
    const path = route.query === undefined ? long : `${long}?region=X`
    const sent = route.body === undefined ? {} : { body: { region: 'X', more: 1 } }
    const answer = await send(route, path, sent)
    expect(answer).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
    const named = answer.json.errors.map((error: { path: string }) => error.path)
    expect([...new Set(named)].toSorted()).toEqual(wrong.toSorted())
  })

  test('accepts no other method', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      const answer = await at.call(method, exampleOf(route), { headers: newAsker() })
      expect(answer).toMatchObject({ status: 405, json: { code: 'SV-3007' } })
      expect(answer.headers['allow']).toContain(route.method)
    }
  })
})

const often = <T>(usual: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>, weight = 6): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: seldom })

const asked = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('github', 'npm', 'GitHub', 'gh', 'npmjs.com', 'githib') },
  { weight: 1, arbitrary: fc.constantFrom('web-shop', '__proto__', '..', '%2F', '\u0000', '/') },
  { weight: 1, arbitrary: fc.webUrl() },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 400 }) },
)
/** Text unchanged; anything else as JSON. */
const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const region = often<unknown>(
  fc.constantFrom('fra', 'iad', 'xyz', 'unknown'),
  fc.oneof(fc.string(), anyJson()),
)

const request = fc.record({
  name: fc.constantFrom(...names),
  asked,
  query: often(
    region.map((value) => `?region=${encodeURIComponent(asText(value).toWellFormed())}`),
    fc.constantFrom('', '?', '?%', '?region', '?region=fra&region=iad', '?__proto__=1', '?x=%00'),
    2,
  ),
  body: fc.oneof(
    region.map((value): unknown => ({ region: value })),
    fc.constant<unknown>({ region: 'fra' }).chain(mutated),
    fc.constantFrom<unknown>('{', '', '[1,]', '\u0000', `${'['.repeat(20_000)}`, undefined),
  ),
  type: often(fc.constant('application/json'), fc.constantFrom('text/plain', 'nonsense', ''), 12),
  header: fc.constantFrom<Record<string, string>>(
    {},
    { authorization: 'Bearer sv_rw_nonsense' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { 'if-none-match': '*', range: 'bytes=5-1' },
    { 'idempotency-key': 'x' },
    { cookie: '; =;' },
  ),
})

test(
  `${requests} requests of seed ${seed} are answered as documented`,
  { timeout: 60_000 + requests * requestMsMax },
  async () => {
    const answers = new Map<string, number>()
    await forAllAsync(
      [request],
      { numRuns: requests, seed, endOnFailure: true },
      async ({ name, asked, query: drawn, body, type, header }) => {
        const route = routeOf(name)
        // most requests must not be refused for a parameter that the route does not have
        const query = route.query === undefined && drawn.startsWith('?region') ? '' : drawn
        const path = pathOf(route, asked)
        const { status, json, text, headers } = await send(route, path + query, {
          headers: { ...header, ...(route.method === 'POST' ? { 'content-type': type } : {}) },
          ...(route.method === 'POST' && body !== undefined ? { body: asText(body) } : {}),
        })
        const said = `${name} ${path}${query} answered ${status} ${text.slice(0, 300)}`
        expect(status, said).toBeLessThan(500)
        if (status === 304) return
        const key = status === 200 ? '200' : json.code
        answers.set(key, (answers.get(key) ?? 0) + 1)
        if (status === 200) {
          expect(route.output.safeParse(json).error?.issues ?? [], said).toEqual([])
          return
        }
        const problem = Problem.parse(json)
        expect(problem.status, said).toBe(status)
        expect(headers['content-type'], said).toMatch('application/problem+json')
        // a path that no longer matches the route is not found
        const codes = asked === '' || /^\.{1,2}$/.test(asked) ? ['SV-3001'] : []
        expect([...answerCodes(route), ...codes], said).toContain(problem.code)
      },
    )
    // most requests must pass the gate
    expect(answers.get('200') ?? 0).toBeGreaterThan(requests / 4)
    expect(answers.get('SV-2001') ?? 0).toBeGreaterThan(requests / 20)
  },
)
