import { routes, type Route, type RouteName } from '@probe-mesh/contracts/api/routes'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, describe, expect, test } from 'vitest'
import { revokeKey } from '../accounts/keys.ts'
import { findAudit, type AuditRecord } from '../accounts/operations/audit-store.ts'
import { findKeys } from '../accounts/keys-store.ts'
import { routeCodes } from '../documents/route-codes.ts'
import { provider } from '../app/testing/pages.ts'
import { exampleCall, makeWorld, routeExamples, routeNames, sendCall } from '../app/testing/route-examples.ts'
import { useTestApp, type TestAccount } from '../app/testing/test-app.ts'

let revoked: string

const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url, config: { budgetScale: 1_000 } }))
/** Tests the guarantees of all routes of the table for all kinds of callers, in the order of the gate. */
const scale = useOnce(() => at.account('scale'))
const free = useOnce(() => at.account('free'))
const world = useOnce(() => makeWorld(at, scale))
beforeAll(async () => {
  const former = await at.account('scale')
  revoked = former.writeKey
  for (const { id } of await findKeys(at.sql, former.id)) {
    await revokeKey({ sql: at.sql, now: at.now }, { keyId: id })
  }
})

const routeOf = (name: RouteName): Route => routes[name]
const ofRoutes = (isMeant: (route: Route) => boolean) => routeNames.filter((name) => isMeant(routeOf(name)))

/** A broken body, which must not be reported if the request is refused before. */
const broken = '{"broken'

const auditOf = (account: TestAccount): Promise<AuditRecord[]> =>
  findAudit(at.sql, account.id, { limit: 100 })

describe.for(routeNames)('%s', (name) => {
  const route = routeOf(name)
  const params = () => exampleCall(name, world).params ?? {}

  test('is SV-1001 without a key, and explains how to send one', async () => {
    const answer = await sendCall(at, name, { params: params(), body: broken })
    expect(answer).toMatchObject({ status: 401, json: { code: 'SV-1001', errors: [] } })
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
    expect(answer.headers['content-type']).toMatch('application/problem+json')
  })

  test('is SV-1002 with a revoked key', async () => {
    const answer = await sendCall(at, name, { params: params(), body: broken }, { key: revoked })
    expect(answer).toMatchObject({ status: 401, json: { code: 'SV-1002' } })
  })

  test('is SV-1003 for a free account, with any scope', async () => {
    for (const key of [free.readKey, free.writeKey]) {
      const answer = await sendCall(at, name, { params: params(), body: broken }, { key })
      expect(answer).toMatchObject({ status: 403, json: { code: 'SV-1003' } })
    }
  })

  test('executes an example, and the answer matches its schema', async () => {
    const account = await at.account('scale')
    const own = await makeWorld(at, account)
    const key = route.scope === 'read' ? account.readKey : account.writeKey
    const before = await auditOf(account)
    const answer = await sendCall(at, name, exampleCall(name, own), { key })
    expect(answer.status, answer.text).toBe(route.success)
    expect(route.output.safeParse(answer.json)).toMatchObject({ success: true })
    expect(answer.headers).toMatchObject({ ratelimit: expect.stringMatching(/^"(reads|writes)";/) })

    const { audit } = routeExamples[name]
    const written = (await auditOf(account)).slice(0, -before.length)
    expect(audit !== undefined).toBe(route.scope === 'read_write')
    const ids = [audit?.resourceId(own, answer.json) ?? []].flat()
    const entries = ids.map((resourceId) => ({
      id: expect.any(String),
      accountId: account.id,
      atMs: expect.any(Number),
      action: name,
      resourceType: audit?.resourceType,
      resourceId,
      actor: {
        kind: 'key',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'read_write key',
        address: '127.0.0.1',
      },
    }))
    const byResource = (one: { resourceId: string }, other: { resourceId: string }) =>
      one.resourceId.localeCompare(other.resourceId)
    expect(written.toSorted(byResource)).toEqual(entries.toSorted(byResource))
  })
})

describe.for(ofRoutes((route) => route.scope === 'read_write'))('%s', (name) => {
  test('is SV-1004 for a read key, before the body is read', async () => {
    const sent = { params: exampleCall(name, world).params ?? {}, body: broken }
    const answer = await sendCall(at, name, sent, { key: scale.readKey })
    expect(answer).toMatchObject({ status: 403, json: { code: 'SV-1004' } })
  })

  test('has no audit entry after a refusal', async () => {
    const before = (await auditOf(scale)).length
    const { params } = exampleCall(name, world)
    for (const key of [scale.readKey, scale.writeKey]) {
      const answer = await sendCall(at, name, { params: params ?? {}, body: { more: 1 } }, { key })
      expect(answer.status).toBeGreaterThanOrEqual(400)
    }
    expect(await auditOf(scale)).toHaveLength(before)
  })
})

describe.for(ofRoutes((route) => route.client !== undefined))('%s', (name) => {
  test.for([
    ['no client', {}],
    ['a browser', { 'service-client': 'browser/1.0.0' }],
    ['the provider without its version', { 'service-client': 'terraform-provider-service' }],
  ] as const)('%s is SV-3005 with the allowed methods, before the body is read', async ([, headers]) => {
    const call = { params: exampleCall(name, world).params ?? {}, body: broken }
    const unnamed = { 'service-client': '', ...headers }
    const answer = await sendCall(at, name, call, { key: scale.writeKey, headers: unnamed })
    expect(answer).toMatchObject({ status: 405, json: { code: 'SV-3005' } })
    expect(answer.headers['allow']).toMatch(/^GET, HEAD/)
    expect(answer.json.message).toMatch(/Terraform/)
  })
})

describe.for(
  ofRoutes((route) => route.params !== undefined || route.query !== undefined || route.body !== undefined),
)('%s', (name) => {
  const route = routeOf(name)
  const { wrong = { paths: [] } } = routeExamples[name]
  const key = () => scale.writeKey

  test('lists all problems of path, query and body', async () => {
    const { paths, ...parts } = wrong
    const wrongIds = Object.keys(route.params?.shape ?? {})
    const params = Object.fromEntries(wrongIds.map((field) => [field, 'no-id']))
    const answer = await sendCall(at, name, { params, ...parts }, { key: key() })
    expect(answer.status).toBe(422)
    expect(answer.json.code).toMatch(/^SV-200[12]$/)
    expect(routeCodes(route)).toContain(answer.json.code)
    const named = answer.json.errors.map((error: { path: string }) => error.path)
    expect(named.toSorted()).toEqual([...wrongIds, ...paths].toSorted())
  })

  test('each route with more input than an id has an example with several problems', () => {
    expect(wrong.paths.length > 1).toBe(route.query !== undefined || route.body !== undefined)
  })
})

describe.for(ofRoutes((route) => route.method !== 'GET'))('%s', (name) => {
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    sendCall(at, name, { ...exampleCall(name, world), body }, { key: scale.writeKey, headers })

  test('refuses only the unknown field of a valid body', async () => {
    const { body = {} } = exampleCall(name, world)
    const answer = await send({ ...(body as object), more: 1 })
    expect(answer).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path: 'more', message: 'unknown field' }] },
    })
  })

  test('is SV-2001 with status 400 for a body that is not JSON', async () => {
    expect(await send(broken)).toMatchObject({ status: 400, json: { code: 'SV-2001' } })
    const text = { 'content-type': 'text/plain' }
    expect(await send('{}', text)).toMatchObject({ status: 400, json: { code: 'SV-2001' } })
  })
})

test('these tests send the header of the provider', () => {
  expect(provider['service-client']).toMatch(/^terraform-provider-service\//)
})
