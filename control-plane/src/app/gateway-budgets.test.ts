import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeEach, describe, expect, test } from 'vitest'
import { useTestApp } from './testing/test-app.ts'

const at = useTestApp()
const free = useOnce(() => at.account('free'))
const paid = useOnce(() => at.account('growth'))
// each test starts with full budgets
beforeEach(() => at.pass(61_000))

const somebody = '198.51.100.7'
const status = '/v1/public/services/github/status'
const admission = '/v1/gateway/admission'

describe('the budgets of a key', () => {
  test('are shared by REST and a gateway, for reads, writes and answers', async () => {
    const { writeKey: key } = await at.account('growth')
    for (let n = 0; n < 40; n += 1) {
      await at.call('GET', '/v1/me', { key })
      await at.call('GET', '/v1/me', { key, via: somebody })
      const answer = await at.call('GET', status, { key, via: `198.51.100.${n}` })
      expect(answer.headers['ratelimit']).toMatch(new RegExp(`^"reads";r=${117 - 3 * n};`))
    }
    for (const answer of [
      await at.call('GET', '/v1/me', { key }),
      await at.call('GET', '/v1/me', { key, via: somebody }),
      await at.call('GET', status, { key, via: somebody }),
    ]) {
      expect(answer).toMatchObject({ status: 429, json: { code: 'SV-6001' } })
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    for (let n = 0; n < 15; n += 1) {
      await at.call('POST', '/v1/checks', { key, body: {} })
      await at.call('POST', '/v1/checks', { key, body: {}, via: somebody })
    }
    for (const via of [{}, { via: somebody }]) {
      const answer = await at.call('POST', '/v1/checks', { key, body: {}, ...via })
      expect(answer).toMatchObject({ status: 429, json: { code: 'SV-6002' } })
    }
  })

  test('limit free keys too, and their answers do not spend the keyless budget', async () => {
    const { readKey: key } = await at.account('free')
    for (let n = 0; n < 120; n += 1) {
      expect((await at.call('GET', status, { key, via: somebody })).status).toBe(200)
    }
    const refused = await at.call('GET', status, { key, via: somebody })
    expect(refused).toMatchObject({ status: 429, json: { code: 'SV-6001' } })
    const keyless = await at.call('GET', status, { via: somebody })
    expect(keyless.headers['ratelimit']).toMatch(/^"keyless";r=59;/)
  })
})

describe('the keyless budget', () => {
  test.each([
    ['an address', '198.51.100.7', '198.51.100.7'],
    ['an address that is written as IPv6', '198.51.100.7', '::ffff:198.51.100.7'],
    ['a household of IPv6 addresses', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
  ])('of %s is shared by direct requests and any gateway', async (_, direct, via) => {
    const gateways = ['10.0.0.1', '10.0.0.2'] as const
    for (let n = 0; n < 20; n += 1) {
      await at.call('GET', status, { from: direct })
      for (const from of gateways) await at.call('GET', status, { via, from })
    }
    for (const call of [{ from: direct }, { via }, { via, from: gateways[1] }]) {
      const answer = await at.call('GET', status, call)
      expect(answer).toMatchObject({ status: 429, json: { code: 'SV-6004' } })
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    for (const call of [{ from: gateways[0] }, { via: '203.0.113.1' }, { via: '2001:db8:1:3::1' }]) {
      expect(await at.call('GET', status, call)).toMatchObject({ status: 200 })
    }
  })

  test('is spent by gateway requests that call no route', async () => {
    for (let n = 0; n < 30; n += 1) {
      expect(await at.call('POST', admission, { via: somebody })).toMatchObject({
        status: 204,
        text: '',
      })
      expect(await at.call('GET', status, { from: somebody })).toMatchObject({ status: 200 })
    }
    const refused = await at.call('POST', admission, { via: somebody })
    expect(refused).toMatchObject({ status: 429, json: { code: 'SV-6004' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(await at.call('GET', status, { from: somebody })).toMatchObject({ status: 429 })
  })
})

describe('admission', () => {
  test('is only for gateways: others get not found', async () => {
    const nothing = await at.call('POST', '/v1/gateway/nothing', { key: paid.writeKey })
    const answer = await at.call('POST', admission, { key: paid.writeKey })
    expect(answer).toMatchObject({ status: 404, text: nothing.text, json: { code: 'SV-3001' } })
    expect(answer.headers['ratelimit']).toBeUndefined()
    const broken = { body: '{"broken', headers: { 'content-type': 'application/json' } }
    expect(await at.call('POST', admission, broken)).toMatchObject({ status: 404 })
    expect((await at.call('GET', '/v1/openapi.json')).text).not.toContain('/gateway')
  })

  test('of a known key costs nothing', async () => {
    for (const { readKey, writeKey } of [free, paid]) {
      for (const key of [readKey, writeKey]) {
        for (let n = 0; n < 130; n += 1) await at.call('POST', admission, { key, via: somebody })
        const answer = await at.call('POST', admission, { key, via: somebody })
        expect(answer).toMatchObject({ status: 204, text: '' })
        const read = await at.call('GET', '/v1/me', { key, via: somebody })
        expect(read.headers['ratelimit']).toMatch(/^"reads";r=119;/)
      }
    }
    const keyless = await at.call('GET', status, { via: somebody })
    expect(keyless.headers['ratelimit']).toMatch(/^"keyless";r=59;/)
  })

  test.each([
    ['Bearer nonsense', 'SV-1002'],
    ['Basic dXNlcjpwYXNz', 'SV-1001'],
    ['', 'SV-1001'],
  ])('of Authorization %j is %s', async (authorization, code) => {
    const call = { headers: { authorization }, via: somebody }
    expect(await at.call('POST', admission, call)).toMatchObject({ status: 401, json: { code } })
  })
})
