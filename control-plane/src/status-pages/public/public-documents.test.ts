import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import {
  PublicHistoryDocument,
  PublicIncidentDocument,
  PublicPageDocument,
} from '@probe-mesh/contracts/status-page/public-page'
import { useEach } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { flipsPerCheckMax } from '../../status/flips-store.ts'
import { useTestApp } from '../../app/testing/test-app.ts'
import { ownerOf, setStatus } from '../../app/testing/pages.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const at = useTestApp()
const account = useEach(() => at.account('scale'))
const owner = useEach(() => ownerOf(at, account))
const page = useEach(async () => (await owner.get('/status-pages')).json.statusPages[0])

const get = (path: string, headers: Record<string, string> = {}) =>
  at.call('GET', `/status/${page.slug}/${path}`, { headers })
const read = async () => PublicPageDocument.parse((await get('page.json')).json)

/** A component of a new check. */
const publish = async (body: object = {}) => {
  const checkId = await owner.checkId(body)
  const { json } = await owner.post(`/status-pages/${page.id}/components`, { checkId })
  return { checkId, id: String(json.id) }
}

/** Flips on record, `ago` milliseconds ago. */
const flips = async (checkId: string, rows: readonly [string, number][]): Promise<void> => {
  await at.sql`
    insert into flips ${at.sql(
      rows.map(([to, ago], version) => ({
        id: uuidv7(at.now()),
        check_id: checkId,
        version: version + 1,
        from_status: 'unknown',
        to_status: to,
        at: new Date(at.now() - ago),
      })),
    )}`
}

