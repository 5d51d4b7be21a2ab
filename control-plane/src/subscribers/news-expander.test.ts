import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import pino from 'pino'
import { Registry } from 'prom-client'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { insertOutbox } from '../stores/outbox-store.ts'
import { insertTestCheck } from '../stores/postgres/testing.ts'
import { createUnsubscribeTokens } from '../accounts/link-tokens.ts'
import { expandNews } from './expand-news.ts'
import { startNewsExpander } from './news-expander.ts'

const tokens = createUnsubscribeTokens('the key of the tests')
const publicUrl = 'https://status.example.org'

const sql = useTestSql({ connectionsMax: 8, role: 'probe_mesh_system' })

type Page = { accountId: string; pageId: string; checkId: string; componentId: string }
let page: Page
beforeEach(async () => {
  await sql`delete from outbox`
  page = await insertPage()
})

const insertPage = async (): Promise<Page> => {
  const checkId = await insertTestCheck(sql, { regions: ['fra'] })
  const [pageId, componentId, now] = [uuidv7(Date.now()), uuidv7(Date.now()), new Date()]
  const [row] = await sql<{ accountId: string }[]>`
    select account_id as "accountId" from checks where id = ${checkId}`
  const accountId = row?.accountId ?? ''
  await sql`
    insert into status_pages (id, account_id, name, slug, theme_preset, font, locale, created_at, updated_at)
    values (${pageId}, ${accountId}, 'Acme <&>', ${pageId}, 'system', 'system', 'en', ${now}, ${now})`
  await sql`
    insert into components (id, account_id, status_page_id, check_id, display_name, created_at, updated_at)
    values (${componentId}, ${accountId}, ${pageId}, ${checkId}, 'Website', ${now}, ${now})`
  return { accountId, pageId, checkId, componentId }
}

const subscribe = async (
  email: string,
  { componentId = null, confirmed = true }: { componentId?: string | null; confirmed?: boolean } = {},
): Promise<string> => {
  const [id, now] = [uuidv7(Date.now()), new Date()]
  await sql`
    insert into subscribers (id, account_id, status_page_id, component_id, email, confirm_before,
      asked_at, confirmed_at, created_at)
    values (${id}, ${page.accountId}, ${page.pageId}, ${componentId}, ${email}, ${now},
      array[${now}::timestamptz], ${confirmed ? now : null}, ${now})`
  return id
}

type Payload = { about: string; id: string; news?: string; atMs?: number }

const incidentUpdate = async (checkId = page.checkId): Promise<Payload> => {
  const [incidentId, id, now] = [uuidv7(Date.now()), uuidv7(Date.now()), new Date()]
  await sql`
    insert into incidents (id, account_id, status_page_id, check_id, region, title, status, source,
      started_at, created_at)
    values (${incidentId}, ${page.accountId}, ${page.pageId}, ${checkId}, 'fra',
      'Slow <script>', 'investigating', 'manual', ${now}, ${now})`
  await sql`
    insert into incident_updates (id, account_id, incident_id, status, body, created_at)
    values (${id}, ${page.accountId}, ${incidentId}, 'identified', ${'one\ntwo <b>'}, ${now})`
  return { about: 'incident_update', id }
}

const maintenance = async (componentIds: readonly string[] | null): Promise<Payload> => {
  const [id, now] = [uuidv7(Date.now()), new Date()]
  await sql`
    insert into maintenance_windows (id, account_id, status_page_id, title, body, starts_at, ends_at,
      whole_page, created_at)
    values (${id}, ${page.accountId}, ${page.pageId}, 'New disks', 'One hour.', ${now}, ${now},
      ${componentIds === null}, ${now})`
  for (const [position, componentId] of (componentIds ?? []).entries()) {
    await sql`
      insert into maintenance_components (account_id, window_id, component_id, position)
      values (${page.accountId}, ${id}, ${componentId}, ${position})`
  }
  return { about: 'maintenance', id }
}

/** Writes a row as the verbs do, and expands it once. */
const expand = async (payload: Payload): Promise<number | null> => {
  await insertOutbox(sql, 'mail', payload, Date.now())
  const [row] = await sql<{ id: string; payload: unknown }[]>`
    select id, payload from outbox order by sequence desc limit 1`
  if (row === undefined) throw new Error('nothing was written')
  const expanded = await expandNews({ sql, tokens, publicUrl, now: Date.now }, row)
  return expanded?.written ?? null
}

const mails = async () =>
  await sql<
    {
      recipient: string
      message: { subject: string; text: string; html: string; unsubscribeUrl: string }
    }[]
  >`
    select recipient, message from deliveries where account_id = ${page.accountId}
    order by recipient`

const recipients = async (): Promise<string[]> => (await mails()).map(({ recipient }) => recipient)

