import { startErrorPersister, type ErrorPersister } from '@probe-mesh/error-tracking/persist/persister'
import { gatewayKey, useTestApp, type TestAccount } from '@probe-mesh/control-plane/src/app/testing/test-app'
import {
  insertTestErrorProject,
  acquireTestLeases,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { createGateway } from '@probe-mesh/mcp-gateway/gateway'
import { connectControlPlane, type ControlPlane } from '@probe-mesh/mcp-gateway/upstream/control-plane'
import { NodeClient, Scope, defaultStackParser, makeNodeTransport } from '@sentry/node'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connectClient2 } from '../mcp/clients.ts'
import type { Called, Client } from '../mcp/every-tool.ts'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'

const log = pino({ level: 'silent' })
const hosts = ['127.0.0.1']

let persister: ErrorPersister
let controlPlane: ControlPlane
let gateway: ReturnType<typeof createGateway>
let url: string
let origin: string
const store = useTestClickHouse()
const clickhouse = store.use()
const at = useTestApp(() => ({ clickhouseUrl: store.url }))
beforeAll(async () => {
  origin = await at.app.listen({ host: '127.0.0.1', port: 0 })
  persister = startErrorPersister({
    sql: at.systemSql,
    clickhouse,
    bus: at.bus,
    tiers: tiersDefault,
    registry: new Registry(),
    log,
    now: Date.now,
  })
  for (const lease of await acquireTestLeases(at.sql)) persister.take(lease)
  controlPlane = connectControlPlane({ apiUrl: `${origin}/v1`, gatewayKey })
  gateway = createGateway(
    { controlPlane, registry: new Registry(), log, now: Date.now },
    { allowedHosts: hosts, allowedOrigins: hosts, trustProxy: false },
  )
  url = `${await gateway.listen({ host: '127.0.0.1', port: 0 })}/mcp`
})
afterAll(async () => {
  await gateway.close()
  await controlPlane.close()
  await persister.close()
})

const connect = ({ readKey }: TestAccount): Promise<Client> =>
  connectClient2(url, { authorization: `Bearer ${readKey}` }, 'modern')

/** A new project of the account with one error from Sentry's SDK for each of these releases. */
const createReported = async (account: TestAccount, releases: readonly string[]) => {
  const projectId = await insertTestErrorProject(at.sql, account.id)
  const [row] = await at.sql<{ number: string; public_key: string }[]>`
    select number, public_key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${projectId}`
  const eventIds: string[] = []
  for (const [index, release] of releases.entries()) {
    const client = new NodeClient({
      dsn: `${origin.replace('//', `//${row?.public_key}@`)}/${row?.number}`,
      transport: makeNodeTransport,
      stackParser: defaultStackParser,
      integrations: [],
      release,
    })
    client.init()
    const scope = new Scope()
    scope.setClient(client)
    // a separate issue for each release; the last one is seen last
    scope.setFingerprint([`issue ${index}`])
    eventIds.push(scope.captureException(new TypeError(`basket ${index} is empty`)))
    await client.close(10_000)
  }
  await vi.waitFor(async () => {
    const [counted] = await at.sql<{ events: number }[]>`
      select events::integer from error_counts
      where project_id = ${projectId} and outcome = 'stored'`
    expect(counted).toEqual({ events: releases.length })
  })
  return { projectId, eventIds }
}

/** The structured answer of a tool, which must equal its text. */
const structured = ({ isError, text, structured }: Called): Record<string, never> => {
  if (isError) throw new Error(text)
  expect(JSON.parse(text)).toEqual(structured)
  return structured as Record<string, never>
}
const codeOf = ({ isError, text }: Called) => ({ isError, code: JSON.parse(text).code as unknown })
const keysOf = (record: object) => Object.keys(record).toSorted()

