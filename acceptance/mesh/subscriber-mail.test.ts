import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { createFirstPage } from '@probe-mesh/control-plane/src/login/create-first-page-store'
import { createMailer } from '@probe-mesh/control-plane/notifications/mail/mailer'
import { startDeliverer } from '@probe-mesh/control-plane/src/notifications/deliverer'
import { startNewsExpander } from '@probe-mesh/control-plane/src/subscribers/news-expander'
import { insertAccount } from '@probe-mesh/control-plane/accounts/accounts-store'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/src/accounts/link-tokens'
import pino from 'pino'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { KilledAct } from './killed-act.fixture.ts'
import { startMailServer } from '@probe-mesh/infra/testing/mail-server'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'

const fixture = fileURLToPath(new URL('killed-act.fixture.ts', import.meta.url))

const accountId = uuidv7(Date.now())
let pageId: string
const [checkId, otherCheckId] = [uuidv7(Date.now()), uuidv7(Date.now())]
const [componentId, otherComponentId] = [uuidv7(Date.now()), uuidv7(Date.now())]

const database = useTestDatabase()
const sql = database.use({ connectionsMax: 8, role: 'probe_mesh_system' })
beforeAll(async () => {
  const now = new Date()
  const account = {
    id: accountId,
    name: 'Acme',
    tier: 'scale',
    createdAtMs: now.getTime(),
  } as const
  await insertAccount(sql, account)
  await createFirstPage(sql, account)
  const [page] = await sql<{ id: string }[]>`select id from status_pages`
  pageId = page?.id ?? ''
  for (const [check, component] of [
    [checkId, componentId],
    [otherCheckId, otherComponentId],
  ] as const) {
    await sql`
      insert into checks (id, account_id, type, name, url, interval_seconds, regions, all_regions,
        valid_from, created_at, updated_at)
      values (${check}, ${accountId}, 'http', 'site', 'https://example.com/', 60, ${['fra']}, false,
        ${now}, ${now}, ${now})`
    await sql`insert into check_states (check_id, partition) values (${check}, ${partitionOf(check)})`
    await sql`
      insert into components (id, account_id, status_page_id, check_id, display_name, created_at,
        updated_at)
      values (${component}, ${accountId}, ${pageId}, ${check}, 'Website', ${now}, ${now})`
  }
  await subscribe('whole@example.org', null)
  await subscribe('component@example.org', componentId)
  // subscribed to both with one mailbox
  await subscribe('both@example.org', null)
  await subscribe('Both@example.org', componentId)
  await subscribe('other@example.org', otherComponentId)
  await subscribe('unconfirmed@example.org', null, false)
})

const subscribe = async (email: string, component: string | null, isConfirmed = true) => {
  const now = new Date()
  await sql`
    insert into subscribers (id, account_id, status_page_id, component_id, email, confirm_before,
      asked_at, confirmed_at, created_at)
    values (${uuidv7(Date.now())}, ${accountId}, ${pageId}, ${component}, ${email}, ${now},
      array[${now}::timestamptz], ${isConfirmed ? now : null}, ${now})`
}

/** @returns the steps of the act, or null when it was killed */
const run = (act: KilledAct): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const flags = ['--disable-warning=ExperimentalWarning', fixture, JSON.stringify(act)]
    execFile(process.execPath, flags, (error, stdout, stderr) => {
      if (error === null) resolve(Number(stdout))
      else if (error.signal === 'SIGKILL') resolve(null)
      else reject(new Error(stderr, { cause: error }))
    })
  })

const createIncident = (title: string, killAt: number | null): Promise<number | null> =>
  run({
    databaseUrl: database.url,
    killAt,
    act: 'create incident',
    accountId,
    body: { statusPageId: pageId, checkId, region: 'fra', title, body: `body of ${title}` },
  })

/** Counts the stored parts of an incident: itself, its first update, its news, its audit entry. */
const partsOf = async (title: string): Promise<Record<string, number>> => {
  const [parts] = await sql<Record<string, number>[]>`
    select
      (select count(*)::integer from incidents where title = ${title}) as incidents,
      (select count(*)::integer from incident_updates where body = ${`body of ${title}`}) as updates,
      (select count(*)::integer from outbox, incident_updates as updates where kind = 'mail'
        and payload->>'id' = updates.id::text and body = ${`body of ${title}`}) as mails,
      (select count(*)::integer from outbox where kind = 'incident'
        and payload->'incident'->>'title' = ${title}) as events,
      (select count(*)::integer from audit_log, incidents where incidents.title = ${title}
        and resource_id = incidents.id::text) as audited`
  return parts ?? {}
}

