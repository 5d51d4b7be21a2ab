import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeEach, describe, expect, test } from 'vitest'
import { findAudit } from '../accounts/operations/audit-store.ts'
import { gatewayKey, useTestApp, startTestApp, type Answer, type TestAccount } from './testing/test-app.ts'

const at = useTestApp()
const free = useOnce(() => at.account('free'))
const paid = useOnce(() => at.account('growth'))
beforeEach(() => {
  // each test starts with full budgets
  at.pass(61_000)
  at.answers.observed.setReadings('github', { fra: 'up', iad: 'up' })
})

const somebody = '198.51.100.7'
const status = '/v1/public/services/github/status'
const admission = '/v1/gateway/admission'
const missing = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const check = { name: 'a site', url: 'https://example.com' }
const broken = { body: '{"broken', headers: { 'content-type': 'application/json' } }

const codeOf = ({ status: http, json }: Answer): number | string => json?.code ?? http

/** The actors of writes with a key, newest first. */
const writersOf = async ({ id }: TestAccount) =>
  (await findAudit(at.sql, id, { limit: 10 })).map(({ actor }) => actor).filter(({ kind }) => kind === 'key')

/** The budget that an answer spent, or its code. */
const budgetOf = (answer: Answer): number | string =>
  answer.status === 200
    ? (String(answer.headers['ratelimit']).split(';')[0]?.replaceAll('"', '') ?? '')
    : codeOf(answer)

/** The outcomes of a read, a write and a keyless answer. */
type Outcomes = [read: number | string, write: number | string, keyless: number | string]

describe('through a trusted gateway and directly', () => {
  test.each<[who: string, key: () => string, trusted: Outcomes, direct: Outcomes]>([
    ['a made-up', () => 'x', ['SV-1002', 'SV-1002', 'SV-1002'], ['SV-1002', 'SV-1002', 'keyless']],
    ['no', () => '', ['SV-1001', 'SV-1001', 'SV-1001'], ['SV-1001', 'SV-1001', 'keyless']],
    ['a free read', () => free.readKey, [200, 'SV-1005', 'reads'], ['SV-1003', 'SV-1003', 'keyless']],
    ['a free write', () => free.writeKey, [200, 'SV-1005', 'reads'], ['SV-1003', 'SV-1003', 'keyless']],
    ['a paid read', () => paid.readKey, [200, 'SV-1004', 'reads'], [200, 'SV-1004', 'keyless']],
    ['a paid write', () => paid.writeKey, [200, 201, 'reads'], [200, 201, 'keyless']],
  ])('a %s key reads, writes and gets answers', async (_, keyOf, trusted, direct) => {
    const key = keyOf()
    expect(await outcomesOf({ key, via: somebody })).toEqual(trusted)
    expect(await outcomesOf({ key })).toEqual(direct)
  })

  test.each([{ via: somebody }, {}])('without a key only answers are allowed: %j', async (call) => {
    expect(await outcomesOf(call)).toEqual(['SV-1001', 'SV-1001', 'keyless'])
  })

  const outcomesOf = async (call: { key?: string; via?: string }): Promise<Outcomes> => [
    codeOf(await at.call('GET', '/v1/checks', call)),
    codeOf(await at.call('POST', '/v1/checks', { ...call, body: check })),
    budgetOf(await at.call('GET', status, call)),
  ]

  test.each([
    ['POST', '/v1/checks'],
    ['PATCH', `/v1/checks/${missing}`],
    ['DELETE', `/v1/checks/${missing}`],
    ['POST', '/v1/incidents'],
    ['DELETE', `/v1/maintenance/${missing}`],
  ] as const)('a free key is refused by %s %s before anything is read', async (method, path) => {
    for (const key of [free.readKey, free.writeKey]) {
      const answer = await at.call(method, path, { key, via: somebody, ...broken })
      expect(answer).toMatchObject({ status: 403, json: { code: 'SV-1005' } })
      expect(answer.headers['ratelimit']).toBe('"writes";r=30;t=0')
    }
    expect(await writersOf(free)).toEqual([])
  })

  test('a write has the address of the caller, not of the gateway, in the audit log', async () => {
    const account = await at.account('growth')
    const write = (call: object) =>
      at.call('POST', '/v1/checks', { key: account.writeKey, body: check, ...call })
    await write({ via: '2001:db8::7', from: '192.0.2.200' })
    await write({ from: '192.0.2.200' })
    const noted = (await writersOf(account)).map(({ address }) => address)
    expect(noted.toSorted()).toEqual(['192.0.2.200', '2001:db8::7'])
  })
})

