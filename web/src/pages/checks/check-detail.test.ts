import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertReadings } from '@probe-mesh/control-plane/src/readings/insert-readings'
import { setStatus } from '@probe-mesh/control-plane/src/app/testing/pages'
import { saveCertificates } from '@probe-mesh/control-plane/src/checks/expiry/certificates-store'
import { insertTestHeartbeat } from '@probe-mesh/control-plane/src/heartbeats/testing-pings'
import { newRegionState } from '@probe-mesh/control-plane/src/status/state'
import { readingAt } from '@probe-mesh/control-plane/src/status/testing'
import { slotPhase } from '@probe-mesh/contracts/reading/slots'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { expect, test } from 'vitest'
import { useTestWeb, type TestWeb } from '../../testing/test-web.ts'

const hourMs = 3_600_000
const minuteMs = 60_000
const nasty = '<script>"&'
const regions = ['fra', 'nrt']

const clickhouse = useTestClickHouse()
const web = useTestWeb(() => ({ clickhouseUrl: clickhouse.url, config: { budgetScale: 100 } }))
const away = useTestWeb({ config: { budgetScale: 100 } })

const owner = async (on: TestWeb) => {
  const member = await on.member()
  const key = await member.writeKey()
  const check = async (): Promise<string> => {
    const body = { name: nasty, url: 'https://example.org/', intervalSeconds: 60, regions }
    return (await on.at.call('POST', '/v1/checks', { key, body })).json.id
  }
  return { ...member, key, check }
}

/** An hour of one-minute readings, with ten missing in fra; the next hour was not measured. */
const measuredCheck = async (more: Partial<Reading> = {}) => {
  const member = await owner(web)
  const id = await member.check()
  const from = Math.floor((Date.now() - 10 * minuteMs) / hourMs) * hourMs - 2 * hourMs
  await web.at.sql`update check_revisions set valid_from = ${new Date(from)} where check_id = ${id}`
  const readings = regions.flatMap((region) => {
    const first = from + slotPhase(id, region, minuteMs)
    return Array.from({ length: 60 }, (_, n) => n)
      .filter((n) => region === 'nrt' || n < 20 || n >= 30)
      .map((n) =>
        readingAt(region, n === 5 ? 'down' : n === 6 ? 'blocked' : 'up', first + n * minuteMs, {
          checkId: id,
          latencyMs: region === 'fra' ? 10 : 30,
          ...(n === 5 && { reason: nasty }),
          ...more,
        }),
      )
  })
  const client = connectClickHouse(clickhouse.url)
  await insertReadings(
    client,
    readings.map((reading) => ({
      reading,
      agent: `${reading.region}-${nasty}`,
      receivedAtMs: reading.measuredAt + 500,
      rawDays: 30,
      hourDays: 400,
    })),
    crypto.randomUUID(),
  )
  await client.close()
  return { ...member, id, path: `/dashboard/checks/${id}`, from }
}

test('the history draws measurements, counts missed probes, and lists every step in a table', async () => {
  const { get, path, from } = await measuredCheck()
  const { status, text } = await get(`${path}?range=7d`)
  expect(status).toBe(200)
  expect(text).toContain('steps of 30 minutes')
  expect(text).toContain('<title id="latency-title">Response time and state over time</title>')
  expect(text).toContain('all regions measured from this machine')
  const row = (ms: number) =>
    new RegExp(`<time datetime="${new Date(ms).toISOString()}"[^>]*>.*?</tr>`).exec(text)?.[0]
  expect(row(from)?.match(/>(\d+)</g)).toEqual(
    ['46', '2', '2', '0', '60', '50', '10'].map((count) => `>${count}<`),
  )
  expect(row(from + hourMs)).toContain('<td class="number">-</td>')
  expect(text).not.toContain('<script>')
})

test('a check without measurements has no lines', async () => {
  const { get, check } = await owner(web)
  const { status, text } = await get(`/dashboard/checks/${await check()}`)
  expect(status).toBe(200)
  expect(text).toContain('No latency was measured in this time.')
  expect(text).toContain('data-line="p95" d=""')
  // a new check shows its first hour
  expect(text).toContain('?range=1h#history" data-swap="history" aria-current="true"')
})