test('the three error tracking tools return the promised fields of events that an SDK sent', async () => {
  const account = await at.account('free')
  const { projectId, eventIds } = await createReported(account, ['shop@1.0.0', 'shop@2.0.0'])
  await at.sql`
    insert into error_counts (project_id, month, outcome, account_id, events)
    values (${projectId}, ${`${new Date().toISOString().slice(0, 7)}-01`}, 'filtered', ${account.id}, 3)`
  const client = await connect(account)
  const { projects } = structured(await client.call('list_error_projects', {}))
  const none = { quota: 0, rate: 0, size: 0, invalid: 0, duplicate: 0, scrub: 0, store: 0 }
  expect(projects).toEqual([
    {
      id: projectId,
      name: 'web',
      dsn: expect.stringMatching(/^http:\/\/[0-9a-f]{32}@127\.0\.0\.1:8080\/\d+$/),
      eventsThisMonth: 2,
      quota: tiersDefault.free.errorEventsPerMonth,
      dropped: { ...none, filtered: 3 },
    },
  ])

  const search = async (args: object) =>
    structured(await client.call('list_error_issues', { projectId, ...args }))
  const all = await search({})
  expect(all).toMatchObject({ total: 2, complete: true })
  const [second, first] = all['issues'] as unknown as Record<string, unknown>[]
  expect(keysOf(all)).toEqual(['complete', 'issues', 'nextCursor', 'total'])
  expect(await search({ limit: 1 })).toMatchObject({
    issues: [{ id: second?.['id'] }],
    total: 2,
    complete: false,
  })
  const found = { issues: [{ id: first?.['id'] }], total: 1, complete: true }
  const filter = { q: 'BASKET 0', release: 'shop@1.0.0', status: 'unresolved', window: '1h' }
  expect(await search(filter)).toMatchObject(found)
  for (const other of [{ q: 'basket 2' }, { release: 'shop@1' }, { status: 'ignored' }]) {
    expect(await search({ ...filter, ...other })).toEqual({
      issues: [],
      total: 0,
      complete: true,
      nextCursor: null,
    })
  }

  const issue = structured(await client.call('get_error_issue', { issueId: first?.['id'] }))
  expect(keysOf(issue)).toEqual(
    `culprit firstSeen id lastSeen occurrences projectId recent releases status title`.split(' '),
  )
  expect(issue).toMatchObject({
    projectId,
    title: 'TypeError: basket 0 is empty',
    status: 'unresolved',
    occurrences: 1,
    releases: [{ release: 'shop@1.0.0', occurrences: 1 }],
    recent: [{ id: eventIds[0], release: 'shop@1.0.0', message: 'basket 0 is empty' }],
  })
  const [recent] = issue['recent'] as unknown as [{ frames: object[] }]
  expect(keysOf(recent)).toEqual(['at', 'context', 'frames', 'id', 'message', 'release'])
  expect(recent.frames[0]).toMatchObject({ file: expect.stringContaining('mcp.test.ts') })
  await client.close()
})

test('MCP tools answer SV-3001 for missing and foreign ids, and SV-2001 for invalid arguments', async () => {
  const [account, other] = [await at.account('free'), await at.account('growth')]
  const { projectId } = await createReported(other, ['shop@1.0.0'])
  const [issue] = await at.sql<{ id: string }[]>`
    select id from error_issues where project_id = ${projectId}`
  const client = await connect(account)
  const missing = { isError: true, code: 'SV-3001' }
  for (const id of [projectId, uuidv7(Date.now())]) {
    expect(codeOf(await client.call('list_error_issues', { projectId: id }))).toEqual(missing)
  }
  for (const id of [issue?.id, uuidv7(Date.now())]) {
    expect(codeOf(await client.call('get_error_issue', { issueId: id }))).toEqual(missing)
  }
  const mine = await insertTestErrorProject(at.sql, account.id)
  const list = (args: object) => client.call('list_error_issues', { projectId: mine, ...args })
  for (const limit of [1, 500]) expect(await list({ limit })).toMatchObject({ isError: false })
  const wrong = { isError: true, code: 'SV-2001' }
  for (const args of [
    { limit: 0 },
    { limit: 501 },
    { limit: 1.5 },
    { status: 'gone' },
    { window: '2h' },
    { q: 'x'.repeat(201) },
    { projectId: 'no uuid' },
  ]) {
    expect([args, codeOf(await list(args))]).toEqual([args, wrong])
  }
  await client.close()
})
