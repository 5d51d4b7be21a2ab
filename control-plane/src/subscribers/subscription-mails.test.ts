import { subscriptionMailBounds } from '@probe-mesh/contracts/channel/outgoing-pools'
import { parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listSubscribers } from './account-subscribers.ts'
import { startTestApp, type TestApp } from '../app/testing/test-app.ts'

/** Limits of subscription mails, whose recipients may not know the account. */

let at: TestApp
let accountId: string
let slug: string
beforeAll(async () => {
  const deny = parseDenyList(['blocked.example.com'])
  if (!deny.ok) throw new Error(deny.problems.join())
  at = await startTestApp({
    config: { smtpUrl: 'smtp://127.0.0.1:1', blockedTargets: deny.deny },
  })
})
beforeEach(async () => {
  const own = await accountWithUser(true)
  accountId = own.accountId
  slug = own.slug
})

const accountWithUser = async (isConfirmed: boolean) => {
  const { id } = await at.account('scale')
  await at.sql`
    insert into users (id, account_id, email, password_hash, created_at, confirmed_at)
    values (${uuidv7(Date.now())}, ${id}, ${`${id}@example.org`}, '', now(),
      ${isConfirmed ? new Date() : null})`
  const [page] = await at.sql<{ slug: string }[]>`
    select slug from status_pages where account_id = ${id}`
  return { accountId: id, slug: page?.slug ?? '' }
}
let network = 0
/** From a new client address, so that its rate limit does not apply. */
const subscribe = async (email: string, of = slug) => {
  network += 1
  return subscribeFrom(`198.51.${Math.trunc(network / 250)}.${network % 250}`, email, of)
}
const subscribeFrom = async (from: string, email: string, of = slug) =>
  at.call('POST', `/status/${of}/subscribers`, { body: { email }, from })
const recipients = async (): Promise<string[]> => {
  const rows = await at.sql<{ recipient: string }[]>`
    select recipient from deliveries where account_id = ${accountId} order by sequence`
  return rows.map(({ recipient }) => recipient)
}
const notSent = async (of = accountId) => {
  const context = { sql: at.accountSql, now: at.now }
  const query = { limit: 1, statusPageId: undefined, before: undefined }
  return (await listSubscribers(context, { accountId: of }, { query })).mailsToday
}
const unique = (): string => uuidv7(Date.now())

describe('a mailbox', () => {
  test('gets five links a day, with any tag', async () => {
    const box = unique()
    for (let n = 0; n < 8; n += 1) {
      const answer = await subscribe(`${box.toUpperCase()}+${n}@one.example.com`)
      expect(answer.status).toBe(202)
    }
    expect(await recipients()).toHaveLength(subscriptionMailBounds.perMailboxAndDay)
    expect(await notSent()).toEqual({
      sent: 5,
      notSent: [{ reason: 'The address got 5 confirmation mails within a day.', count: 3 }],
    })
  })
})

describe('an account', () => {
  test('has a daily limit, which grows with confirmations; the answer stays the same', async () => {
    const { perAccountAndDay, perConfirmed } = subscriptionMailBounds
    const domain = (n: number): string => `d${n}.example.com`
    let first: string | null = null
    for (let n = 0; n < perAccountAndDay + 3; n += 1) {
      const answer = await subscribe(`a@${domain(n)}`)
      const said = answer.text.replaceAll(domain(n), '')
      first ??= said
      expect([answer.status, said]).toEqual([202, first])
    }
    expect(await recipients()).toHaveLength(perAccountAndDay)
    expect((await notSent()).notSent).toMatchObject([{ count: 3 }])
    const metrics = await at.registry.metrics()
    expect(metrics).toContain('subscriptions_asked_total{outcome="account_limit"} 3')
    await at.sql`
      update subscribers set confirmed_at = now()
      where id = (select id from subscribers where account_id = ${accountId} limit 1)`
    for (let n = 0; n < perConfirmed + 2; n += 1) await subscribe(`b@${domain(n)}`)
    expect(await recipients()).toHaveLength(perAccountAndDay + perConfirmed)
  }, 60_000)

  test('without a confirmed address sends none, and shows the reason', async () => {
    const own = await accountWithUser(false)
    accountId = own.accountId
    expect((await subscribe(`${unique()}@example.com`, own.slug)).status).toBe(202)
    expect(await recipients()).toEqual([])
    expect(await notSent()).toEqual({
      sent: 0,
      notSent: [
        {
          reason: 'No address of the account is confirmed. Log in once by a mailed link to confirm yours.',
          count: 1,
        },
      ],
    })
    await at.sql`update users set confirmed_at = now() where account_id = ${own.accountId}`
    await subscribe(`${unique()}@example.com`, own.slug)
    expect(await recipients()).toHaveLength(1)
  })
})

