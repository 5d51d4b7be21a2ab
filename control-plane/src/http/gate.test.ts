import { formatApiKey } from '@probe-mesh/contracts/account/key-text'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { revokeKey } from '../accounts/keys.ts'
import { changeTier } from '../accounts/manage-accounts.ts'
import { findKeys } from '../accounts/keys-store.ts'
import { useTestApp } from '../app/testing/test-app.ts'

const at = useTestApp()
const scale = useOnce(() => at.account('scale'))
const free = useOnce(() => at.account('free'))

const missing = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'

/** All write routes, with an invalid body, which must not be read first. */
const writes = [
  ['POST', '/v1/checks'],
  ['PATCH', `/v1/checks/${missing}`],
  ['PATCH', `/v1/checks/${missing}/assertions`],
  ['DELETE', `/v1/checks/${missing}`],
  ['POST', `/v1/checks/${missing}/run`],
] as const
const reads = [
  ['GET', '/v1/checks'],
  ['GET', `/v1/checks/${missing}`],
  ['GET', `/v1/checks/${missing}/readings`],
  ['GET', `/v1/checks/${missing}/series`],
  ['GET', '/v1/me'],
  ['GET', '/v1/events'],
] as const

describe.each([...reads, ...writes])('%s %s', (method, path) => {
  test('is SV-1001 without a key, and explains how to send one', async () => {
    const answer = await at.call(method, path)
    expect(answer).toMatchObject({ status: 401, json: { code: 'SV-1001', errors: [] } })
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
    expect(answer.headers['content-type']).toMatch('application/problem+json')
  })

  test('a free account is refused before any route runs', async () => {
    const answer = await at.call(method, path, { key: free.writeKey, body: '{"broken' })
    expect(answer).toMatchObject({ status: 403, json: { code: 'SV-1003' } })
  })
})

test.each(writes)('a read key is refused by %s %s before its body is read', async (method, path) => {
  const answer = await at.call(method, path, {
    key: scale.readKey,
    body: '{"broken',
    headers: { 'content-type': 'application/json' },
  })
  expect(answer).toMatchObject({ status: 403, json: { code: 'SV-1004' } })
})

test.each([
  ['Basic dXNlcjpwYXNz', 'SV-1001'],
  ['Bearer ', 'SV-1001'],
  ['Bearer', 'SV-1001'],
  ['Bearer nonsense', 'SV-1002'],
  [`Bearer ${formatApiKey('read_write', new Uint8Array(32).fill(7))}`, 'SV-1002'],
  [`Bearer ${formatApiKey('read', new Uint8Array(32).fill(7)).slice(0, -1)}_`, 'SV-1002'],
])('Authorization %j is %s', async (authorization, code) => {
  const answer = await at.call('GET', '/v1/me', { headers: { authorization } })
  expect(answer).toMatchObject({ status: 401, json: { code } })
})

test('the scheme may be in any case', async () => {
  const headers = { authorization: `bEARER ${scale.readKey}` }
  expect(await at.call('GET', '/v1/me', { headers })).toMatchObject({ status: 200 })
})

test('a revoked key stops working when its cached look-up expires', async () => {
  const account = await at.account('growth')
  const me = await at.call('GET', '/v1/me', { key: account.readKey })
  expect(me).toMatchObject({ status: 200, json: { regions: ['iad', 'sjc', 'fra', 'nrt'] } })
  // by the hash of the key that is now remembered
  expect(await at.call('GET', '/v1/me', { key: account.readKey })).toMatchObject({ status: 200 })
  const [, readKey] = await findKeys(at.sql, account.id)
  await revokeKey({ sql: at.sql, now: Date.now }, { keyId: readKey?.id ?? '' })
  at.pass(5_001)
  const answer = await at.call('GET', '/v1/me', { key: account.readKey })
  expect(answer).toMatchObject({ status: 401, json: { code: 'SV-1002' } })
  expect(await at.call('GET', '/v1/me', { key: account.writeKey })).toMatchObject({ status: 200 })
})

test('a changed tier takes effect when the cached look-up of the key expires', async () => {
  const account = await at.account('free')
  expect(await at.call('GET', '/v1/me', { key: account.readKey })).toMatchObject({ status: 403 })
  await changeTier({ sql: at.sql, now: Date.now }, { accountId: account.id, tier: 'growth' })
  at.pass(5_001)
  expect(await at.call('GET', '/v1/me', { key: account.readKey })).toMatchObject({
    status: 200,
    json: { account: { tier: 'growth' } },
  })
})

describe('budgets', () => {
  test('allow 120 reads and refuse the 121st until the first leaves the window', async () => {
    const { readKey, writeKey } = await at.account('growth')
    for (let left = 119; left >= 0; left--) {
      const answer = await at.call('GET', '/v1/me', { key: readKey })
      expect(answer.status).toBe(200)
      expect(answer.headers['ratelimit']).toMatch(new RegExp(`^"reads";r=${left};t=(60|[1-5]\\d)$`))
      expect(answer.headers['ratelimit-policy']).toBe('"reads";q=120;w=60')
    }
    const refused = await at.call('GET', '/v1/me', { key: readKey })
    expect(refused).toMatchObject({ status: 429, json: { code: 'SV-6001' } })
    const retryAfter = Number(refused.headers['retry-after'])
    expect(retryAfter).toBeGreaterThan(0)
    expect(retryAfter).toBeLessThanOrEqual(60)
    expect(await at.call('GET', '/v1/me', { key: writeKey })).toMatchObject({ status: 200 })
    at.pass(retryAfter * 1000)
    expect(await at.call('GET', '/v1/me', { key: readKey })).toMatchObject({ status: 200 })
  })

  test('refuse the 31st write with SV-6002 and still allow reads', async () => {
    const { writeKey } = await at.account('growth')
    const write = () => at.call('POST', '/v1/checks', { key: writeKey, body: {} })
    for (let n = 0; n < 30; n++) expect((await write()).status).toBe(422)
    const refused = await write()
    expect(refused).toMatchObject({ status: 429, json: { code: 'SV-6002' } })
    expect(refused.headers['ratelimit']).toMatch(/^"writes";r=0;t=\d+$/)
    expect(await at.call('GET', '/v1/checks', { key: writeKey })).toMatchObject({ status: 200 })
  })

  test('are not spent by a call that the gate refuses, and its answer has the remaining calls', async () => {
    const { readKey } = await at.account('growth')
    const refused = await at.call('POST', '/v1/checks', { key: readKey, body: {} })
    expect(refused).toMatchObject({ status: 403, json: { code: 'SV-1004' } })
    expect(refused.headers['ratelimit']).toBe('"writes";r=30;t=0')
  })
})
