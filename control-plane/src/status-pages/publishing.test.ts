import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { Subscriber } from '@probe-mesh/contracts/subscriber/subscriber'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeEach, describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from '../app/testing/log-in.ts'
import { missing } from '../app/testing/pages.ts'

let acme: TestUser
let pageId: string
const at = useTestApp()
const other = useOnce(() => loggedIn(at))
beforeEach(async () => {
  acme = await loggedIn(at)
  pageId = (await asUser(at, acme, 'GET', '/status-pages')).json.statusPages[0].id
})

const minuteMs = 60_000
const inMinutes = (minutes: number) => new Date(at.now() + minutes * minuteMs).toISOString()
const announce = async (title: string, from: number, to: number) => {
  const times = { startsAt: inMinutes(from), endsAt: inMinutes(to) }
  const body = { statusPageId: pageId, title, body: 'b', ...times }
  return (await asUser(at, acme, 'POST', '/maintenance', body)).json
}

describe('maintenance windows', () => {
  test('are listed in every state, the one that ends last first, and only for their account', async () => {
    const active = await announce('active', -5, 5)
    const soon = await announce('soon', 60, 90)
    const short = await announce('over', -5, 1)
    at.pass(2 * minuteMs)
    const { status, json } = await asUser(at, acme, 'GET', '/maintenance-windows')
    expect(status).toBe(200)
    expect(json.maintenanceWindows).toEqual([soon, active, { ...short, state: 'ended' }])
    const two = await asUser(at, acme, 'GET', '/maintenance-windows?limit=2')
    expect(two.json.maintenanceWindows).toEqual([soon, active])
    const others = await asUser(at, other, 'GET', '/maintenance-windows')
    expect(others.json).toEqual({ maintenanceWindows: [], nextCursor: null })
  })

  test('of one check are those that cover its components', async () => {
    const checks = []
    for (const name of ['a', 'b', 'c']) {
      const body = { name, url: 'https://example.org/' }
      checks.push((await asUser(at, acme, 'POST', '/checks', body)).json.id)
    }
    const [first, second, hidden] = checks
    const components = `/status-pages/${pageId}/components`
    const { json: named } = await asUser(at, acme, 'POST', components, { checkId: first })
    await asUser(at, acme, 'POST', components, { checkId: second })
    const whole = await announce('whole', 60, 90)
    const times = { startsAt: inMinutes(-5), endsAt: inMinutes(5) }
    const some = { statusPageId: pageId, title: 'some', body: 'b', componentIds: [named.id] }
    const part = (await asUser(at, acme, 'POST', '/maintenance', { ...some, ...times })).json
    const of = async (id: string) =>
      (await asUser(at, acme, 'GET', `/maintenance-windows?checkId=${id}`)).json.maintenanceWindows
    expect(await of(first)).toEqual([whole, part])
    expect(await of(second)).toEqual([whole])
    expect(await of(hidden)).toEqual([])
  })

  test('can be read only by their account', async () => {
    const window = await announce('one', 10, 20)
    const path = `/maintenance-windows/${window.id}`
    expect((await asUser(at, acme, 'GET', path)).json).toEqual(window)
    expect(await asUser(at, other, 'GET', path)).toMatchObject({ status: 404 })
    expect(await asUser(at, acme, 'GET', `/maintenance-windows/${missing}`)).toMatchObject({
      status: 404,
    })
  })

  test.each(['0', '501', 'all'])('a limit of %s is refused', async (limit) => {
    const answer = await asUser(at, acme, 'GET', `/maintenance-windows?limit=${limit}`)
    expect(answer).toMatchObject({ status: 422, json: { errors: [{ path: 'limit' }] } })
  })
})

/** A new subscriber, confirmed unless the test says otherwise. */
const subscribe = async (
  email: string,
  more: { componentId?: string; confirmed?: boolean; page?: string } = {},
) => {
  const nowMs = at.now()
  const id = uuidv7(nowMs)
  await at.sql`
    insert into subscribers (id, account_id, status_page_id, component_id, email, confirm_before,
      asked_at, confirmed_at, created_at)
    select ${id}, account_id, id, ${more.componentId ?? null}, ${email},
      ${new Date(nowMs + 24 * 60 * minuteMs)}, array[]::timestamptz[],
      ${more.confirmed === false ? null : new Date(nowMs)}, ${new Date(nowMs)}
    from status_pages where id = ${more.page ?? pageId}`
  at.pass(1)
  return id
}
const list = async (query = '') => (await asUser(at, acme, 'GET', `/subscribers${query}`)).json

