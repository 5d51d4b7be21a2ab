import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { useTestApp } from './testing/test-app.ts'
import { collect, flipOf } from './testing/events.ts'
import { asUser, loggedIn, type TestUser } from './testing/log-in.ts'

let address: string
const at = useTestApp({ streamRecheckMs: 100 })
beforeAll(async () => {
  address = await at.app.listen({ port: 0, host: '127.0.0.1' })
})

let open: AbortController[] = []
afterEach(() => {
  for (const one of open) one.abort()
  open = []
})

const watch = async ({ cookie }: Pick<TestUser, 'cookie'>, query = '', headers = {}) => {
  const controller = new AbortController()
  open.push(controller)
  const response = await fetch(`${address}/dashboard-api/events${query}`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers },
    signal: controller.signal,
  })
  const { seen } = collect(response)
  return { response, seen, leave: () => controller.abort() }
}

const readingOf = (accountId: string) => ({
  kind: 'reading',
  accountId,
  checkId: uuidv7(Date.now()),
  reading: {
    region: 'fra',
    slot: new Date().toISOString(),
    kind: 'scheduled',
    verdict: 'up',
    reason: null,
    httpStatus: 200,
    latencyMs: 1,
    timings: { dnsMs: null, connectMs: null, tlsMs: null, ttfbMs: null, transferMs: null },
    measuredAt: new Date().toISOString(),
    receivedAt: null,
    agent: 'a',
    details: null,
  },
})

describe('GET /dashboard-api/events', () => {
  test('sends a user the events of the own account only, with visible heartbeats', async () => {
    const mine = await loggedIn(at)
    const theirs = await loggedIn(at)
    const { response, seen } = await watch(mine)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    at.bus.events.publish('flip', flipOf(theirs.accountId, 'theirs'))
    at.bus.events.publish('reading', readingOf(mine.accountId))
    at.bus.events.publish('flip', flipOf(mine.accountId, 'mine'))
    await vi.waitFor(() => expect(seen.text).toContain('mine'))
    expect(seen.text).not.toContain('theirs')
    expect(seen.text).toMatch(/^event: beat\ndata: \{\}\n\n/)
    expect(seen.text).toContain('event: reading\n')
  })

  test('sends only the requested kinds, and publishes no readings for others', async () => {
    const user = await loggedIn(at)
    const watched: unknown[] = []
    const told = await at.bus.events.subscribe('watching', (payload) => watched.push(payload))
    const { seen } = await watch(user, '?kinds=flip,incident')
    at.bus.events.publish('reading', readingOf(user.accountId))
    at.bus.events.publish('flip', flipOf(user.accountId, 'after the reading'))
    await vi.waitFor(() => expect(seen.text).toContain('after the reading'))
    expect(seen.text).not.toContain('event: reading')
    expect(JSON.stringify(watched)).not.toContain(user.accountId)
    await watch(user)
    await vi.waitFor(() => expect(JSON.stringify(watched)).toContain(user.accountId))
    await told.close()
  })

  test.each(['?kinds=', '?kinds=flips', '?kinds=flip,,incident', '?kind=flip'])(
    '%s is refused',
    async (query) => {
      const { response } = await watch(await loggedIn(at), query)
      expect(response.status).toBe(422)
    },
  )

  test('needs a session', async () => {
    const { response } = await watch({ cookie: 'probe_mesh_session=none' })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'SV-1007' })
  })

  test('one session has a limited number of streams', async () => {
    const user = await loggedIn(at)
    const streams = []
    for (let n = 0; n < limits.eventStreamsPerOwnerMax; n++) streams.push(await watch(user))
    const refused = await watch(user)
    expect(refused.response.status).toBe(429)
    expect(await refused.response.json()).toMatchObject({ code: 'SV-6001' })
    expect((await watch(await loggedIn(at))).response.status).toBe(200)
    streams[0]?.leave()
    await vi.waitFor(async () => expect((await watch(user)).response.status).toBe(200))
  })

  test('ends when the user logs out', async () => {
    const user = await loggedIn(at)
    const { seen } = await watch(user)
    expect(await asUser(at, user, 'DELETE', '/session')).toMatchObject({ status: 200 })
    await vi.waitFor(() => expect(seen.ended).toBe(true))
  })

  test('an open stream does not extend the session', async () => {
    const user = await loggedIn(at)
    const { seen } = await watch(user)
    at.pass(31 * 86_400_000)
    await vi.waitFor(() => expect(seen.ended).toBe(true))
  })
})