test('without ClickHouse the page says so, and shows the rest', async () => {
  const { get, check } = await owner(away)
  const id = await check()
  await setStatus(away.at, id, 'operational')
  const { status, text } = await get(`/dashboard/checks/${id}`)
  expect(status).toBe(200)
  expect(text).toContain('History is delayed')
  expect(text).toContain('<caption>Last reading of each region</caption>')
})

test('an incident of the check is marked and listed; one of another check is not', async () => {
  const { get, path, id, key, check } = await measuredCheck()
  const other = await check()
  const { json } = await web.at.call('GET', '/v1/status-pages', { key })
  const statusPageId = json.statusPages[0].id
  for (const [checkId, title] of [
    [id, `outage ${nasty}`],
    [other, 'another'],
  ]) {
    const body = { statusPageId, checkId, region: 'fra', title, body: 'text' }
    expect(await web.at.call('POST', '/v1/incidents', { key, body })).toMatchObject({ status: 201 })
  }
  const { text } = await get(path)
  expect(text).toContain('class="band incident"')
  expect(text).toContain('<bdi>outage &lt;script&gt;&quot;&amp;</bdi>')
  expect(text).not.toContain('another')
})

test('maintenance of the check is marked and listed; that of another check or in the future is not', async () => {
  const { get, path, id, key, check } = await measuredCheck()
  const { json } = await web.at.call('GET', '/v1/status-pages', { key })
  const statusPageId = json.statusPages[0].id
  const headers = { 'service-client': 'terraform-provider-service/1.2.3' }
  const publish = async (checkId: string): Promise<string> => {
    const at = `/v1/status-pages/${statusPageId}/components`
    return (await web.at.call('POST', at, { key, headers, body: { checkId } })).json.id
  }
  const [own, other] = [await publish(id), await publish(await check())]
  const now = Date.now()
  for (const [title, startsAt, componentId] of [
    [`work ${nasty}`, now - hourMs, own],
    ['elsewhere', now - hourMs, other],
    ['tomorrow', now + 24 * hourMs, own],
  ] as const) {
    const body = { statusPageId, title, body: 'text', componentIds: [componentId] }
    const times = { startsAt: new Date(startsAt).toISOString(), durationMinutes: 90 }
    const made = await web.at.call('POST', '/v1/maintenance', { key, body: { ...body, ...times } })
    expect(made.status).toBe(201)
  }
  const { text } = await get(path)
  // one in the chart, one in its legend
  expect(text.match(/class="band maintenance"/g)).toHaveLength(2)
  expect(text).toContain('<caption>Maintenance</caption>')
  expect(text).toContain('<bdi>work &lt;script&gt;&quot;&amp;</bdi>')
  expect(text).not.toMatch(/elsewhere|tomorrow/)
})

test("a journey's requests are drawn from the newest reading of each region", async () => {
  const timings = { dnsMs: 1, connectMs: 2, tlsMs: 3, ttfbMs: 20, transferMs: 4 }
  const hop = {
    method: 'GET',
    url: 'https://example.org/"<a>',
    httpStatus: 200,
    latencyMs: 30,
    timings,
    address: '192.0.2.1',
  } as const
  const { get, path } = await measuredCheck({
    details: {
      type: 'multistep',
      hops: [
        { ...hop, step: 1, hop: 0, startMs: 0 },
        { ...hop, step: 1, hop: 1, startMs: 30 },
      ],
    },
  })
  const { text } = await get(path)
  for (const region of ['fra', 'nrt']) {
    expect(text).toContain(`<caption class="unseen">Requests of the journey from ${region}</caption>`)
  }
  expect(text).toContain('1. step, redirect 1')
  expect(text).toContain('https://example.org/&quot;&lt;a&gt;</bdi>')
})

