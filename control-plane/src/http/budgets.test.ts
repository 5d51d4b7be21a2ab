import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKey } from '../accounts/keys.ts'
import { startTestApp, type TestApp } from '../app/testing/test-app.ts'

let apps: readonly [TestApp, TestApp]
const database = useTestDatabase()
beforeAll(async () => {
  apps = await Promise.all([startTestApp({ database }), startTestApp({ database })])
})
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()))
})

/** Both clocks advance together. */
const pass = (ms: number): void => apps.forEach((app) => app.pass(ms))

test('two instances together allow 120 reads of a key, and refuse the 121st on both', async () => {
  const { readKey } = await apps[0].account('growth')
  let passed = 0
  for (let n = 0; n < 130; n++) {
    const answers = await Promise.all(apps.map((app) => app.call('GET', '/v1/me', { key: readKey })))
    passed += answers.filter(({ status }) => status === 200).length
    for (const { status } of answers) expect([200, 429]).toContain(status)
  }
  expect(passed).toBe(120)
})

test('ten clients refused at the same time on two instances all pass after their Retry-After', async () => {
  const { writeKey } = await apps[0].account('growth')
  const write = (n: number) => apps[n % 2]?.call('POST', '/v1/checks', { key: writeKey, body: {} })
  for (let n = 0; n < 30; n++) {
    expect(await write(n)).toMatchObject({ status: 422 })
    pass(500)
  }
  const refused = await Promise.all(Array.from({ length: 10 }, (_, n) => write(n)))
  const waits = refused.map((answer) => {
    expect(answer).toMatchObject({ status: 429, json: { code: 'SV-6002' } })
    return Number(answer?.headers['retry-after'])
  })
  // one place every 0.5 s: at most three clients get the same second
  expect(new Set(waits).size).toBeGreaterThanOrEqual(4)
  let waited = 0
  for (const [n, wait] of [...waits.entries()].toSorted((a, b) => a[1] - b[1])) {
    pass(1000 * (wait - waited))
    waited = wait
    expect(await write(n)).toMatchObject({ status: 422 })
  }
})

test('the remaining budget of a key is the same on both instances', async () => {
  const { readKey, writeKey } = await apps[0].account('growth')
  for (let n = 0; n < 3; n++) {
    await apps[0].call('POST', '/v1/checks', { key: writeKey, body: {} })
  }
  const answers = [
    await apps[0].call('GET', '/v1/me', { key: writeKey }),
    await apps[1].call('GET', '/v1/me', { key: writeKey }),
  ]
  expect(answers.map(({ json }) => json.limits)).toMatchObject([
    { reads: { left: 119 }, writes: { left: 27 } },
    { reads: { left: 118 }, writes: { left: 27 } },
  ])
  expect((await apps[1].call('GET', '/v1/me', { key: readKey })).json.limits).toMatchObject({
    reads: { left: 119 },
    writes: { left: 30 },
  })
})

test('all keys of an account together have the budget of ten keys, and the error says so', async () => {
  const { id } = await apps[0].account('growth')
  const other = await apps[0].account('growth')
  const context = { sql: apps[0].sql, now: apps[0].now }
  const keys: string[] = []
  for (let n = 0; n < 12; n++) {
    const made = await createKey(context, { accountId: id, name: `key ${n}`, scope: 'read_write' })
    if (isRefusal(made)) throw new Error(made.message)
    keys.push(made.apiKey)
  }
  const write = (key: string, n: number) => apps[n % 2]?.call('POST', '/v1/checks', { key, body: {} })
  let passed = 0
  let refused: Awaited<ReturnType<typeof write>>
  for (const [n, key] of keys.entries()) {
    for (let call = 0; call < 30; call++) {
      const answer = await write(key, n)
      if (answer?.status === 422) passed += 1
      else refused = answer
    }
  }
  // leased blocks of both instances count as used
  expect(passed).toBeLessThanOrEqual(300)
  expect(passed).toBeGreaterThan(250)
  expect(refused).toMatchObject({
    status: 429,
    json: { code: 'SV-6002', detail: expect.stringContaining('by all its keys together') },
  })
  expect(refused?.headers['ratelimit-policy']).toBe('"writes";q=300;w=60')
  expect((await write(other.writeKey, 0))?.status).toBe(422)
})
