import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { Statuspage } from 'statuspage.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { useTestApp, type TestAccount } from '../../app/testing/test-app.ts'

let account: TestAccount
let address: string
let page: { id: string; slug: string }
let checkId: string
let componentId: string
const at = useTestApp()
beforeAll(async () => {
  address = await at.app.listen({ host: '127.0.0.1', port: 0 })
  account = await at.account('scale')
  const [row] = await at.sql<{ id: string; slug: string }[]>`
    select id, slug from status_pages where account_id = ${account.id}`
  if (row === undefined) throw new Error('the account has no page')
  page = row
  checkId = await insertCheck()
  componentId = uuidv7(Date.now())
  const now = new Date()
  await at.sql`
    insert into components (id, account_id, status_page_id, check_id, display_name, created_at, updated_at)
    values (${componentId}, ${account.id}, ${page.id}, ${checkId}, 'Website', ${now}, ${now})`
})

/** A check that no region has measured yet. */
const insertCheck = async (): Promise<string> => {
  const [id, now] = [uuidv7(Date.now()), new Date()]
  await at.sql`
    insert into checks (id, account_id, type, name, url, interval_seconds, regions, all_regions,
      valid_from, created_at, updated_at)
    values (${id}, ${account.id}, 'http', 'site', 'https://example.com/', 60, ${['fra']}, false,
      ${now}, ${now}, ${now})`
  await at.sql`insert into check_states (check_id, partition) values (${id}, ${partitionOf(id)})`
  return id
}

/** A page is remembered for five seconds. */
const get = (path: string, headers: Record<string, string> = {}) => {
  at.pass(5_001)
  return at.call('GET', `/status/${page.slug}/${path}`, { headers })
}

describe('the formats of a page for programs', () => {
  test("a client of Statuspage's API reads our page", async () => {
    const opened = await at.call('POST', '/v1/incidents', {
      key: account.writeKey,
      body: {
        statusPageId: page.id,
        checkId,
        region: 'fra',
        title: 'Slow answers',
        body: 'We are looking.',
      },
    })
    expect(opened.status).toBe(201)
    const startsAt = new Date(at.now() + 3_600_000).toISOString()
    const planned = await at.call('POST', '/v1/maintenance', {
      key: account.writeKey,
      body: {
        statusPageId: page.id,
        title: 'New disks',
        body: 'One hour.',
        startsAt,
        durationMinutes: 60,
      },
    })
    expect(planned.status).toBe(201)
    at.pass(5_001)

    const client = new Statuspage('acme')
    // it knows the hosts of statuspage.io only
    Object.assign(client['axios'].defaults, { baseURL: `${address}/status/${page.slug}/api/v2` })
    const summary = await client.summary()
    expect(summary.page).toMatchObject({ id: page.id, name: 'scale account' })
    expect(summary.page.updated_at).toBeInstanceOf(Date)
    expect(summary.status).toMatchObject({ indicator: 'minor', description: 'Degraded Performance' })
    expect(summary.components).toMatchObject([
      { id: componentId, name: 'Website', status: 'degraded_performance', x_state: 'no_data' },
    ])
    expect(summary.incidents).toMatchObject([
      {
        id: opened.json.id,
        name: 'Slow answers',
        status: 'investigating',
        impact: 'minor',
        shortlink: `http://127.0.0.1:8080/status/${page.slug}/incidents/${opened.json.id}`,
        incident_updates: [{ body: 'We are looking.', status: 'investigating' }],
      },
    ])
    expect(summary.scheduled_maintenances).toMatchObject([
      { id: planned.json.id, status: 'scheduled', scheduled_for: new Date(startsAt) },
    ])
    expect((await client.status()).status).toEqual(summary.status)
    expect((await client.components()).components).toEqual(summary.components)
    expect((await client.unresolvedIncidents()).incidents).toEqual(summary.incidents)
    expect((await client.allIncidents()).incidents).toEqual(summary.incidents)
    expect((await client.upcomingScheduledMaintenances()).scheduled_maintenances).toEqual(
      summary.scheduled_maintenances,
    )
    expect((await client.activeScheduledMaintenances()).scheduled_maintenances).toEqual([])
    expect((await client.allScheduledMaintenances()).scheduled_maintenances).toHaveLength(1)
  })

  test('feeds are well formed and have their content type', async () => {
    for (const format of ['rss', 'atom']) {
      const { status, headers, text } = await get(`feed.${format}`)
      expect(status).toBe(200)
      expect(headers['content-type']).toBe(`application/${format}+xml; charset=utf-8`)
      expect((await validateXML({ xml: text, normalization: 'format' })).errors).toEqual([])
    }
  })

  test('a badge without data is grey, as an image and for shields.io', async () => {
    await at.sql`update incidents set resolved_at = now(), status = 'resolved'`
    const { headers, text } = await get(`badge.svg?component=${componentId}`)
    expect(headers['content-type']).toBe('image/svg+xml; charset=utf-8')
    expect(text).toContain('<title>Website: no data</title>')
    expect((await get('badge.json')).json).toEqual({
      schemaVersion: 1,
      label: 'scale account',
      message: 'no data',
      color: 'lightgrey',
    })
    for (const id of ['', 'x', uuidv7(Date.now())]) {
      expect((await get(`badge.svg?component=${id}`)).status).toBe(404)
    }
  })
})

const paths = [
  'api/v2/summary.json',
  'api/v2/status.json',
  'api/v2/components.json',
  'api/v2/incidents.json',
  'api/v2/incidents/unresolved.json',
  'api/v2/scheduled-maintenances.json',
  'api/v2/scheduled-maintenances/upcoming.json',
  'api/v2/scheduled-maintenances/active.json',
  'feed.rss',
  'feed.atom',
  'maintenance.ics',
  'badge.svg',
  'badge.json',
]

describe.each(paths)('%s', (path) => {
  test('is open to every origin, may be cached briefly, and is not sent again to a client that has it', async () => {
    const { status, headers, text } = await get(path)
    expect(status).toBe(200)
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['cache-control']).toMatch(/^public, max-age=\d\d$/)
    expect(headers['set-cookie']).toBeUndefined()
    const etag = String(headers['etag'])
    const same = await get(path, { 'if-none-match': `"other", W/${etag}` })
    expect(same).toMatchObject({ status: 304, text: '' })
    expect(same.headers['etag']).toBe(etag)
    expect((await get(path, { 'if-none-match': '"other"' })).text).toBe(text)
    const head = await at.call('HEAD', `/status/${page.slug}/${path}`)
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['etag']).toBe(etag)
  })

  test.each(['nobody-has-this', 'Not-A-Slug', 'a--b'])('of an unknown page is SV-3001: %s', async (slug) => {
    const { status, headers, json } = await at.call('GET', `/status/${slug}/${path}`)
    expect(status).toBe(404)
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(json.code).toBe('SV-3001')
  })
})

test('a page is read at most once in five seconds for all visitors', async () => {
  at.pass(5_001)
  const name = `renamed ${at.now()}`
  const before = await at.call('GET', `/status/${page.slug}/badge.json`)
  await at.sql`update status_pages set title = ${name} where id = ${page.id}`
  at.pass(1_000)
  expect((await at.call('GET', `/status/${page.slug}/badge.json`)).json).toEqual(before.json)
  at.pass(5_001)
  expect((await at.call('GET', `/status/${page.slug}/badge.json`)).json.label).toBe(name)
})