test('a resolution failure shows each name server with its answer', async () => {
  const { get, path } = await measuredCheck({
    details: {
      type: 'http',
      cdn: null,
      nameServers: [],
      names: {
        name: 'www.example.org',
        resolver: 'failed',
        controls: 'answered',
        unchecked: 'SERVFAIL',
        zone: 'example.org',
        servers: [
          { name: 'a.gtld.example', address: '192.0.2.1', answer: 'referral' },
          { name: 'ns<1>.example.org', address: null, answer: 'silent' },
        ],
      },
    },
  })
  const { text } = await get(path)
  for (const shown of [
    '<bdi>www.example.org</bdi>',
    '<bdi>could not answer</bdi>',
    '<bdi>a.gtld.example (192.0.2.1): referral</bdi>',
    '<bdi>ns&lt;1&gt;.example.org: no answer</bdi>',
  ]) {
    expect(text).toContain(shown)
  }
})

test('readings are listed newest first with their details, a page at a time', async () => {
  const { get, path } = await measuredCheck()
  const first = await get(`${path}/readings`)
  const rows = (text: string) => text.match(/<th scope="row">/g)?.length
  expect(rows(first.text)).toBe(100)
  expect(first.text).toContain('<bdi>nrt-&lt;script&gt;&quot;&amp;</bdi>')
  expect(first.text).toContain('<strong class="tag bad">Down</strong>')
  expect(first.text).toContain('<strong class="tag uncertain">Blocked</strong>')
  expect(first.text).toContain('<bdi>&lt;script&gt;&quot;&amp;</bdi>')
  const older = /href="([^"]+)">Older/.exec(first.text)?.[1]?.replaceAll('&amp;', '&')
  const second = await get(String(older))
  expect(rows(second.text)).toBe(10)
  expect(second.text).not.toContain('>Older<')
  const fra = await get(`${path}/readings?region=fra`)
  expect(rows(fra.text)).toBe(50)
  expect(fra.text).not.toContain('</i>nrt')
})

test('an invalid cursor is refused, and another account finds nothing', async () => {
  const { get, path } = await measuredCheck()
  expect(await get(`${path}/readings?cursor=x`)).toMatchObject({ status: 422 })
  const stranger = await web.member()
  expect(await stranger.get(`${path}/readings`)).toMatchObject({ status: 404 })
})

test('a heartbeat shows its ping address and its runs, and no regions', async () => {
  const member = await web.member()
  const { checkId, pingKey } = await insertTestHeartbeat(web.at.sql, {
    accountId: member.accountId,
    settings: { periodSeconds: 600 },
  })
  const path = `/dashboard/checks/${checkId}`
  const before = await member.get(path)
  expect(before.text).toContain('Never pinged')
  expect(before.text).toContain('No runs yet')
  expect(before.text).not.toMatch(/Last measured|this machine/i)
  await web.at.app.inject({ method: 'POST', url: `/ping/${pingKey}/7`, payload: nasty })
  web.at.pass(1_100)
  const { text } = await member.get(path)
  const url = `http://127.0.0.1:8080/ping/${pingKey}`
  expect(text).toContain(`<code>${url}</code>`)
  expect(text).toContain(`*/10 * * * * /path/to/job; curl -fsS -m 10 --retry 5 -o /dev/null ${url}/$?`)
  expect(text).toContain('<strong class="tag bad">Failure</strong>')
  expect(text).toContain('<bdi>&lt;script&gt;&quot;&amp;</bdi>')
  for (const act of ['run', 'readings']) {
    expect(text).not.toContain(`${path}/${act}"`)
  }
  expect(await member.post(`${path}/run`)).toMatchObject({ status: 405 })
})

