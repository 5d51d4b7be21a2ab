import { dashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { loginRoutes, ownSessionRoutes } from '@probe-mesh/contracts/account/login-routes'
import { apiKeyScope } from '@probe-mesh/contracts/account/key-text'
import { routes, type Route } from '@probe-mesh/contracts/api/routes'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, describe, expect, test } from 'vitest'
import { changeTier } from '../accounts/manage-accounts.ts'
import { useTestApp } from './testing/test-app.ts'
import { asUser, loggedIn, newUser } from './testing/log-in.ts'

const at = useTestApp()
const acme = useOnce(() => loggedIn(at))
const other = useOnce(() => loggedIn(at))
const free = useOnce(() => loggedIn(at, 'free'))
/** Asks for what is not there, so that the writes of the others are left. */
const curious = useOnce(() => loggedIn(at))

const nobody = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const pathOf = ({ path }: Route): string => path.replace(/:\w+/g, nobody)
const ofSession = Object.entries<Route>({ ...routes, ...dashboardRoutes, ...ownSessionRoutes })
const unsafe = Object.entries<Route>({
  ...routes,
  ...dashboardRoutes,
  ...ownSessionRoutes,
  ...loginRoutes,
}).filter(([, { method }]) => method !== 'GET')

describe('every route', () => {
  test.each(ofSession)('%s needs a session, before its input is read', async (_name, route) => {
    const answer = await at.call(route.method, `/dashboard-api${pathOf(route)}`, {
      ...(route.method === 'GET' ? {} : { body: '{"broken' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(answer).toMatchObject({ status: 401, json: { code: 'SV-1007' } })
  })

  test.each(unsafe)('%s refuses requests from pages of other sites', async (_name, route) => {
    const call = (headers: Record<string, string>) =>
      at.call(route.method, `/dashboard-api${pathOf(route)}`, {
        body: '{"broken',
        headers: { 'content-type': 'application/json', cookie: acme.cookie, ...headers },
      })
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      expect(await call(headers)).toMatchObject({ status: 403, json: { code: 'SV-1009' } })
    }
  })

  test.each(ofSession.filter(([, { params }]) => params !== undefined))(
    '%s of an unknown id is not found',
    async (_name, route) => {
      const answer = await asUser(
        at,
        curious,
        route.method as never,
        pathOf(route),
        route.body === undefined ? undefined : {},
      )
      expect([404, 422]).toContain(answer.status)
    },
  )
})

describe('keys', () => {
  test('are created, shown once, usable, listed by hint, and revoked', async () => {
    const made = await asUser(at, acme, 'POST', '/keys', { name: 'ci', scope: 'read_write' })
    expect(made).toMatchObject({ status: 201, json: { key: { name: 'ci', revokedAt: null } } })
    const { apiKey, key } = made.json
    expect(apiKeyScope(apiKey)).toBe('read_write')
    expect(await at.call('GET', '/v1/me', { key: apiKey })).toMatchObject({
      json: { account: { id: acme.accountId } },
    })
    const listed = await asUser(at, acme, 'GET', '/keys')
    expect(listed.json.keys).toEqual([key])
    expect(listed.text).not.toContain(apiKey)

    expect(await asUser(at, other, 'DELETE', `/keys/${key.id}`)).toMatchObject({ status: 404 })
    const revoked = await asUser(at, acme, 'DELETE', `/keys/${key.id}`)
    expect(revoked).toMatchObject({ status: 200, json: { revokedAt: expect.any(String) } })
    at.pass(5_001)
    expect(await at.call('GET', '/v1/me', { key: apiKey })).toMatchObject({ status: 401 })

    const { entries } = (await asUser(at, acme, 'GET', '/audit-log')).json
    expect(entries.slice(0, 2)).toMatchObject([
      { action: 'revokeKey', resourceId: key.id, actor: { kind: 'user', address: '127.0.0.1' } },
      { action: 'createKey', resourceId: key.id, actor: { name: acme.email } },
    ])
  })

  test('of a free account can only read, and the refusal says what to do', async () => {
    const refused = await asUser(at, free, 'POST', '/keys', { name: 'ci', scope: 'read_write' })
    expect(refused).toMatchObject({ status: 403, json: { code: 'SV-1005' } })
    expect(refused.json.message).toMatch(/Upgrade/)
    const made = await asUser(at, free, 'POST', '/keys', { name: 'ci', scope: 'read' })
    expect(made).toMatchObject({ status: 201 })
  })
})

describe('a user', () => {
  // the tests above used up the writes of this minute
  beforeAll(() => at.pass(61_000))

  test('can create checks of every type within the allowance, also on the free tier', async () => {
    const http = { name: 'site', url: 'https://example.org/' }
    expect(await asUser(at, free, 'POST', '/checks', http)).toMatchObject({ status: 201 })
    const tcp = { type: 'tcp', name: 'db', settings: { host: 'example.org', port: 5432 } }
    const made = await asUser(at, free, 'POST', '/typed-checks', tcp)
    expect(made).toMatchObject({ status: 201, json: { type: 'tcp' } })
    const edited = await asUser(at, free, 'PATCH', `/typed-checks/${made.json.id}`, {
      name: 'main',
    })
    expect(edited).toMatchObject({ status: 200, json: { name: 'main' } })
    const foreign = await asUser(at, other, 'PATCH', `/typed-checks/${made.json.id}`, { name: 'x' })
    expect(foreign).toMatchObject({ status: 404 })

    for (let n = 2; n < 10; n++) await asUser(at, free, 'POST', '/typed-checks', tcp)
    expect(await asUser(at, free, 'POST', '/typed-checks', tcp)).toMatchObject({
      status: 403,
      json: { code: 'SV-4001' },
    })
  })

  test('can replace the steps of a multi-step check; the eleventh step is SV-2003', async () => {
    const step = { name: 'home', method: 'GET', url: 'https://example.org/' }
    const journey = { type: 'multistep', name: 'login', steps: [step] }
    const { json } = await asUser(at, acme, 'POST', '/typed-checks', journey)
    const replace = (count: number) =>
      asUser(at, acme, 'PATCH', `/typed-checks/${json.id}/steps`, {
        steps: Array.from({ length: count }, () => step),
      })
    expect(await replace(10)).toMatchObject({ status: 200 })
    expect(await replace(11)).toMatchObject({ status: 422, json: { code: 'SV-2003' } })
  })

  test('can write status pages, which keys can only read', async () => {
    const body = { name: 'Acme', slug: 'acme-of-the-dashboard' }
    const made = await asUser(at, acme, 'POST', '/status-pages', body)
    expect(made).toMatchObject({ status: 201 })
    const path = `/status-pages/${made.json.id}`
    expect(await asUser(at, other, 'GET', path)).toMatchObject({ status: 404 })
    expect(await asUser(at, acme, 'DELETE', path)).toMatchObject({ status: 200 })
  })

  test('can write alert rules', async () => {
    const made = await asUser(at, acme, 'POST', '/alert-rules', { name: 'all' })
    expect(made).toMatchObject({ status: 201, json: { statuses: ['down'] } })
    const path = `/alert-rules/${made.json.id}`
    expect(await asUser(at, other, 'PATCH', path, { name: 'x' })).toMatchObject({ status: 404 })
    expect(await asUser(at, acme, 'PATCH', path, { enabled: false })).toMatchObject({
      json: { enabled: false },
    })
    expect(await asUser(at, acme, 'DELETE', path)).toMatchObject({ status: 200 })
  })

  test('sees only messages of the account, and can resend those that failed permanently', async () => {
    const member = await loggedIn(at)
    await at.call('POST', '/dashboard-api/login-links', { body: { email: member.email } })
    const listed = await asUser(at, member, 'GET', '/deliveries?limit=1')
    expect(listed).toMatchObject({
      json: { deliveries: [{ kind: 'mail', recipient: member.email, state: 'pending' }] },
    })
    const [{ id }] = listed.json.deliveries
    expect((await asUser(at, other, 'GET', '/deliveries')).json.deliveries).toEqual([])
    expect(await asUser(at, member, 'POST', `/deliveries/${id}/retry`)).toMatchObject({ status: 409 })
    await at.sql`update deliveries set state = 'dead' where id = ${id}`
    expect(await asUser(at, other, 'POST', `/deliveries/${id}/retry`)).toMatchObject({
      status: 404,
    })
    expect(await asUser(at, member, 'POST', `/deliveries/${id}/retry`)).toMatchObject({ status: 200 })
  })

  test('has budgets: the 61st write in a minute is refused, reads are still allowed', async () => {
    const user = await loggedIn(at)
    const write = () => asUser(at, user, 'DELETE', '/sessions')
    for (let n = 0; n < 60; n++) expect(await write()).toMatchObject({ status: 200 })
    const refused = await write()
    expect(refused).toMatchObject({ status: 429, json: { code: 'SV-6002' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(await asUser(at, user, 'GET', '/session')).toMatchObject({ status: 200 })
  })
})

test("actions of the operator are in the account's audit log", async () => {
  const { accountId, email } = await newUser(at)
  await changeTier({ sql: at.sql, now: at.now }, { accountId, tier: 'growth' })
  const rows = await at.sql<{ action: string; actor_kind: string }[]>`
    select action, actor_kind from audit_log where account_id = ${accountId} order by at, id`
  expect(email).toContain('@')
  expect([...rows]).toEqual([
    { action: 'createAccount', actor_kind: 'operator' },
    { action: 'changeTier', actor_kind: 'operator' },
  ])
})
