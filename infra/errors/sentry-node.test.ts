import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import type { TestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { connectClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import type { ClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import { startErrorPersister } from '@probe-mesh/control-plane/error-persist/persister'
import type { ErrorPersister } from '@probe-mesh/control-plane/error-persist/persister'
import { startTestApp } from '@probe-mesh/control-plane/http/testing'
import type { TestApp } from '@probe-mesh/control-plane/http/testing'
import { insertTestErrorProject, takeTestLeases } from '@probe-mesh/control-plane/postgres/testing'
import { tiersDefault } from '@probe-mesh/contracts/tiers'
import { NodeClient, Scope, defaultStackParser, makeNodeTransport } from '@sentry/node'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

let store: TestClickHouse
let at: TestApp
let clickhouse: ClickHouse
let persister: ErrorPersister
let origin: string
beforeAll(async () => {
  store = await createTestClickHouse()
  at = await startTestApp({ clickhouseUrl: store.url })
  clickhouse = connectClickHouse(store.url)
  origin = await at.app.listen({ host: '127.0.0.1', port: 0 })
  persister = startErrorPersister({
    sql: at.systemSql,
    clickhouse,
    bus: at.bus,
    tiers: tiersDefault,
    registry: new Registry(),
    log: pino({ level: 'silent' }),
    now: Date.now,
  })
  for (const lease of await takeTestLeases(at.sql)) persister.take(lease)
})
afterAll(async () => {
  await persister.close()
  await clickhouse.close()
  await at.close()
  await store.close()
})

/** A project of a new account, and a client as `init` makes it, without its hooks into this process. */
const startClient = async (tier: 'free' | 'scale') => {
  const account = await at.account(tier)
  const projectId = await insertTestErrorProject(at.sql, account.id)
  const [row] = await at.sql<{ number: string; public_key: string }[]>`
    select number, public_key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${projectId}`
  const dsn = `${origin.replace('//', `//${row?.public_key}@`)}/${row?.number}`
  const client = new NodeClient({
    dsn,
    transport: makeNodeTransport,
    stackParser: defaultStackParser,
    integrations: [],
    release: 'shop@2.1.0',
    environment: 'staging',
    sendClientReports: true,
  })
  client.init()
  const scope = new Scope()
  scope.setClient(client)
  const countsOf = async () => {
    const rows = await at.sql<{ outcome: string; events: number }[]>`
      select outcome, events::integer from error_counts where project_id = ${projectId}`
    return Object.fromEntries(rows.map(({ outcome, events }) => [outcome, events]))
  }
  return { account, projectId, client, scope, countsOf }
}

test('what @sentry/node sends of an error is what is read of its issue', async () => {
  const { account, projectId, client, scope, countsOf } = await startClient('scale')
  scope.setTag('shop', 'berlin')
  scope.setUser({ id: '17', email: 'someone@example.com' })
  scope.setExtra('basket', { items: [1, 2], password: 'hunter2hunter2' })
  scope.addBreadcrumb({ category: 'cart', message: 'put in' })
  const failure = new TypeError('the basket is empty')
  const eventId = scope.captureException(failure)
  expect(await client.flush(10_000)).toBe(true)
  await vi.waitFor(async () => expect(await countsOf()).toEqual({ stored: 1 }))

  const listed = await at.call('GET', `/v1/errors/projects/${projectId}/issues`, {
    key: account.readKey,
  })
  expect(listed.json).toMatchObject({ total: 1, complete: true })
  const issueId = String(listed.json.issues[0].id)
  const { json } = await at.call('GET', `/v1/errors/issues/${issueId}`, { key: account.readKey })
  expect(json).toMatchObject({
    id: issueId,
    projectId,
    status: 'unresolved',
    occurrences: 1,
    releases: [{ release: 'shop@2.1.0', occurrences: 1 }],
  })
  expect(json.title).toContain('TypeError')
  const [recent] = json.recent
  expect(recent).toMatchObject({ id: eventId, release: 'shop@2.1.0', message: failure.message })
  expect(recent.frames[0].file).toContain('sentry-node.test.ts')
  expect(recent.context).toMatchObject({
    type: 'TypeError',
    environment: 'staging',
    tags: { shop: 'berlin' },
    user: { id: '17' },
    extra: { basket: { items: [1, 2] } },
  })
  expect(JSON.stringify(recent.context)).toContain('put in')
  expect(JSON.stringify(json)).not.toContain('hunter2')
  expect(JSON.stringify(json)).not.toContain('someone@example.com')
  await client.close(1_000)
})

test('after the quota is spent @sentry/node sends no more events, and says what it threw away', async () => {
  const { account, projectId, client, scope, countsOf } = await startClient('free')
  const month = `${new Date().toISOString().slice(0, 7)}-01`
  await at.sql`
    insert into error_counts (project_id, month, outcome, account_id, events)
    values (${projectId}, ${month}, 'stored', ${account.id}, ${tiersDefault.free.errorEventsPerMonth})`
  // what it does once a minute and at the end of its process
  const report = () => Reflect.apply(Reflect.get(client, '_flushOutcomes'), client, [])
  // the door hears of it some seconds later; until then the persister says no
  await vi.waitFor(async () => {
    scope.captureException(new Error('too many'))
    await client.flush(5_000)
    report()
    await client.flush(5_000)
    const reported = await at.sql`
      select quantity::integer from error_client_reports
      where project_id = ${projectId} and reason = 'ratelimit_backoff'`
    expect(reported.length).toBeGreaterThan(0)
  }, 25_000)
  const counts = await countsOf()
  expect(counts['stored']).toBe(tiersDefault.free.errorEventsPerMonth)
  expect(counts['quota']).toBeGreaterThan(0)
  await client.close(1_000)
})