test('a heartbeat held down is reset by a button, and stays down until a successful run', async () => {
  const member = await web.member()
  const { checkId, pingKey } = await insertTestHeartbeat(web.at.sql, {
    accountId: member.accountId,
    settings: { periodSeconds: null, cron: '5 4 * * 1', timeZone: 'Europe/Berlin' },
  })
  const path = `/dashboard/checks/${checkId}`
  const ping = async (end: string) => {
    await web.at.app.inject({ method: 'POST', url: `/ping/${pingKey}${end}` })
    web.at.pass(1_100)
  }
  for (const end of ['/fail', '/fail', '/fail']) await ping(end)
  const held = await member.get(path)
  expect(held.text).toContain('>Held down</strong>')
  expect(held.text).toContain(`action="${path}/release"`)
  expect(held.text).toContain('<code>5 4 * * 1 /path/to/job; curl')
  expect(held.text).toContain('The times are in Europe/Berlin: set cron to the same zone.')
  expect(held.text).toContain('class="next"')
  const stranger = await web.member()
  expect(await stranger.post(`${path}/release`)).toMatchObject({ status: 404 })

  expect(await member.post(`${path}/release`)).toMatchObject({ status: 303, to: path })
  const armed = await member.get(path)
  expect(armed.text).toContain('<dt>State</dt><dd><strong class="tag bad">Down</strong>')
  expect(armed.text).toContain('<dt>Failures in a row</dt><dd>0</dd>')
  expect(armed.text).not.toContain('/release"')
  expect(await member.post(`${path}/release`)).toMatchObject({ status: 409 })
  await ping('')
  expect((await member.get(path)).text).toContain('<dt>State</dt><dd><strong class="tag good">Up')
  expect((await member.get('/dashboard/audit?what=releaseHeartbeat')).text).toContain(checkId)
})

test('certificates and the domain are shown with the days left, whatever they contain', async () => {
  const { get, check } = await owner(away)
  const id = await check()
  const nowMs = Date.now()
  await saveCertificates(away.at.sql, [
    {
      checkId: id,
      region: 'fra',
      expiresAtMs: nowMs + 6.5 * 24 * hourMs,
      validFromMs: nowMs,
      issuer: nasty,
      names: [nasty, 'www.example.org'],
      nameCount: 3,
      endsWith: null,
      seenAtMs: nowMs,
    },
  ])
  await away.at.sql`
    insert into check_domains (check_id, name, asked_at, expires_at, registrar)
    values (${id}, 'example.org', now(), now() + interval '12 hours', ${nasty})`
  const { text, raw } = await get(`/dashboard/checks/${id}`)
  expect(text).toMatch(/Certificate/)
  expect(text).toContain('<bdi>www.example.org</bdi>and 1 more')
  expect(text).toContain('<td class="number">6</td>')
  expect(text).toContain('; less than 1 day left</dd>')
  expect(raw).not.toContain(nasty)
})

test('the reason of recurring failures has their share next to the present failure', async () => {
  const { get, check } = await owner(away)
  const id = await check()
  const measuredAt = Date.now()
  const sinceMs = Date.parse('2026-11-22T14:05:00Z')
  const spell = { sinceMs, failed: 12, of: 40, runs: 6, lastFailedMs: measuredAt }
  const up = { ...newRegionState, verdict: 'up' as const, measuredAt }
  const down = { ...up, verdict: 'down' as const, failing: true, reason: 'got 503', spell }
  await away.at.sql`
    update check_states set status = 'degraded', version = version + 1,
      regions = ${away.at.sql.json({ fra: down, nrt: up } as never)}
    where check_id = ${id}`
  const { text } = await get(`/dashboard/checks/${id}`)
  expect(text).toContain(
    '1 of 2 regions fail (fra): got 503; fails now and then: 12 of 40 readings failed since 14:05 UTC',
  )
})

test('the page of a check that is down says what it has in common with others, and links them', async () => {
  const { get, check } = await owner(web)
  const ids = [await check(), await check(), await check()]
  await web.at.sql`
    insert into check_providers (check_id, region, cdn, seen_at)
    select id, 'fra', 'fastly', ${new Date(web.at.now())} from unnest(${ids}::uuid[]) as ids (id)`
  await web.at.sql`
    update check_states set status_since = '2026-11-20T12:00:00Z'
    where check_id = any(${ids}::uuid[])`
  for (const id of ids) await setStatus(web.at, id, 'down')
  const { text, raw } = await get(`/dashboard/checks/${ids[0] ?? ''}`)
  expect(text).toContain('All 3 of your checks')
  expect(raw).toContain('<time datetime="2026-11-20T12:00:00Z"')
  for (const id of ids.slice(1)) expect(raw).toContain(`/dashboard/checks/${id}`)
  expect(raw).not.toContain('<script>"&')
})
