import { noTimings, type ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import { aStep, typedChecks } from '@probe-mesh/control-plane/src/app/testing/operation-context'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { insertReadings } from '@probe-mesh/control-plane/src/readings/insert-readings'
import type { Answer } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { asUser, cookieOf, logInAs } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { expandNews } from '@probe-mesh/control-plane/src/subscribers/expand-news'
import { pingKeyOf } from '@probe-mesh/control-plane/src/heartbeats/testing-pings'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/src/accounts/link-tokens'
import { newRegionState } from '@probe-mesh/control-plane/src/status/state'
import { readingAt } from '@probe-mesh/control-plane/src/status/testing'
import { mailedLinks } from './mailed-links.ts'
import { plantOnCall, plantOpenAlerts, writeAlerts } from './plant-alerts.ts'
import { catalogLinks, plantAnswers } from './plant-catalog.ts'
import { plantPeers, plantSendErrors, untilAgentsAreSeen } from './plant-peers.ts'
import { lines, packed, paragraphs } from './payloads.ts'
import { plantErrors } from './plant-errors.ts'
import { plantAlertAddress } from './plant-alert-address.ts'
import { plantMembers } from './plant-members.ts'
import { publisherOf, type Publisher } from './publisher.ts'
import { origin, type TestWeb } from './test-web.ts'

export type Planted = Publisher & {
  /** Requests the dashboard's API as the same user. */
  api(method: 'POST', path: string, body: object): Promise<Answer>
  slugs: string[]
  /** The place of each text, and the text, if a page must show it. */
  texts: [where: string, text: string][]
  /** Links to other sites on status pages. */
  links: Set<string>
  /** Unused links in mail. */
  mailed: string[]
}

const names = packed(lines, 200)
const labels = packed(lines, 80)
const regions = ['fra', 'iad', 'nrt', 'sjc']
const prose = paragraphs.join('\n')
/** Texts for step names, which exclude control characters. */
const stepNames = packed(
  lines.filter((text) => !/\p{Cc}/u.test(text)),
  100,
)
/** Payloads for a path and a query, encoded as in a request. */
const tail = encodeURI(lines.join(' ').toWellFormed().replaceAll('\\', '')).slice(0, 1_900)
/** Texts from a target: a reading keeps 300 characters of each. */
const seen = packed(paragraphs, 300)

/** Writes every payload into every text field: by the API, or as a target. */
export const plant = async (web: TestWeb, clickhouseUrl: string): Promise<Planted> => {
  const { at } = web
  const owner = await publisherOf(web)
  const cookie = cookieOf(await logInAs(at, owner.email))
  const api: Planted['api'] = (method, path, body) => asUser(at, { cookie }, method, path, body)
  const planted: Planted = { ...owner, api, slugs: [], texts: [], links: new Set(), mailed: [] }
  const put = (where: string, text: string): string => {
    planted.texts.push([where, text])
    return text
  }
  await plantPeers(web, owner, put)
  let writes = 0
  const send = async (path: string, body: object): Promise<string> => {
    // a session may write sixty times a minute
    if (++writes % 50 === 0) at.pass(61_000)
    const answer = await api('POST', path, body)
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
    return answer.json.id
  }

  await at.sql`update accounts set name = ${put('account', names[0] ?? '')}
    where id = ${owner.accountId}`
  for (const name of names) {
    await send('/agents', { name: put('agent', `${name} agent`.slice(0, 200)) })
  }
  for (const [n, name] of names.entries()) {
    const of = (what: string): string => put(`${what} ${n}`, `${name} ${what}`.slice(0, 200))
    const slug = `planted-${n}`
    const links = labels
      .slice(n * 2, n * 2 + 2)
      .map((label, m) => ({ label: put('link', label), url: `https://a.example/${m}?${tail}` }))
    for (const { url } of links) planted.links.add(url)
    const statusPageId = await send('/status-pages', {
      name: of('page'),
      title: of('page title'),
      description: put('page description', prose.slice(0, 1_000)),
      slug,
      links,
      locale: n % 2 === 0 ? 'en' : 'de',
    })
    planted.slugs.push(slug)
    const checkId = await send('/checks', {
      name: of('check'),
      url: `https://example.org/${n}?${tail}`,
      assertionBodyOp: 'contains',
      assertionBodyValue: put('body', prose.slice(0, 1_000)),
      assertionJsonPath: 'a.b',
      assertionJsonOp: 'equals',
      assertionJsonValue: put('json', prose.slice(-1_000)),
    })
    const noted = { runbook: `https://example.org/${n}?${tail}`, notes: put('notes', prose.slice(0, 1_000)) }
    planted.links.add(noted.runbook)
    await at.sql`
      insert into check_notes (check_id, account_id, runbook_url, notes)
      values (${checkId}, ${owner.accountId}, ${noted.runbook}, ${noted.notes})`
    await at.sql`
      insert into saved_filters (id, account_id, name, query, created_at)
      values (gen_random_uuid(), ${owner.accountId}, ${of('filter')}, ${at.sql.json({ q: name })}, now())`
    const componentId = await send(`/status-pages/${statusPageId}/components`, {
      checkId,
      displayName: of('component'),
      description: put('component description', prose.slice(-1_000)),
    })
    const about = { statusPageId, title: of('title'), body: put('update', prose) }
    await send('/incidents', { ...about, checkId, region: 'fra' })
    const window = { ...about, durationMinutes: 60, componentIds: [componentId] }
    await send('/maintenance', window)
    // a window that has not started can be changed and cancelled
    const startsAt = new Date(Date.now() + 86_400_000).toISOString()
    await send('/maintenance', { ...window, title: of('later title'), startsAt })
    const config = { url: `https://example.org/hook?${tail}` }
    const channelId = await send('/notification-channels', {
      type: 'json',
      name: of('channel'),
      config,
    })
    await send('/alert-rules', { name: of('rule'), checkIds: [checkId], channelIds: [channelId] })
    await at.sql`
      insert into api_keys (id, account_id, name, scope, key_hash, hint, created_at)
      values (gen_random_uuid(), ${owner.accountId}, ${of('key')}, 'read',
        sha256(convert_to(${slug}, 'UTF8')), 'sv_r_', now())`
  }
  for (const [n, address] of names.entries()) {
    const id = await owner.subscriber(put('subscriber', address))
    await at.sql`
      update subscribers set status_page_id =
        (select id from status_pages where slug = ${planted.slugs[n] ?? ''})
      where id = ${id}`
  }

  const asSeen = (where: string): string[] => seen.map((text) => put(where, text))
  const typed: [keyof typeof typedChecks, object, ReadingDetails[]][] = [
    [
      'multistep',
      {
        steps: stepNames.slice(0, 10).map((name) => ({
          ...aStep,
          name: put('step', name),
          url: `https://example.org/?${tail}`,
          method: 'POST',
          body: put('step body', prose),
          contentType: `text/zq; charset="><script>zq()</script>'`,
          assertions: {
            headerName: 'x-zq',
            headerOp: 'contains',
            headerValue: put('header', prose.slice(0, 1_000)),
            bodyOp: 'contains',
            bodyValue: put('step body value', prose.slice(-1_000)),
          },
        })),
      },
      [
        {
          type: 'multistep',
          hops: asSeen('hop').map((url, n) => ({
            step: 1,
            hop: n % 4,
            method: 'GET',
            url,
            httpStatus: 302,
            startMs: n,
            latencyMs: 1,
            timings: noTimings,
            address: '"><zq-made>',
          })),
        },
      ],
    ],
    [
      'tcp',
      {
        settings: {
          host: 'db.example.org',
          port: 443,
          send: put('tcp send', prose.slice(0, 1_000)),
          expect: put('tcp expect', prose.slice(-1_000)),
        },
      },
      asSeen('tcp').map((received) => ({ type: 'tcp', received })),
    ],
    [
      'dns',
      {
        settings: {
          name: 'example.org',
          recordType: 'TXT',
          expect: { op: 'includes', values: names.slice(0, 20).map((text) => put('dns', text)) },
        },
      },
      [
        {
          type: 'dns',
          rcode: '"><zq-made>',
          ttlSeconds: 60,
          values: asSeen('dns values').slice(0, 20),
        },
      ],
    ],
    [
      'smtp',
      {},
      asSeen('smtp').map((banner) => ({
        type: 'smtp',
        banner,
        extensions: packed(lines, 40).slice(0, 40),
        tlsVersion: '"><zq-made>',
      })),
    ],
    [
      'browser',
      {
        settings: {
          url: `https://example.org/?${tail}`,
          titleContains: put('title contains', prose.slice(0, 1_000)),
          textContains: put('text contains', prose.slice(-1_000)),
        },
      },
      [
        {
          type: 'browser',
          title: put('browser title', seen[0] ?? ''),
          lcpMs: 1,
          consoleErrors: asSeen('console').slice(0, 10),
          consoleErrorCount: 11,
          requests: 1,
          refusedRequests: 1,
        },
      ],
    ],
  ]
  for (const [type, more, details] of typed) {
    const body = { ...typedChecks[type].body, ...more, name: put(type, names[0] ?? '') }
    // a check shows the details of its newest reading in each region
    for (let n = 0; n < details.length; n += regions.length) {
      const checkId = await send('/typed-checks', { ...body, regions })
      await measure(checkId, details.slice(n, n + regions.length))
    }
  }
  const heartbeat = await send('/typed-checks', {
    ...typedChecks.heartbeat.body,
    name: put('heartbeat', names[1] ?? ''),
  })
  const pingPath = `/ping/${await pingKeyOf(at.sql, heartbeat)}/fail`
  const ping = await at.call('POST', pingPath, {
    body: put('ping', prose.replaceAll('\u0000', '')),
    headers: { 'content-type': 'text/plain' },
  })
  if (ping.status !== 200) throw new Error(ping.text)

  await plantErrors(web, clickhouseUrl, { accountId: owner.accountId, names, seen, put, send })

  await writeAlerts(web, owner.accountId, { names, reasons: seen })
  const tokens = createUnsubscribeTokens('the key of the tests')
  const rows = await at.sql<{ id: string; payload: unknown }[]>`
    select id, payload from outbox where kind = 'mail'`
  for (const row of rows) {
    await expandNews({ sql: at.systemSql, tokens, publicUrl: origin, now: at.now }, row)
  }
  planted.mailed = await mailedLinks(web, { email: owner.email, slug: planted.slugs[0] ?? '' })
  planted.mailed.push(await plantMembers(web, api, put), ...(await plantAlertAddress(web, owner.accountId)))
  await plantOnCall(web, send, { accountId: owner.accountId, names }, put)
  await send('/secrets', { name: 'api_key', value: 'correct horse', hosts: ['api.example.com'] })
  const objective = { target: 99.9, windowDays: 30, tag: 'shop' }
  await send('/objectives', { ...objective, name: put('objective', names[0] ?? '') })
  planted.mailed.push(await plantOpenAlerts(web, owner.accountId, names, put))
  await plantSendErrors(web, owner.accountId, put)
  planted.texts.push(...plantAnswers(web))
  for (const link of catalogLinks) planted.links.add(link)
  await untilAgentsAreSeen(() => asUser(at, { cookie }, 'GET', '/mesh'))
  return planted

  /** Inserts a reading for every text, the last one a minute ago; the state is that of the last. */
  async function measure(checkId: string, details: readonly ReadingDetails[]): Promise<void> {
    const client = connectClickHouse(clickhouseUrl)
    const now = at.now()
    const readings = details.flatMap((detail, m) =>
      seen.map((reason, n) =>
        readingAt(regions[m] ?? 'fra', 'down', now - 60_000 * (1 + n), {
          checkId,
          reason: put('reason', reason),
          address: '"><zq-made>',
          details: detail,
        }),
      ),
    )
    const rows = readings.map((reading) => ({
      reading,
      agent: 'fra-"><zq-made>',
      receivedAtMs: reading.measuredAt + 500,
      rawDays: 30,
      hourDays: 400,
    }))
    await insertReadings(client, rows, crypto.randomUUID())
    await client.close()
    const reason = seen.at(-1) ?? ''
    const state = { ...newRegionState, verdict: 'down', measuredAt: now, reason }
    await at.sql`
      update check_states set status = 'down', status_reason = ${reason},
        regions = ${at.sql.json({ fra: state } as never)}
      where check_id = ${checkId}`
  }
}
