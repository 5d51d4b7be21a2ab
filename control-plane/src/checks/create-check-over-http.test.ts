import { Check } from '@probe-mesh/contracts/check/check'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'

const at = useTestApp({
  config: {
    budgetScale: 1_000,
    tiers: { ...tiersDefault, growth: { ...tiersDefault.growth, monitors: 3 } },
  },
})
const account = useEach(() => at.account('scale'))

const create = (body: object, key = account.writeKey) =>
  at.call('POST', '/v1/checks', {
    key,
    body: { name: 'web', url: 'https://example.org/', ...body },
  })

const revisionsOf = async (id: string) =>
  at.sql`select revision, valid_from, valid_to, regions from check_revisions
    where check_id = ${id} order by revision`

describe('create', () => {
  test('the defaults are all live regions and the fastest interval of the tier', async () => {
    const { status, json } = await create({ url: 'HTTPS://Example.org:443/a?b#c' })
    expect(status).toBe(201)
    expect(json).toEqual(Check.parse(json))
    expect(json).toMatchObject({
      name: 'web',
      url: 'HTTPS://Example.org:443/a?b#c',
      type: 'http',
      intervalSeconds: 10,
      regions: ['iad', 'sjc', 'fra', 'nrt'],
      allRegions: true,
      assertionStatusMin: null,
      status: 'unknown',
    })
    const [state] = await at.sql`select status, version from check_states where check_id = ${json.id}`
    expect(state).toEqual({ status: 'unknown', version: 0 })
    expect(await revisionsOf(json.id)).toMatchObject([{ revision: 1, valid_to: null }])
  })

  test('some regions are stored unchanged; a list of all regions means all regions', async () => {
    const some = await create({ regions: ['nrt', 'iad'] })
    expect(some.json).toMatchObject({ regions: ['nrt', 'iad'], allRegions: false })
    const all = await create({ regions: ['nrt', 'fra', 'sjc', 'iad'] })
    expect(all.json).toMatchObject({ allRegions: true })
  })

  test('two checks may have the same name', async () => {
    expect((await create({})).status).toBe(201)
    expect((await create({})).status).toBe(201)
  })

  test.each([
    ['a region that is not live', { regions: ['fra', 'lhr'] }, 'SV-2001', 'regions[1]'],
    ['a region twice', { regions: ['fra', 'fra'] }, 'SV-2001', 'regions'],
    ['no region', { regions: [] }, 'SV-2001', 'regions'],
    ['an unknown field', { paused: true }, 'SV-2001', 'paused'],
    ['a prototype', JSON.parse('{"__proto__":{"x":1}}'), 'SV-2001', '__proto__'],
    ['another type', { type: 'tcp' }, 'SV-2001', 'type'],
    ['a blank name', { name: '  ' }, 'SV-2001', 'name'],
    ['a private address', { url: 'http://10.0.0.1/' }, 'SV-5001', 'url'],
    ['another scheme', { url: 'ftp://example.org/' }, 'SV-5001', 'url'],
    ['an interval below the tier', { intervalSeconds: 9 }, 'SV-4002', 'intervalSeconds'],
    ['an interval that is no integer', { intervalSeconds: 60.5 }, 'SV-2001', 'intervalSeconds'],
    [
      'a range upside down',
      { assertionStatusMin: 300, assertionStatusMax: 200 },
      'SV-2001',
      'assertionStatusMin',
    ],
    [
      'a regular expression',
      { assertionBodyOp: 'regex', assertionBodyValue: '^a' },
      'SV-2002',
      'assertionBodyOp',
    ],
    [
      'a match',
      { assertionJsonPath: 'a', assertionJsonOp: 'matches', assertionJsonValue: 'x' },
      'SV-2002',
      'assertionJsonOp',
    ],
    ['a wildcard', { assertionJsonPath: 'a[*]', assertionJsonOp: 'exists' }, 'SV-2002', 'assertionJsonPath'],
    [
      'a filter',
      { assertionJsonPath: 'a[?(@.b)]', assertionJsonOp: 'exists' },
      'SV-2002',
      'assertionJsonPath',
    ],
    [
      'recursive descent',
      { assertionJsonPath: '$..a', assertionJsonOp: 'exists' },
      'SV-2002',
      'assertionJsonPath',
    ],
  ])('%s is refused and nothing is created', async (_, body, code, path) => {
    const answer = await create(body)
    expect(answer.json).toMatchObject({ code, errors: [{ path }] })
    const list = await at.call('GET', '/v1/checks', { key: account.readKey })
    expect(list.json).toEqual({ checks: [] })
  })

  test('all problems of a body are listed, also between fields', async () => {
    const answer = await at.call('POST', '/v1/checks', {
      key: account.writeKey,
      body: {
        name: '',
        intervalSeconds: 'fast',
        regions: ['FRA'],
        colour: 'red',
        assertionStatusMin: 500,
        assertionStatusMax: 200,
        assertionJsonPath: 'a..b',
      },
    })
    expect(answer.status).toBe(422)
    expect(answer.json.code).toBe('SV-2002')
    expect(answer.json.errors.map((error: { path: string }) => error.path).toSorted()).toEqual([
      'assertionJsonOp',
      'assertionJsonPath',
      'assertionStatusMin',
      'colour',
      'intervalSeconds',
      'name',
      'regions[0]',
      'url',
    ])
  })

  test('problems of later rules are listed with those of the first, which decides the code', async () => {
    const wrong = { url: 'http://10.0.0.1/', intervalSeconds: 1, regions: ['fra', 'zzz'] }
    const rest = ['regions[1]', 'url', 'intervalSeconds']
    for (const [body, code, paths] of [
      [{ ...wrong, name: ' ', more: 1 }, 'SV-2001', ['name', 'more', ...rest]],
      [wrong, 'SV-2001', rest],
      [{ ...wrong, regions: ['fra'] }, 'SV-5001', ['url', 'intervalSeconds']],
      [
        { ...wrong, assertionJsonPath: 'a[*]', assertionJsonOp: 'exists' },
        'SV-2002',
        ['assertionJsonPath', ...rest],
      ],
    ] as const) {
      const { status, json } = await create(body)
      expect([status, json.code]).toEqual([422, code])
      expect(json.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([...paths].toSorted())
    }
    expect((await create({ ...wrong, name: ' ' })).json.message).toBe(
      '"name": must not be blank. "errors" lists 3 more problems.',
    )
  })

  test('concurrent creates cannot exceed the allowance of the tier', async () => {
    const growth = await at.account('growth')
    // opens all connections first, so that the creates run concurrently
    await Promise.all(Array.from({ length: 8 }, () => at.sql`select pg_sleep(0.05)`))
    const answers = await Promise.all(Array.from({ length: 12 }, () => create({}, growth.writeKey)))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(3)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject({ status: 403, json: { code: 'SV-4001' } })
    }
    const me = await at.call('GET', '/v1/me', { key: growth.readKey })
    expect(me.json.limits.monitors).toEqual({ used: 3, allowed: 3 })
  })
})

describe('bodies', () => {
  const post = (body: string, type = 'application/json') =>
    at.call('POST', '/v1/checks', {
      key: account.writeKey,
      body,
      headers: { 'content-type': type },
    })

  test.each([
    ['broken JSON', '{"name":', 'application/json'],
    ['another media type', '{}', 'text/plain'],
    ['a form', 'name=a', 'application/x-www-form-urlencoded'],
  ])('%s is 400', async (_, body, type) => {
    expect(await post(body, type)).toMatchObject({ status: 400, json: { code: 'SV-2001' } })
  })

  test.each(['[]', '"text"', 'null', '7'])('%s is JSON, but not an object', async (body) => {
    expect(await post(body)).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
  })

  test('a body above the limit is 413, one just below is accepted', async () => {
    const padded = (bytes: number) => '{}'.padEnd(bytes, ' ')
    expect(await post(padded(limits.requestBodyBytesMax + 1))).toMatchObject({ status: 413 })
    expect(await post(padded(limits.requestBodyBytesMax))).toMatchObject({ status: 422 })
  })
})
