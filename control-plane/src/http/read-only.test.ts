import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { createTestDatabase, type TestDatabase } from '@probe-mesh/infra/testing/postgres'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { routes, type Route, type RouteName } from '@probe-mesh/contracts/api/routes'
import { beforeAll, describe, expect, test } from 'vitest'
import { exampleCall, makeWorld, routeExamples, routeNames, sendCall } from '../app/testing/route-examples.ts'
import { asUser, loggedIn, logInAs } from '../app/testing/log-in.ts'
import { startTestApp, useTestApp, type TestApp } from '../app/testing/test-app.ts'

/** One app on a database, and another one on the same that sees it read-only, like after a demotion or a full disk. */

const clickhouse = useTestClickHouse()
const database = useOnce<TestDatabase>(() => createTestDatabase())
const options = () => ({ database, clickhouseUrl: clickhouse.url, config: { budgetScale: 1_000 } })
const at = useTestApp(options)
const scale = useOnce(() => at.account('scale'))
const world = useOnce(() => makeWorld(at, scale))
let readOnly: TestApp
beforeAll(async () => {
  const url = `${database.url}?default_transaction_read_only=on`
  readOnly = await startTestApp({ ...options(), database: { url, close: async () => {} } })
})

const scopeOf = (name: RouteName): Route['scope'] => (routes[name] as Route).scope
const writes = routeNames.filter((name) => routeExamples[name].audit !== undefined)

describe.for(routeNames.filter((name) => scopeOf(name) === 'read'))('%s', (name) => {
  test('is answered from a read-only Postgres as from any other', async () => {
    const answer = await sendCall(readOnly, name, exampleCall(name, world), { key: scale.readKey })
    expect(answer.status, answer.text).toBe((routes[name] as Route).success)
  })
})

describe.for(writes)('%s', (name) => {
  test('is SV-9002 on a read-only Postgres, and says so', async () => {
    const answer = await sendCall(readOnly, name, exampleCall(name, world), { key: scale.writeKey })
    expect(answer, answer.text).toMatchObject({
      status: 503,
      json: { code: 'SV-9002', message: expect.stringContaining('read-only') },
    })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })
})

test('a session that was not used for hours reads on, and a login is SV-9002', async () => {
  const user = await loggedIn(at)
  await at.sql`update sessions set last_seen_at = last_seen_at - interval '2 hours'
    where account_id = ${user.accountId}`
  for (const path of ['/session', '/overview']) {
    const answer = await asUser(readOnly, user, 'GET', path)
    expect(answer.status, answer.text).toBe(200)
  }
  expect(await logInAs(readOnly, user.email)).toMatchObject({
    status: 503,
    json: { code: 'SV-9002', message: expect.stringContaining('read-only') },
  })
})

test('each control plane counts a budget alone, and its calls are allowed', async () => {
  const { readKey } = await at.account('scale')
  const answer = await readOnly.call('GET', '/v1/checks', { key: readKey })
  expect(answer).toMatchObject({ status: 200, headers: { ratelimit: expect.stringMatching(/^"reads";/) } })
  const metrics = await readOnly.registry.metrics()
  expect(metrics).toMatch(/budget_calls_alone_total [1-9]/)
})
