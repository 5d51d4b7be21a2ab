import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { claimRequest, settleClaim } from '../accounts/operations/claims.ts'
import { write } from '../accounts/operations/write.ts'
import { pruneClaims } from '../accounts/operations/idempotency-store.ts'
import { useTestApp, type TestAccount } from '../app/testing/test-app.ts'

const at = useTestApp({ config: { budgetScale: 100 } })
const acme = useEach(() => at.account('scale'))

const body = { name: 'site', url: 'https://example.org/' }
const post = (key: string, options: { body?: unknown; path?: string; apiKey?: string } = {}) =>
  at.call('POST', options.path ?? '/v1/checks', {
    key: options.apiKey ?? acme.writeKey,
    body: options.body ?? body,
    headers: { 'idempotency-key': key },
  })
const checksOf = async ({ writeKey }: TestAccount): Promise<unknown[]> =>
  (await at.call('GET', '/v1/checks', { key: writeKey })).json.checks
const dayMs = 24 * 3_600_000

describe('a repeated request', () => {
  test('is executed once and gets the same answer', async () => {
    const first = await post('k1')
    const second = await post('k1')
    expect(first).toMatchObject({ status: 201 })
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(second).toMatchObject({ status: 201, text: first.text })
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.headers['content-type']).toBe(first.headers['content-type'])
    expect(await checksOf(acme)).toHaveLength(1)
  })

  test('has one effect, also when twenty are sent concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('many')))
    const made = answers.filter(({ status }) => status === 201)
    expect(made.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    for (const { status, json, headers } of answers) {
      if (status === 201) continue
      expect({ status, code: json.code }).toEqual({ status: 409, code: 'SV-3002' })
      expect(headers['retry-after']).toBe('1')
    }
    expect(await checksOf(acme)).toHaveLength(1)
  })

  test('gets the same refusal', async () => {
    const first = await post('no', { body: { ...body, url: 'nonsense' } })
    const second = await post('no', { body: { ...body, url: 'nonsense' } })
    expect(first).toMatchObject({ status: 422 })
    expect(second).toMatchObject({ status: 422, text: first.text })
    expect(second.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'content-type': 'application/problem+json; charset=utf-8',
    })
  })

  test('spends the budget again', async () => {
    const left = async () => Number(/r=(\d+)/.exec(String((await post('b')).headers['ratelimit']))?.[1])
    const first = await left()
    expect(await left()).toBe(first - 1)
  })

  test('is executed again without a key, and on routes other than POST', async () => {
    const [, second] = [
      await at.call('POST', '/v1/checks', { key: acme.writeKey, body }),
      await at.call('POST', '/v1/checks', { key: acme.writeKey, body }),
    ]
    expect(await checksOf(acme)).toHaveLength(2)
    const headers = { 'idempotency-key': 'd' }
    const remove = () => at.call('DELETE', `/v1/checks/${second.json.id}`, { key: acme.writeKey, headers })
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 404])
  })

  test('is a new request after 24 h, and not earlier', async () => {
    await post('old')
    at.pass(dayMs - 10_000)
    expect((await post('old')).headers['idempotency-replayed']).toBe('true')
    at.pass(10_001)
    expect((await post('old')).headers['idempotency-replayed']).toBeUndefined()
    expect(await checksOf(acme)).toHaveLength(2)
  })
})

describe('a key', () => {
  test.each([
    ['another body', { body: { ...body, name: 'other' } }],
    ['another route', { path: '/v1/checks?x=1' }],
  ])('that is sent with %s is refused', async (_what, options) => {
    expect(await post('twice')).toMatchObject({ status: 201 })
    expect(await post('twice', options)).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path: 'Idempotency-Key' }] },
    })
    expect(await checksOf(acme)).toHaveLength(1)
  })

  test('of one account does not affect another account', async () => {
    const other = await at.account('scale')
    const first = await post('shared')
    const second = await post('shared', { apiKey: other.writeKey })
    expect(second.headers['idempotency-replayed']).toBeUndefined()
    expect(second.json.id).not.toBe(first.json.id)
    expect(await checksOf(other)).toHaveLength(1)
  })

  test.each([
    ['', 422],
    ['x', 201],
    ['~'.repeat(255), 201],
    ['~'.repeat(256), 422],
    ['a b', 422],
    ['caf\u00e9', 422],
  ])('%j is answered with %i', async (key, status) => {
    expect(await post(key)).toMatchObject({ status })
  })
})

