import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'
import { typedChecks } from '../app/testing/operation-context.ts'

const database = useTestDatabase()
const at = useTestApp(() => ({ database, config: { budgetScale: 1_000 } }))
/** Another control plane of the same system. */
const other = useTestApp(() => ({ database }))
beforeAll(async () => {
  await Promise.all([at.app.ready(), other.app.ready()])
})
const user = useOnce(() => loggedIn(at))

const hourMs = 3_600_000
const inFuture = (ms: number): string => new Date(at.now() + ms).toISOString()
const call = async (...[method, path, body]: ['GET' | 'POST' | 'PATCH' | 'DELETE', string, object?]) =>
  (await asUser(at, user, method, path, body)).json
const made = async (): Promise<string> =>
  (await call('POST', '/checks', { name: 'Shop', url: 'https://shop.example.org/' })).id
const pause = (checkIds: readonly string[], until?: string) =>
  call('POST', '/checks/bulk', { checkIds, act: { kind: 'pause', ...(until !== undefined && { until }) } })
const paused = (id: string) => call('GET', `/checks/${id}/pause`)
const entries = async (id: string): Promise<string[]> =>
  (await call('GET', '/audit-log')).entries
    .filter(({ resourceId }: { resourceId: string }) => resourceId === id)
    .map(({ action, actor }: { action: string; actor: { kind: string } }) => `${action} by ${actor.kind}`)
const revisions = async (id: string): Promise<number> =>
  (await at.sql`select 1 from check_revisions where check_id = ${id}`).length
const passAll = (ms: number): void => {
  at.pass(ms)
  other.pass(ms)
}
const resumed = (id: string) =>
  vi.waitFor(async () => expect(await paused(id)).toEqual({ paused: false, until: null }))

test('a paused check of any type resumes at its end, once, whatever the number of control planes', async () => {
  const heartbeat = (await call('POST', '/typed-checks', typedChecks.heartbeat.body)).id
  const ids = [await made(), heartbeat]
  const [stays, forever] = [await made(), await made()]
  const until = inFuture(hourMs)
  expect(await pause(ids, until)).toMatchObject({ changed: ids })
  await pause([stays], inFuture(3 * hourMs))
  await pause([forever])
  expect(await paused(ids[0] ?? '')).toEqual({ paused: true, until })
  expect(await paused(forever)).toEqual({ paused: true, until: null })
  passAll(hourMs + 1)
  for (const id of ids) {
    await resumed(id)
    expect(await entries(id)).toEqual([
      'resumeCheckAtEnd by system',
      'pauseCheck by user',
      expect.any(String),
    ])
    expect(await revisions(id)).toBe(3)
  }
  expect(await paused(stays)).toMatchObject({ paused: true })
  expect(await paused(forever)).toMatchObject({ paused: true })
  const loops = [at, other].map(({ registry }) => registry.getSingleMetric('check_pause_ends_total')?.get())
  const counts = (await Promise.all(loops)).flatMap((metric) => metric?.values ?? [])
  expect(counts.reduce((sum, { value }) => sum + value, 0)).toBe(2)
})

test('pausing again changes the end without a revision, and resuming forgets it', async () => {
  const id = await made()
  const [first, second] = [inFuture(hourMs), inFuture(2 * hourMs)]
  await pause([id], first)
  expect(await pause([id], first)).toMatchObject({ unchanged: [id] })
  expect(await pause([id], second)).toMatchObject({ changed: [id] })
  expect(await paused(id)).toEqual({ paused: true, until: second })
  expect(await pause([id])).toMatchObject({ changed: [id] })
  expect(await paused(id)).toEqual({ paused: true, until: null })
  expect(await revisions(id)).toBe(2)
  await pause([id], second)
  await call('PATCH', `/checks/${id}`, { paused: false })
  await pause([id])
  expect(await paused(id)).toEqual({ paused: true, until: null })
  // as an earlier version resumes it
  await pause([id], second)
  await at.sql`update checks set paused = false where id = ${id}`
  await at.sql`update checks set paused = true where id = ${id}`
  expect(await paused(id)).toEqual({ paused: true, until: null })
})

test('a change over REST and a replacement keep the end, and a copy is not paused', async () => {
  const id = await made()
  const until = inFuture(hourMs)
  await pause([id], until)
  await call('PATCH', `/checks/${id}`, { paused: true, timeoutSeconds: 3 })
  await call('PATCH', `/typed-checks/${id}`, { name: 'renamed', paused: true })
  expect(await paused(id)).toEqual({ paused: true, until })
  const next = (await call('POST', `/checks/${id}/replace`, { url: 'https://new.example.org/' })).id
  expect(await paused(next)).toEqual({ paused: true, until })
  const copy = (await call('POST', `/checks/${next}/clone`)).id
  expect(await paused(copy)).toEqual({ paused: false, until: null })
  const running = (await call('POST', `/checks/${next}/replace`, { paused: false })).id
  expect(await paused(running)).toEqual({ paused: false, until: null })
})

test('an end that is past, too far ahead or no time is refused, and nothing is paused', async () => {
  const id = await made()
  for (const until of [inFuture(-1_000), inFuture(91 * 24 * hourMs), 'tomorrow']) {
    expect(await pause([id], until)).toMatchObject({ code: 'SV-2001', errors: [{ path: 'act.until' }] })
  }
  expect(await paused(id)).toEqual({ paused: false, until: null })
  const stranger = await loggedIn(at)
  expect((await asUser(at, stranger, 'GET', `/checks/${id}/pause`)).status).toBe(404)
})

test('a check whose target has no room stays paused with its end, and resumes when there is room', async () => {
  const own = await startTestApp({ config: { budgetScale: 1_000, targetRequestsPerMinute: 10 } })
  await own.app.ready()
  const owner = await loggedIn(own)
  const as = async (method: 'GET' | 'POST', path: string, body?: object) =>
    (await asUser(own, owner, method, path, body)).json
  const body = { name: 'Shop', url: 'https://shop.example.org/', intervalSeconds: 60, regions: ['fra'] }
  const create = async (): Promise<string> => (await as('POST', '/checks', body)).id
  const act = (id: string, kind: string, more: object = {}) =>
    as('POST', '/checks/bulk', { checkIds: [id], act: { kind, ...more } })
  const waiting = await create()
  const until = new Date(own.now() + hourMs).toISOString()
  await act(waiting, 'pause', { until })
  const running: string[] = []
  for (let id = await create(); id !== undefined; id = await create()) running.push(id)
  own.pass(hourMs + 1)
  const refused = own.registry.getSingleMetric('check_pause_ends_total')
  await vi.waitFor(async () =>
    expect((await refused?.get())?.values).toContainEqual({ labels: { outcome: 'refused' }, value: 1 }),
  )
  expect(await as('GET', `/checks/${waiting}/pause`)).toEqual({ paused: true, until })
  await act(running[0] ?? '', 'delete')
  own.pass(60_000)
  await vi.waitFor(async () =>
    expect(await as('GET', `/checks/${waiting}/pause`)).toEqual({ paused: false, until: null }),
  )
  await own.close()
})