describe('subscribers', () => {
  test('are listed newest first with their requests, and counted by page', async () => {
    const check = { name: 'web', url: 'https://example.org/' }
    const checkId = (await asUser(at, acme, 'POST', '/checks', check)).json.id
    const path = `/status-pages/${pageId}/components`
    const componentId = (await asUser(at, acme, 'POST', path, { checkId })).json.id
    const one = await subscribe('one@example.org')
    const two = await subscribe('two@example.org', { componentId, confirmed: false })
    const { subscribers, counts } = await list()
    expect(subscribers).toEqual(Subscriber.array().parse(subscribers))
    expect(subscribers).toMatchObject([
      { id: two, componentId, confirmedAt: null, confirmBefore: expect.any(String) },
      { id: one, componentId: null, confirmedAt: expect.any(String), confirmBefore: null },
    ])
    expect(counts).toEqual([{ statusPageId: pageId, confirmed: 1, unconfirmed: 1 }])
    expect(JSON.stringify(subscribers)).not.toContain('hash')
    expect((await asUser(at, acme, 'GET', `/subscribers/${one}`)).json).toEqual(subscribers[1])
  })

  test('are listed in complete pages, and by status page', async () => {
    const body = { name: 'Second', slug: `second-${acme.accountId}` }
    const second = (await asUser(at, acme, 'POST', '/status-pages', body)).json.id
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.unshift(await subscribe(`${name}@example.org`))
    const there = await subscribe('a@example.org', { page: second })
    const idsOf = (found: { subscribers: { id: string }[] }) => found.subscribers.map(({ id }) => id)
    expect(idsOf(await list('?limit=2'))).toEqual([there, ids[0]])
    expect(idsOf(await list(`?limit=2&before=${ids[0]}`))).toEqual([ids[1], ids[2]])
    expect(idsOf(await list(`?statusPageId=${pageId}`))).toEqual(ids)
    const { counts } = await list(`?statusPageId=${pageId}&limit=1`)
    expect(counts).toHaveLength(2)
    expect(counts).toContainEqual({ statusPageId: second, confirmed: 1, unconfirmed: 0 })
  })

  test('expire without a confirmation, and stay with one', async () => {
    const late = await subscribe('late@example.org', { confirmed: false })
    const kept = await subscribe('kept@example.org')
    // of the stored rows, so that the session stays valid
    await at.sql`
      update subscribers set confirm_before = ${new Date(at.now())} where id in (${late}, ${kept})`
    const { subscribers, counts } = await list()
    expect(subscribers).toMatchObject([{ id: kept }])
    expect(counts).toEqual([{ statusPageId: pageId, confirmed: 1, unconfirmed: 0 }])
    expect(await asUser(at, acme, 'GET', `/subscribers/${late}`)).toMatchObject({ status: 404 })
  })

  test('can be removed only by the account of the page, with an audit entry', async () => {
    const id = await subscribe('gone@example.org')
    const path = `/subscribers/${id}`
    expect(await asUser(at, other, 'GET', path)).toMatchObject({ status: 404 })
    expect(await asUser(at, other, 'DELETE', path)).toMatchObject({ status: 404 })
    expect((await asUser(at, other, 'GET', '/subscribers')).json).toEqual({
      subscribers: [],
      counts: [],
      mailsToday: { sent: 0, notSent: [] },
    })
    expect(await asUser(at, acme, 'DELETE', path)).toMatchObject({
      status: 200,
      json: { id, deleted: true },
    })
    expect((await list()).subscribers).toEqual([])
    expect(await asUser(at, acme, 'DELETE', path)).toMatchObject({ status: 404 })
    const { entries } = (await asUser(at, acme, 'GET', '/audit-log?limit=1')).json
    expect(entries).toMatchObject([
      { action: 'removeSubscriber', resourceType: 'subscriber', resourceId: id },
    ])
  })
})
