import { createTestDatabase } from '@probe-mesh/infra/testing/postgres'
import type { TestDatabase } from '@probe-mesh/infra/testing/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from './testing.ts'
import type { TestApp } from './testing.ts'

let database: TestDatabase
let apps: readonly [TestApp, TestApp]
beforeAll(async () => {
  database = await createTestDatabase()
  apps = await Promise.all([startTestApp({ database }), startTestApp({ database })])
})
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()))
  await database.close()
})

/** Holds the minute: both clocks move on together or not at all. */
const pass = (ms: number): void => apps.forEach((app) => app.pass(ms))

test('two instances let 120 reads of a key pass between them, and the 121st on neither', async () => {
  const { readKey } = await apps[0].account('growth')
  let passed = 0
  for (let n = 0; n < 130; n++) {
    const answers = await Promise.all(
      apps.map((app) => app.call('GET', '/v1/me', { key: readKey })),
    )
    passed += answers.filter(({ status }) => status === 200).length
    for (const { status } of answers) expect([200, 429]).toContain(status)
  }
  expect(passed).toBe(120)
})

test('ten clients that are refused at once on two instances all pass at the time they were told', async () => {
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
  // a place every half a second: no more than two or three can be told the same second
  expect(new Set(waits).size).toBeGreaterThanOrEqual(4)
  let waited = 0
  for (const [n, wait] of [...waits.entries()].toSorted((a, b) => a[1] - b[1])) {
    pass(1000 * (wait - waited))
    waited = wait
    expect(await write(n)).toMatchObject({ status: 422 })
  }
})

test('what a key has left is the same on both instances', async () => {
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