describe('a gateway', () => {
  const paths = ['/v1/me', '/v1/checks', status, '/v1/nowhere', '/healthz']
  const trustedHeaders = { 'gateway-key': gatewayKey, 'gateway-client': somebody }

  test.each([
    'another key, as long as the right one is',
    gatewayKey.slice(0, -1),
    `${gatewayKey}x`,
    gatewayKey.toUpperCase(),
    '',
  ])('with the key %j is SV-1010 before other checks', async (wrong) => {
    const headers = { ...trustedHeaders, 'gateway-key': wrong }
    for (const path of paths) {
      const answer = await at.call('GET', path, { key: paid.readKey, headers })
      expect(answer).toMatchObject({ status: 401, json: { code: 'SV-1010' } })
      expect(answer.headers['ratelimit']).toBeUndefined()
    }
    const write = { key: paid.writeKey, body: '{"broken', headers }
    expect(await at.call('POST', admission, { headers })).toMatchObject({ status: 401 })
    expect(await at.call('POST', '/v1/checks', write)).toMatchObject({ json: { code: 'SV-1010' } })
  })

  test('is SV-1010 if no key is configured', async () => {
    const alone = await startTestApp({ config: { gatewayKey: null } })
    try {
      for (const key of [gatewayKey, 'null', '']) {
        const headers = { ...trustedHeaders, 'gateway-key': key }
        const answer = await alone.call('GET', status, { headers })
        expect(answer).toMatchObject({ status: 401, json: { code: 'SV-1010' } })
      }
      expect(await alone.call('POST', admission)).toMatchObject({ status: 404 })
      expect(await alone.call('GET', status, { headers: { 'gateway-client': somebody } })).toMatchObject({
        status: 200,
      })
    } finally {
      await alone.close()
    }
  })

  test.each([undefined, '', 'localhost', '192.0.2.1:80', '192.0.2.1, 192.0.2.2', '192.0.2', '[::1]'])(
    'with the client %j is SV-2001',
    async (client) => {
      const headers = {
        'gateway-key': gatewayKey,
        ...(client === undefined ? {} : { 'gateway-client': client }),
      }
      for (const path of paths) {
        const answer = await at.call('GET', path, { key: paid.readKey, headers })
        expect(answer).toMatchObject({ status: 400, json: { code: 'SV-2001' } })
        expect(answer.json.errors).toMatchObject([{ path: 'Gateway-Client' }])
      }
    },
  )

  test('needs the key: without it the header with the client is ignored', async () => {
    const headers = { 'gateway-client': somebody }
    for (let n = 0; n < 60; n += 1) await at.call('GET', status, { headers })
    expect(await at.call('GET', status)).toMatchObject({ status: 429 })
    expect(await at.call('GET', status, { via: somebody })).toMatchObject({ status: 200 })
  })
})

describe('an answer to a gateway', () => {
  const name = 'a\x1b[31m red\u202e \x07site\u200b, \u200dreally\n'
  const clean = 'a red site, \u200dreally\n'
  const write = (call: object = {}) =>
    at.call('POST', '/v1/checks', { key: paid.writeKey, body: { ...check, name }, ...call })

  test('is cleaned, and a direct caller gets the stored text', async () => {
    const { json, text } = await write()
    expect(json.name).toBe(name)
    const path = `/v1/checks/${json.id}`
    for (let n = 0; n < 2; n += 1) {
      // the second request of each is answered from the cache
      const through = await at.call('GET', path, { key: paid.readKey, via: somebody })
      expect(through.json.name).toBe(clean)
      expect(through.headers['content-length']).toBe(String(Buffer.byteLength(through.text)))
      expect((await at.call('GET', path, { key: paid.readKey })).json.name).toBe(name)
    }
    expect(text).toContain(String.raw`a\u001b[31m red`)
  })

  test('is cleaned also for a replayed answer and a refusal', async () => {
    const once = { headers: { 'idempotency-key': 'said-twice' } }
    expect((await write(once)).json.name).toBe(name)
    const replayed = await write({ ...once, via: somebody })
    expect(replayed.headers['idempotency-replayed']).toBe('true')
    expect(replayed.json.name).toBe(clean)

    const body = { ...check, 'a\u202efield': 1 }
    const refused = { key: paid.writeKey, body }
    const [direct, through] = [
      await at.call('POST', '/v1/checks', refused),
      await at.call('POST', '/v1/checks', { ...refused, via: somebody }),
    ]
    expect(direct.json.errors).toMatchObject([{ path: 'a\u202efield' }])
    expect(through).toMatchObject({ status: 422, json: { errors: [{ path: 'afield' }] } })
  })

  test('is cleaned also without a key', async () => {
    const report = (call: object) =>
      at.call('POST', '/v1/public/services/github/reports', {
        body: { 'a\u202efield': 1 },
        ...call,
      })
    expect((await report({})).json.errors).toMatchObject([{ path: 'a\u202efield' }])
    expect((await report({ via: somebody })).json.errors).toMatchObject([{ path: 'afield' }])
  })
})

describe("the privacy of a gateway's callers", () => {
  test('stores nothing about them, and counts the gateways', async () => {
    const outagesOf = () => Promise.reject(new Error('a bug'))
    const own = await startTestApp({ answers: { outagesOf } })
    try {
      const wrong = { 'gateway-key': 'made-up-gateway-key', 'gateway-client': '203.0.113.77' }
      await own.call('GET', status, { via: '203.0.113.77' })
      await own.call('POST', admission, { via: '203.0.113.77' })
      await own.call('GET', '/v1/me', { via: '203.0.113.77' })
      await own.call('GET', status, { headers: wrong })
      await own.call('GET', status)
      const { text } = await own.call('GET', '/metrics')
      expect(text).toContain('gateway_requests_total{outcome="trusted"} 3')
      expect(text).toContain('gateway_requests_total{outcome="refused"} 1')
      await own.call('GET', '/v1/public/services/github/incidents', { via: '203.0.113.77' })
      const log = own.logged.join('')
      expect(log).toContain('a bug')
      for (const trace of ['203.0.113.77', gatewayKey, 'made-up-gateway-key']) {
        expect(text).not.toContain(trace)
        expect(log).not.toContain(trace)
      }
    } finally {
      await own.close()
    }
  })
})

test('a gateway with a wrong key is logged at most once a minute', async () => {
  const refusals = () => at.logged.filter((line) => line.includes('an MCP gateway was refused'))
  const send = () => at.call('GET', '/v1/me', { headers: { 'gateway-key': 'a wrong one' } })
  at.pass(61_000)
  const before = refusals().length
  for (const _ of [1, 2, 3]) expect(codeOf(await send())).toBe('SV-1010')
  expect(refusals()).toHaveLength(before + 1)
  expect(refusals().at(-1)).not.toContain('a wrong one')
  at.pass(61_000)
  await send()
  expect(refusals()).toHaveLength(before + 2)
})