describe('the audience of news', () => {
  const subscribeAll = async (): Promise<string> => {
    const otherCheck = await insertTestCheck(sql, { regions: ['fra'] })
    const [other, now] = [uuidv7(Date.now()), new Date()]
    await sql`
      insert into components (id, account_id, status_page_id, check_id, display_name, created_at, updated_at)
      values (${other}, ${page.accountId}, ${page.pageId}, ${otherCheck}, 'Mail', ${now}, ${now})`
    await subscribe('component@example.org', { componentId: page.componentId })
    await subscribe('other@example.org', { componentId: other })
    await subscribe('page@example.org')
    await subscribe('twice@example.org')
    await subscribe('Twice@example.org', { componentId: page.componentId })
    await subscribe('unconfirmed@example.org', { confirmed: false })
    return other
  }

  test('an incident: the page and the component that publishes its check', async () => {
    await subscribeAll()
    expect(await expand(await incidentUpdate())).toBe(3)
    expect(await recipients()).toEqual(['component@example.org', 'page@example.org', 'twice@example.org'])
  })

  test('an incident of a check that is not published: the page', async () => {
    await subscribeAll()
    await expand(await incidentUpdate(await insertTestCheck(sql, { regions: ['fra'] })))
    expect(await recipients()).toEqual(['page@example.org', 'twice@example.org'])
  })

  test('maintenance of components: the page and those components', async () => {
    const other = await subscribeAll()
    await expand(await maintenance([other]))
    expect(await recipients()).toEqual(['other@example.org', 'page@example.org', 'twice@example.org'])
    expect((await mails())[0]?.message.text).toContain('Affected: Mail')
  })

  test('maintenance of the whole page: all confirmed subscribers, each mailbox once', async () => {
    await subscribeAll()
    await expand(await maintenance(null))
    expect(await recipients()).toEqual([
      'component@example.org',
      'other@example.org',
      'page@example.org',
      'twice@example.org',
    ])
    expect((await mails())[0]?.message.text).toContain('Affected: the whole page')
  })

  test('maintenance of unpublished components: subscribers of the page only', async () => {
    await subscribeAll()
    await expand(await maintenance([uuidv7(Date.now())]))
    expect(await recipients()).toEqual(['page@example.org', 'twice@example.org'])
  })

  test('no subscriber of another page', async () => {
    await subscribe('page@example.org')
    const payload = await incidentUpdate()
    const here = page
    page = await insertPage()
    await subscribe('stranger@example.org')
    expect(await expand(payload)).toBe(1)
    expect(await recipients()).toEqual([])
    page = here
    expect(await recipients()).toEqual(['page@example.org'])
  })
})

test('whoever confirms late gets no news from before, and each piece of later news once', async () => {
  await subscribe('known@example.org')
  const missed = await incidentUpdate()
  await insertOutbox(sql, 'mail', missed, Date.now() - 60_000)
  const announced = await maintenance(null)
  await insertOutbox(sql, 'mail', announced, Date.now() - 60_000)
  await sql`update subscribers set confirmed_at = now() - interval '1 hour'`
  await subscribe('late@example.org')
  // of the same mailbox, confirmed in time
  await subscribe('Known@example.org', { componentId: page.componentId })
  const rows = await sql<{ id: string; payload: unknown }[]>`select id, payload from outbox order by sequence`
  for (const row of rows) {
    await expandNews({ sql, tokens, publicUrl, now: Date.now }, row)
    // a second claim writes nothing
    await expandNews({ sql, tokens, publicUrl, now: Date.now }, row)
  }
  expect(await recipients()).toEqual(['known@example.org', 'known@example.org'])
  await expand({ ...announced, news: 'changed', atMs: 1 })
  expect((await recipients()).filter((one) => one === 'late@example.org')).toHaveLength(1)
})

test('a mail has the page, the status, the text and an unsubscribe link, without markup', async () => {
  const id = await subscribe('page@example.org')
  await expand(await incidentUpdate())
  const [mail] = await mails()
  expect(mail?.message.subject).toBe('[Acme <&>] Identified: Slow <script>')
  expect(mail?.message.unsubscribeUrl).toBe(`${publicUrl}/subscriptions/unsubscribe/${tokens.of(id)}`)
  expect(tokens.read(tokens.of(id))).toBe(id)
  for (const part of ['Page: Acme <&>', 'Status: Identified', 'one\ntwo <b>', 'Affected: Website']) {
    expect(mail?.message.text).toContain(part)
  }
  expect(mail?.message.text).toContain(mail?.message.unsubscribeUrl)
  expect(mail?.message.text).toContain(`${publicUrl}/status/${page.pageId}/incidents/`)
  expect(mail?.message.html).toContain('one<br>\ntwo &lt;b&gt;')
  expect(mail?.message.html).not.toMatch(/<script|<b>/)
})