describe('an interrupted request', () => {
  const claimOf = async (key: string, now = at.now): Promise<string> => {
    const claim = await claimRequest(
      { sql: at.accountSql, now },
      {
        accountId: acme.id,
        key,
        route: 'POST /v1/checks',
        body: JSON.stringify(body),
        workMsMax: 15_000,
      },
    )
    if (isRefusal(claim) || claim.kind !== 'claimed') throw new Error('the key is claimed already')
    return claim.claimId
  }
  const name = { action: 'test', resourceType: 'test', resourceId: () => 'test' }
  const audited = async () =>
    (await at.sql`select from audit_log where account_id = ${acme.id} and action = 'test'`).length
  const writeBy = (claimId: string) =>
    write(
      { sql: at.accountSql, now: at.now },
      { accountId: acme.id, actor: { kind: 'operator' }, claim: { id: claimId, success: 201 } },
      name,
      async () => 'written',
    )

  test('holds its key before its write until its time limit, then the next request runs', async () => {
    const started = at.now()
    await claimOf('cut', () => started - 5_000)
    expect(await post('cut')).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    at.pass(10_001)
    expect(await post('cut')).toMatchObject({ status: 201 })
  })

  test('is not executed again after its write: a repeated request gets an error', async () => {
    await writeBy(await claimOf('done'))
    const early = await post('done')
    expect(early).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    expect(early.headers['retry-after']).toBe('1')
    at.pass(60_000)
    const answer = await post('done')
    expect(answer).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    expect(answer.json.message).toMatch(/executed.*read the resource/)
    expect(answer.headers['retry-after']).toBeUndefined()
    expect(await checksOf(acme)).toHaveLength(0)
  })

  test('writes nothing after another request replaced its claim', async () => {
    const slow = await claimOf('late', () => at.now() - 15_001)
    const next = await claimOf('late')
    await expect(writeBy(slow)).rejects.toThrow(/replaced by another request/)
    expect(await audited()).toBe(0)
    expect(await writeBy(next)).toBe('written')
    expect(await audited()).toBe(1)
  })

  test('counts as executed after an internal error, or if its answer is too large to store', async () => {
    const answers = [
      { status: 500, body: '' },
      { status: 201, body: 'x'.repeat(64 * 1024 + 1) },
    ]
    for (const answer of answers) {
      const key = `answer ${answer.status}`.replace(' ', '-')
      const claimId = await claimOf(key)
      await writeBy(claimId)
      const context = { sql: at.accountSql, now: at.now }
      await settleClaim(context, { accountId: acme.id, claimId }, answer)
      const repeated = await post(key)
      expect(repeated).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
      expect(repeated.json.message).toMatch(/executed/)
    }
  })

  test('by an internal error before its write may be sent again', async () => {
    await at.sql.unsafe(`
      create function break() returns trigger language plpgsql as $$
        begin raise exception 'broken'; end $$;
      create trigger break before insert on checks for each row execute function break();`)
    const refused = await post('error')
    await at.sql.unsafe('drop trigger break on checks; drop function break;')
    expect(refused).toMatchObject({ status: 500, json: { code: 'SV-9001' } })
    expect(await post('error')).toMatchObject({ status: 201 })
    expect(await checksOf(acme)).toHaveLength(1)
  })
})

test('only expired keys are deleted', async () => {
  await post('kept')
  const keys = () => at.sql`select from idempotency_keys where account_id = ${acme.id}`
  const [row] = await at.sql<{ expires_at: Date }[]>`
    select expires_at from idempotency_keys where account_id = ${acme.id}`
  const expiresAtMs = row?.expires_at.getTime() ?? 0
  await pruneClaims(at.sql, expiresAtMs - 1, 1_000)
  expect(await keys()).toHaveLength(1)
  await pruneClaims(at.sql, expiresAtMs, 1_000)
  expect(await keys()).toHaveLength(0)
})