const all = { incidents: 1, updates: 1, mails: 1, events: 1, audited: 1 }
const nothing = { incidents: 0, updates: 0, mails: 0, events: 0, audited: 0 }

const startLoops = async (smtpUrl: string) => {
  const log = pino({ level: 'silent' })
  const registry = new Registry()
  const publicUrl = 'http://127.0.0.1:8080'
  const shared = { sql, registry, log, now: Date.now }
  const tokens = createUnsubscribeTokens('the key of the tests')
  const mailer = createMailer({ smtpUrl, from: { name: '', address: 'status@example.org' } })
  const channelSender = { send: () => Promise.reject(new Error('no channel here')) } as never
  const expander = await startNewsExpander({
    ...shared,
    tokens,
    publicUrl,
  })
  const sends = { channelSender, mailer, publicUrl }
  const deliverer = await startDeliverer({ ...shared, ...sends, random: Math.random })
  return async () => {
    await expander.close()
    await deliverer.close()
  }
}

describe('kill -9 between an incident and its mail', () => {
  test('at every step of its transaction leaves a whole incident or nothing, and one mail per subscriber', async () => {
    const steps = (await createIncident('not killed', null)) ?? 0
    expect(steps).toBeGreaterThan(8)
    expect(await partsOf('not killed')).toEqual(all)
    for (let killAt = 1; killAt <= steps; killAt += 1) {
      const title = `killed at ${killAt}`
      expect(await createIncident(title, killAt)).toBeNull()
      // the last step is the one after the commit
      expect(await partsOf(title), title).toEqual(killAt === steps ? all : nothing)
    }
    const titles = ['not killed', `killed at ${steps}`]

    const [row] = await sql<{ id: string; payload: never }[]>`
      select id, payload from outbox where kind = 'mail' order by sequence`
    if (row === undefined) throw new Error('the incident has no row in the outbox')
    const expand = (killAt: number | null) =>
      run({ databaseUrl: database.url, killAt, act: 'expand news', row })
    const written = async () => (await sql`select from deliveries`).length
    for (let killAt = 1; (await written()) === 0; killAt += 1) {
      expect(killAt).toBeLessThan(30)
      expect(await expand(killAt)).toBeNull()
      const [{ done } = { done: null }] = await sql<{ done: boolean }[]>`
        select done_at is not null as done from outbox where id = ${row.id}`
      expect({ done, written: await written() }).toEqual(
        done === true ? { done: true, written: 3 } : { done: false, written: 0 },
      )
    }
    // a second claim writes nothing
    await expand(null)
    expect(await written()).toBe(3)

    const mailServer = await startMailServer()
    const closeLoops = await startLoops(mailServer.smtpUrl)
    await vi.waitFor(
      async () => {
        const waiting = await sql`
          select from outbox where kind = 'mail' and done_at is null
          union all select from deliveries where state <> 'delivered'`
        expect(waiting).toHaveLength(0)
      },
      { timeout: 60_000, interval: 100 },
    )
    await closeLoops()
    await mailServer.close()

    const mailboxes = await mailServer.mailboxes()
    expect([...mailboxes.keys()].map((address) => address.toLowerCase()).toSorted()).toEqual([
      'both@example.org',
      'component@example.org',
      'whole@example.org',
    ])
    for (const mails of mailboxes.values()) {
      expect(mails.map(({ subject }) => subject).toSorted()).toEqual(
        titles.map((title) => `[Acme] Investigating: ${title}`).toSorted(),
      )
    }
    const mail = mailboxes.get('whole@example.org')?.[0]
    expect(mail?.text).toContain('Affected: Website')
    expect(mail?.text).toContain('Unsubscribe: http://127.0.0.1:8080/subscriptions/unsubscribe/')
    const headers = new Map(mail?.headers.map(({ key, value }) => [key, value]))
    expect(headers.get('list-unsubscribe')).toMatch(/^<http:.*\/subscriptions\/unsubscribe\/[\w-]{64}>$/)
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  }, 300_000)
})