describe('the history of a component', () => {
  test('has ninety UTC days, with no data for days without measurements', async () => {
    const { checkId } = await publish()
    await setStatus(at, checkId, 'operational')
    await flips(checkId, [['operational', 2 * dayMs]])
    const { components, asOf, vantage } = await read()
    expect(vantage).toBe('local')
    const { days, upShare, regionsRead, measuredAt } = components[0] ?? {}
    expect(days).toHaveLength(90)
    expect(days?.at(-1)?.date).toBe(asOf.slice(0, 10))
    expect(days?.slice(-2).map((day) => day.upShare)).toEqual([1, 1])
    expect(days?.slice(0, -3).map((day) => day.upShare)).toEqual(Array(87).fill(null))
    expect(upShare).toBe(1)
    expect(regionsRead).toEqual(['fra'])
    expect(measuredAt).not.toBeNull()
  })

  test('ends when the newest reading is no longer fresh', async () => {
    const { checkId } = await publish()
    await flips(checkId, [['operational', 5 * dayMs]])
    const { components } = await read()
    expect(components[0]).toMatchObject({ state: 'no_data', upShare: null, regionsRead: [] })
  })

  test('does not count time under maintenance', async () => {
    const { checkId } = await publish()
    await setStatus(at, checkId, 'operational')
    await flips(checkId, [
      ['operational', 10 * dayMs],
      ['down', 5 * dayMs],
      ['operational', 4 * dayMs],
    ])
    const down = (await read()).components[0]
    expect(down?.upShare).toBeCloseTo(0.9, 2)
    const startsAt = new Date(at.now() - 5 * dayMs - hourMs)
    await at.sql`
      insert into maintenance_windows (id, account_id, status_page_id, title, body, starts_at,
        ends_at, whole_page, created_at)
      values (${uuidv7(at.now())}, ${account.id}, ${page.id}, 'disks', 'new',
        ${startsAt}, ${new Date(at.now() - 4 * dayMs)}, true, ${startsAt})`
    at.pass(5_001)
    const { components, windows } = await read()
    expect(components[0]?.upShare).toBe(1)
    expect(windows).toEqual([])
  })

  test('counts maintenance from its announcement, so that published history stays', async () => {
    const { checkId } = await publish()
    await setStatus(at, checkId, 'operational')
    await flips(checkId, [
      ['operational', 10 * hourMs],
      ['down', 2 * hourMs],
      ['operational', hourMs],
    ])
    const before = (await read()).components[0]
    expect(before?.upShare).toBeCloseTo(0.9, 2)
    const { json } = await owner.post('/maintenance', {
      statusPageId: page.id,
      title: 'disks',
      body: 'new',
      startsAt: new Date(at.now() - 3 * hourMs).toISOString(),
      durationMinutes: 185,
    })
    at.pass(1_000)
    await owner.send('DELETE', `/maintenance/${json.id}`)
    at.pass(5_001)
    const after = (await read()).components[0]
    expect(after?.upShare).toBeCloseTo(0.9, 2)
    const sum = after?.days?.reduce((total, day) => total + day.maintenanceSeconds, 0)
    expect(sum).toBeLessThanOrEqual(1)
  })

  test('does not count blocked time, and has no uptime when always blocked', async () => {
    const { checkId } = await publish()
    await setStatus(at, checkId, 'degraded')
    await flips(checkId, [['degraded', 2 * dayMs]])
    await at.sql`update flips set none_up = true where check_id = ${checkId}`
    const { components } = await read()
    expect(components[0]).toMatchObject({ upShare: null })
    expect(components[0]?.days?.at(-1)).toMatchObject({ upShare: null, measuredSeconds: 0 })
  })

  test('of a check over the flip limit starts with the flips that were read', async () => {
    const { checkId } = await publish()
    await setStatus(at, checkId, 'operational')
    const often = Array.from({ length: flipsPerCheckMax + 1 }, (_, n): [string, number] => [
      n % 2 === 0 ? 'operational' : 'down',
      3 * dayMs - n * 60_000,
    ])
    await flips(checkId, [['operational', 100 * dayMs], ...often])
    const { components } = await read()
    expect(components[0]?.days?.slice(0, -5).every((day) => day.upShare === null)).toBe(true)
  })

  test('of a heartbeat does not count paused time', async () => {
    const { checkId } = await publish()
    await at.sql`update checks set type = 'heartbeat' where id = ${checkId}`
    await at.sql`
      update check_revisions set valid_from = ${new Date(at.now() - 10 * dayMs)}, paused = true
      where check_id = ${checkId}`
    await flips(checkId, [['operational', 20 * dayMs]])
    const { components } = await read()
    const days = components[0]?.days ?? []
    expect(components[0]).toMatchObject({ measuredBy: 'pings', measuredAt: null })
    expect(days.at(-5)?.upShare).toBeNull()
    expect(days.at(-15)?.upShare).toBe(1)
  })

  test('of a heartbeat does not count time in which pings were not received, also while it lasts', async () => {
    const { checkId } = await publish()
    await at.sql`update checks set type = 'heartbeat' where id = ${checkId}`
    await flips(checkId, [['operational', 20 * dayMs]])
    const shares = async () => ((await read()).components[0]?.days ?? []).map((day) => day.upShare)
    expect(await shares()).toEqual([...Array(69).fill(null), ...Array(21).fill(1)])
    const instant = (ago: number) => new Date(at.now() - ago)
    await at.sql`insert into heartbeat_outages values (${instant(15 * dayMs)}, ${instant(10 * dayMs)})`
    await at.sql`insert into heartbeat_watch (seen_at) values (${instant(4 * dayMs)})`
    at.pass(5_001)
    const honest = await shares()
    expect([honest.at(-17), honest.at(-13), honest.at(-8), honest.at(-3)]).toEqual([1, null, 1, null])
    await at.sql`delete from heartbeat_outages`
    await at.sql`delete from heartbeat_watch`
  })
})

test('an automatic incident counts for each component while that component was down', async () => {
  const [first, second] = [await publish(), await publish({ name: 'second' })]
  const id = uuidv7(at.now())
  const ago = (days: number) => new Date(at.now() - days * dayMs)
  await at.sql`
    insert into incidents (id, account_id, status_page_id, check_id, region, title, status, source,
      started_at, resolved_at, created_at)
    values (${id}, ${account.id}, ${page.id}, ${first.checkId}, 'fra', 'down', 'resolved',
      'automatic', ${ago(5)}, ${ago(2)}, ${ago(5)})`
  await at.sql`
    insert into incident_members (incident_id, check_id, account_id, cause, regions, down_at, recovered_at)
    values (${id}, ${first.checkId}, ${account.id}, 'no', '{fra}', ${ago(5)}, ${ago(5)}),
      (${id}, ${second.checkId}, ${account.id}, 'no', '{fra}', ${ago(3)}, ${ago(2)})`
  const { components } = await read()
  const daysOf = (component: string) =>
    components
      .find((one) => one.id === component)
      ?.days?.slice(-6)
      .map((day) => day.incidents)
  expect(daysOf(first.id)).toEqual([1, 0, 0, 0, 0, 0])
  expect(daysOf(second.id)).toEqual([0, 0, 1, 1, 0, 0])
})