describe('a domain', () => {
  test('has a daily limit over all accounts, without effect on other domains', async () => {
    const { perDomainAndDay } = subscriptionMailBounds
    const half = perDomainAndDay / 2
    for (const _ of [1, 2]) {
      for (let n = 0; n < half; n += 1) await subscribe(`${unique()}@Many.example.com`)
      const own = await accountWithUser(true)
      accountId = own.accountId
      slug = own.slug
    }
    const { perAccountAndDomain } = subscriptionMailBounds
    for (let n = 0; n < perAccountAndDomain + 1; n += 1) {
      await subscribe(`b${n}@many.example.com`)
    }
    await subscribe('a@few.example.com')
    expect(await recipients()).toEqual([
      ...Array.from({ length: perAccountAndDomain }, (_, n) => `b${n}@many.example.com`),
      'a@few.example.com',
    ])
    expect((await notSent()).notSent).toMatchObject([{ count: 1 }])
  }, 60_000)

  test('that one account used up still gets mails of others, within its total limit', async () => {
    const { perDomainAndDay, perAccountAndDomain, beyondDomainMax } = subscriptionMailBounds
    const email = (): string => `${unique()}@full.example.com`
    for (let n = 0; n < perDomainAndDay + 1; n += 1) await subscribe(email())
    expect(await recipients()).toHaveLength(perDomainAndDay)
    const other = await accountWithUser(true)
    accountId = other.accountId
    await subscribe(email(), other.slug)
    expect(await recipients()).toHaveLength(1)
    await at.sql`
      update subscription_domains set count = ${perDomainAndDay + beyondDomainMax}
      where domain = 'full.example.com'`
    await subscribe(email(), other.slug)
    expect(await recipients()).toHaveLength(1)
    expect(perAccountAndDomain).toBeGreaterThan(1)
    expect((await notSent()).notSent).toMatchObject([{ count: 1 }])
  }, 60_000)

  test('on the block list gets nothing', async () => {
    for (const email of ['a@blocked.example.com', 'a@sub.Blocked.example.com']) {
      expect((await subscribe(email)).status).toBe(202)
    }
    expect(await recipients()).toEqual([])
    expect((await notSent()).notSent).toMatchObject([{ count: 2 }])
  })
})

describe('a network', () => {
  const { perAccountAndDay, networkPart } = subscriptionMailBounds
  const quarter = perAccountAndDay / networkPart

  test.each([
    ['an IPv4 address', () => '203.0.113.7', '203.0.113.8'],
    ['an IPv6 /48', (n: number) => `2001:db8:7:${n.toString(16)}::1`, '2001:db8:8::1'],
  ])(
    'has a quarter of the daily limit of an account: %s',
    async (_what, from, elsewhere) => {
      const dayMs = 86_400_000
      at.pass(dayMs - (at.now() % dayMs))
      for (let n = 0; n < quarter + 3; n += 1) {
        const answer = await subscribeFrom(from(n), `a@${unique()}.example.com`)
        expect(answer.status).toBe(202)
        at.pass(20_000)
      }
      expect(await recipients()).toHaveLength(quarter)
      expect((await notSent()).notSent).toEqual([
        { reason: expect.stringContaining('One network'), count: 3 },
      ])
      expect(await at.registry.metrics()).toContain('subscriptions_asked_total{outcome="network_limit"}')
      await subscribeFrom(elsewhere, `a@${unique()}.example.com`)
      expect(await recipients()).toHaveLength(quarter + 1)
      const other = await accountWithUser(true)
      accountId = other.accountId
      await subscribeFrom(from(1), `a@${unique()}.example.com`, other.slug)
      expect(await recipients()).toHaveLength(1)
    },
    60_000,
  )
})

test('counts of past days are deleted', async () => {
  await subscribe(`${unique()}@example.com`)
  expect((await notSent()).sent).toBe(1)
  at.pass(86_400_000)
  expect((await notSent()).sent).toBe(0)
})