test('a mail has the words of the language of its page', async () => {
  await subscribe('page@example.org')
  await sql`update status_pages set locale = 'de-AT' where id = ${page.pageId}`
  await expand(await incidentUpdate())
  const [mail] = await mails()
  expect(mail?.message.subject).toBe('[Acme <&>] Ursache gefunden: Slow <script>')
  expect(mail?.message.text).toContain('Betroffen: Website')
  expect(mail?.message.text).toContain('\nAbbestellen: https://')
  expect(mail?.message.html).toContain('<html lang="de">')
})

test('mails each change and the cancellation of a window, and does not announce a cancelled one', async () => {
  await subscribe('page@example.org')
  const announced = await maintenance(null)
  await expand(announced)
  await expand({ ...announced, news: 'changed', atMs: 1 })
  await expand({ ...announced, news: 'changed', atMs: 2 })
  await sql`update maintenance_windows set cancelled_at = now() where id = ${announced.id}`
  await expand({ ...announced, news: 'cancelled', atMs: 3 })
  expect(await expand({ ...announced, news: 'changed', atMs: 4 })).toBeNull()
  expect((await mails()).map(({ message }) => message.subject).toSorted()).toEqual([
    '[Acme <&>] Maintenance cancelled: New disks',
    '[Acme <&>] Maintenance changed: New disks',
    '[Acme <&>] Maintenance changed: New disks',
    '[Acme <&>] Maintenance: New disks',
  ])
})

test('mails each subscriber once when there are more than one chunk', async () => {
  await sql`
    insert into subscribers (id, account_id, status_page_id, email, confirm_before, asked_at,
      confirmed_at, created_at)
    select gen_random_uuid(), ${page.accountId}, ${page.pageId}, 'Reader' || n || '@example.org',
      now(), '{}', now(), now() from generate_series(1, 2000) as n`
  const payload = await incidentUpdate()
  expect(await expand(payload)).toBe(2_000)
  expect(await expand(payload)).toBe(2_000)
  expect(new Set(await recipients()).size).toBe(2_000)
  expect(await recipients()).toHaveLength(2_000)
})

test('finishes news of a deleted incident without a mail', async () => {
  await subscribe('page@example.org')
  expect(await expand({ about: 'incident_update', id: uuidv7(Date.now()) })).toBeNull()
  expect(await recipients()).toEqual([])
  expect(await sql`select from outbox where done_at is null`).toHaveLength(0)
})

test('several loops share the work, and an unreadable row does not block others', async () => {
  await subscribe('page@example.org')
  await insertOutbox(sql, 'mail', { about: 'nonsense' }, Date.now())
  const payloads = await Promise.all(Array.from({ length: 30 }, () => incidentUpdate()))
  for (const payload of payloads) await insertOutbox(sql, 'mail', payload, Date.now())
  const log = pino({ level: 'silent' })
  const registries = [new Registry(), new Registry()]
  const loops = await Promise.all(
    registries.map((registry) => startNewsExpander({ sql, tokens, publicUrl, registry, log, now: Date.now })),
  )
  try {
    await vi.waitFor(async () => expect(await sql`select from outbox where done_at is null`).toHaveLength(1))
    expect(await recipients()).toHaveLength(30)
    // counted once the answer to the commit is back
    await vi.waitFor(async () => {
      const counted = await Promise.all(
        registries.map(async (registry) => {
          const metric = await registry.getSingleMetric('notify_subscriber_mails_total')?.get()
          return metric?.values[0]?.value ?? 0
        }),
      )
      expect((counted[0] ?? 0) + (counted[1] ?? 0)).toBe(30)
    })
  } finally {
    await Promise.all(loops.map((loop) => loop.close()))
  }
})

test('deletes and counts subscriptions that are not confirmed in time', async () => {
  const [late, inTime] = [uuidv7(Date.now()), uuidv7(Date.now())]
  await subscribe(late, { confirmed: false })
  await subscribe(inTime, { confirmed: true })
  const registry = new Registry()
  const loop = await startNewsExpander({
    sql,
    tokens,
    publicUrl,
    registry,
    log: pino({ level: 'silent' }),
    now: () => Date.now() + 1_000,
  })
  try {
    await vi.waitFor(async () => {
      const left = await sql<{ email: string }[]>`
        select email from subscribers where email in (${late}, ${inTime})`
      expect(left.map(({ email }) => email)).toEqual([inTime])
    })
    await vi.waitFor(async () =>
      expect(await registry.metrics()).toMatch(/^subscribers_forgotten_total [1-9]/m),
    )
  } finally {
    await loop.close()
  }
})