test.each(['page.json', 'api/v2/summary.json'])(
  '%s shows a new publication immediately, although documents are cached',
  async (form) => {
    await publish()
    expect((await get(form)).text).not.toContain('Written right now')
    await owner.send('PATCH', `/status-pages/${page.id}`, { name: 'Written right now' })
    expect((await get(form)).text).toContain('Written right now')
  },
)

test('a posted incident decides the headline in every form of a page, until it is resolved', async () => {
  const { checkId } = await publish()
  await setStatus(at, checkId, 'operational')
  const forms = async () => {
    at.pass(5_001)
    await setStatus(at, checkId, 'operational')
    const { headline, page: head } = await read()
    const { status } = (await get('api/v2/status.json')).json
    return {
      text: headline.text,
      state: head.state,
      listed: (await owner.get('/status-pages')).json.statusPages[0].state,
      one: (await owner.get(`/status-pages/${page.id}`)).json.state,
      badge: (await get('badge.json')).json.message,
      indicator: status.indicator,
      exact: status.x_state,
    }
  }
  const healthy = {
    text: 'All systems operational',
    state: 'operational',
    listed: 'operational',
    one: 'operational',
    badge: 'operational',
    indicator: 'none',
    exact: 'operational',
  }
  expect(await forms()).toEqual(healthy)
  const { json } = await owner.post('/incidents', {
    statusPageId: page.id,
    checkId,
    region: 'fra',
    title: 'Slow checkout',
    body: 'Looking.',
  })
  expect(await forms()).toEqual({
    text: 'Degraded performance: Slow checkout',
    state: 'degraded',
    listed: 'degraded',
    one: 'degraded',
    badge: 'degraded',
    indicator: 'minor',
    exact: 'degraded',
  })
  await owner.post(`/incidents/${json.id}/updates`, { status: 'resolved', body: 'Done.' })
  expect(await forms()).toEqual(healthy)
})

test('a page reveals nothing about unpublished checks', async () => {
  const { checkId, id } = await publish()
  const secret = await publish({ name: 'secret', url: 'https://example.org/secret' })
  const incident = { statusPageId: page.id, region: 'fra', title: 'Slow', body: 'Looking.' }
  await owner.post('/incidents', { ...incident, checkId })
  await owner.post('/incidents', { ...incident, checkId: secret.checkId })
  await owner.send('DELETE', `/status-pages/${page.id}/components/${secret.id}`)
  const title = 'Status of Acme'
  await owner.send('PATCH', `/status-pages/${page.id}`, { name: 'internal', title })
  const { text } = await get('page.json')
  for (const hidden of [checkId, secret.checkId, 'secret', 'example.org', 'internal', account.id]) {
    expect(text).not.toContain(hidden)
  }
  const { incidents } = PublicPageDocument.parse(JSON.parse(text))
  expect(incidents.map(({ componentId }) => componentId).toSorted()).toEqual([id, null].toSorted())
  expect(incidents[0]?.updates).toMatchObject([{ body: 'Looking.' }])
})

test('shows open and recent incidents, and older ones in their month', async () => {
  const { checkId, id } = await publish()
  const insert = (title: string, ago: number, isOpen: boolean) => at.sql`
    insert into incidents (id, account_id, status_page_id, check_id, region, title, status, source,
      started_at, resolved_at, created_at)
    values (${uuidv7(at.now())}, ${account.id}, ${page.id}, ${checkId}, 'fra', ${title},
      ${isOpen ? 'identified' : 'resolved'}, 'manual', ${new Date(at.now() - ago)},
      ${isOpen ? null : new Date(at.now() - ago + hourMs)}, ${new Date(at.now())})`
  await insert('open', 70 * dayMs, true)
  await insert('recent', 13 * dayMs, false)
  await insert('older', 50 * dayMs, false)
  const { incidents, components, hasMoreIncidents } = await read()
  expect(incidents.map(({ title }) => title)).toEqual(['recent', 'open'])
  expect(hasMoreIncidents).toBe(false)
  expect(components[0]?.days?.at(-31)?.incidents).toBe(1)
  expect(components[0]?.days?.at(-51)?.incidents).toBe(2)
  const monthOf = (ago: number) => new Date(at.now() - ago).toISOString().slice(0, 7)
  const history = async (month: string) =>
    PublicHistoryDocument.parse((await get(`history.json?month=${month}`)).json)
  const older = await history(monthOf(50 * dayMs))
  expect(older.incidents.map(({ title }) => title)).toContain('older')
  expect(older.components).toEqual([{ id, displayName: 'web' }])
  expect(older.newerMonth).toBe(monthOf(13 * dayMs))
  expect((await history('2020-01')).incidents).toEqual([])
  expect((await history('2020-01')).newerMonth).toBe(monthOf(70 * dayMs))
  expect((await history('2020-01')).olderMonth).toBeNull()
})

describe('the document of one incident', () => {
  test('has its timeline and components, open or resolved, and reveals no check', async () => {
    const { checkId, id: componentId } = await publish()
    const opened = await owner.post('/incidents', {
      statusPageId: page.id,
      checkId,
      region: 'fra',
      title: 'Slow',
      body: 'Looking.',
    })
    const { id } = opened.json
    const readIncident = async () => PublicIncidentDocument.parse((await get(`incidents/${id}.json`)).json)
    expect(await readIncident()).toMatchObject({
      page: { slug: page.slug, state: 'degraded' },
      components: [{ id: componentId, displayName: 'web', state: 'no_data' }],
      incident: { id, impact: 'minor', resolvedAt: null, updates: [{ body: 'Looking.' }] },
    })
    await owner.post(`/incidents/${id}/updates`, { status: 'resolved', body: 'Done.' })
    expect((await readIncident()).incident).toMatchObject({
      status: 'resolved',
      updates: [{ body: 'Done.' }, { body: 'Looking.' }],
    })
    expect((await get(`incidents/${id}.json`)).text).not.toContain(checkId)
  })

  test('of another page, an unknown one or no id is SV-3001', async () => {
    const { checkId } = await publish()
    const other = (await owner.post('/status-pages', { name: 'two', slug: `two-${checkId}` })).json
    const body = { statusPageId: other.id, checkId, region: 'fra', title: 'Slow', body: 'Looking.' }
    const { id } = (await owner.post('/incidents', body)).json
    expect((await at.call('GET', `/status/${other.slug}/incidents/${id}.json`)).status).toBe(200)
    for (const unknown of [id, crypto.randomUUID(), 'none', `${id}.json`]) {
      const answer = await get(`incidents/${unknown}.json`)
      expect(answer).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
      expect(answer.json.message).not.toContain('account')
    }
  })
})

describe.each(['page.json', 'history.json'])('%s', (path) => {
  test('is open to every origin, and not sent again to a client that has it', async () => {
    const { status, headers, text } = await get(path)
    expect(status).toBe(200)
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['cache-control']).toBe('public, max-age=10')
    expect(headers['set-cookie']).toBeUndefined()
    expect((await get(path)).text).toBe(text)
    const same = await get(path, { 'if-none-match': String(headers['etag']) })
    expect(same).toMatchObject({ status: 304, text: '' })
  })

  test.each(['nobody-has-this', 'Not-A-Slug', 'a--b'])('of %s is SV-3001', async (slug) => {
    const { status, json } = await at.call('GET', `/status/${slug}/${path}`)
    expect(status).toBe(404)
    expect(json.code).toBe('SV-3001')
  })
})

test.each(['2026-13', '2026-1', 'now', '1999-12', ''])('%j is not a month', async (month) => {
  const { status, json } = await get(`history.json?month=${month}`)
  expect(status).toBe(422)
  expect(json.errors).toMatchObject([{ path: 'month' }])
})
