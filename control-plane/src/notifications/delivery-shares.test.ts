import type { ServerResponse } from 'node:http'
import { outgoingPools } from '@probe-mesh/contracts/channel/outgoing-pools'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Mailer } from './mail/mailer.ts'
import { ok, startReceiver, type Receiver } from './outgoing/testing.ts'
import { claimChannelDeliveries, claimMails, type ClaimRequest } from './claim-deliveries-store.ts'
import { releaseClaim, recordDelivered } from './claimed-deliveries-store.ts'
import { createDeliveryBench } from './testing.ts'

const at = useOnce(() => createDeliveryBench())
afterEach(() => at.clear())

const bounds = {
  channel: outgoingPools.channelDeliveries.delivery,
  mail: outgoingPools.mailDeliveries.delivery,
}
const attemptMs = { channel: 60_000, mail: 60_000 }
const letter = { subject: 's', text: 't', html: '<p>t</p>' }

const receiver = async (answer: Parameters<typeof startReceiver>[0]): Promise<Receiver> => {
  const started = await startReceiver(answer)
  onTestFinished(started.close)
  return started
}
/** A receiver that holds every request open until the test answers it. */
const holding = async () => {
  const open: ServerResponse[] = []
  const started = await receiver((_request, response) => void open.push(response))
  return { ...started, open, received: started.received }
}
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)
/** Accounts with a pending message on each of their channels. */
const backlog = async (accounts: number, channels: number, url: string): Promise<void> => {
  for (const _ of numbers(accounts)) {
    const account = await at.account()
    for (const _ of numbers(channels)) {
      const channel = await at.channel(account, { type: 'json', config: { url } })
      await at.write(account, channel, ['a', 'b', 'c'])
    }
  }
}
const victim = async () => {
  const fast = await receiver(ok)
  const account = await at.account()
  const channel = await at.channel(account, { type: 'json', config: { url: fast.url } })
  return { fast, alert: () => at.write(account, channel, ['alert']) }
}

describe('messages to channels', () => {
  test.each([
    [4, 20],
    [50, 2],
  ])('of %i accounts with hanging receivers leave places free', async (accounts, channels) => {
    const slow = await holding()
    await backlog(accounts, channels, slow.url)
    await at.start({ attemptMs, finishMs: 0 })
    const { places, placesOfNewcomers } = bounds.channel
    const held = Math.max(places - placesOfNewcomers, Math.min(accounts, places))
    await vi.waitFor(() => expect(slow.received).toHaveLength(held))
    const { fast, alert } = await victim()
    const ids = await alert()
    await vi.waitFor(() => expect(fast.taken).toEqual(ids))
    expect(slow.received).toHaveLength(held)
  })

  test('of a waiting account go next, however many others wait', async () => {
    const { places } = bounds.channel
    const slow = await holding()
    await backlog(places + 6, 2, slow.url)
    await at.start({ attemptMs, finishMs: 0 })
    await vi.waitFor(() => expect(slow.received).toHaveLength(places))
    const { fast, alert } = await victim()
    const ids = await alert()
    // one turn: accounts that were never served go first, and the victim is one of them
    for (const _ of numbers(7)) {
      const received = slow.received.length
      slow.open.shift()?.writeHead(200).end()
      await vi.waitFor(() => expect(slow.received.length + fast.received.length).toBeGreaterThan(received))
    }
    await vi.waitFor(() => expect(fast.taken).toEqual(ids))
  })

  test('to slow channels use only their own places', async () => {
    const slow = await holding()
    await backlog(70, 1, slow.url)
    await at.sql`update notification_channels set slow = true`
    await at.start({ attemptMs, finishMs: 0 })
    const { fast, alert } = await victim()
    const ids = await alert()
    await vi.waitFor(() => expect(fast.taken).toEqual(ids))
    await vi.waitFor(() => expect(slow.received).toHaveLength(bounds.channel.placesOfLater))
  })

  test('a channel is slow from a slow attempt until a fast one', async () => {
    const account = await at.account()
    const channel = await at.channel(account, {
      type: 'json',
      config: { url: 'http://127.0.0.1/' },
    })
    const isSlow = async () =>
      (await at.sql`select slow from notification_channels where id = ${channel}`)[0]?.['slow']
    for (const slow of [true, false]) {
      const [id = ''] = await at.write(account, channel, [`${slow}`])
      await recordDelivered(at.sql, id, slow, at.now())
      expect(await isSlow()).toBe(slow)
    }
  })

  test('each of 200 accounts is served within one turn of all of them', async () => {
    await backlog(200, 1, 'http://127.0.0.1/')
    const claiming = (): ClaimRequest => ({ bounds: bounds.channel, held: [], claimMs: 60_000 })
    const served = new Set<string>()
    const turns = Math.ceil(200 / bounds.channel.places)
    for (const _ of numbers(turns)) {
      // no account is served twice before another one is served once
      await at.pass(1)
      const claims = await claimChannelDeliveries(at.sql, claiming(), at.now())
      for (const claim of claims) {
        served.add(claim.accountId)
        await releaseClaim(at.sql, claim)
      }
    }
    expect(served.size).toBe(200)
  })
})

describe('mail', () => {
  const writeMany = (accountId: string, count: number, bulk: boolean): Promise<void[]> =>
    Promise.all(numbers(count).map((n) => at.writeMail(accountId, `r${n}@example.com`, letter, { bulk })))
  const claiming = (held: ClaimRequest['held'] = []): ClaimRequest => ({
    bounds: bounds.mail,
    held,
    claimMs: 60_000,
  })
  const claim = (held: ClaimRequest['held'] = []) => claimMails(at.sql, claiming(held), at.now())

  test('of one account leaves places for others, and its news leaves one for alerts', async () => {
    const many = await at.account()
    await writeMany(many, 20, true)
    const first = await claim()
    expect(first).toHaveLength(bounds.mail.placesOfAccount)
    const other = await at.account()
    await at.writeMail(other, 'alert@example.com', letter)
    const next = await claim(first)
    expect(next.map(({ recipient }) => recipient)).toEqual(['alert@example.com'])
  })

  test('about an alert goes before news for subscribers', async () => {
    const account = await at.account()
    await writeMany(account, 20, true)
    await at.writeMail(account, 'alert@example.com', letter)
    const claims = await claim()
    expect(claims.map(({ recipient }) => recipient)).toContain('alert@example.com')
  })

  test('for subscribers has a place, however many alerts wait', async () => {
    for (const _ of numbers(5)) await writeMany(await at.account(), 10, false)
    const reader = await at.account()
    await at.writeMail(reader, 'news@example.com', letter, { bulk: true })
    const claims = await claim()
    expect(claims).toHaveLength(bounds.mail.places)
    expect(claims.map(({ recipient }) => recipient)).toContain('news@example.com')
  })

  test('to people without an account has its turn', async () => {
    const many = await at.account()
    await writeMany(many, 20, false)
    await at.writeMail(null, 'sign-up@example.com', letter)
    const claims = await claim()
    expect(claims.map(({ recipient }) => recipient)).toContain('sign-up@example.com')
  })

  test('of one account with 500 pending mails is all sent', async () => {
    const sent: string[] = []
    const mailer: Mailer = {
      send: async ({ recipient }) => {
        sent.push(recipient)
        return { ok: true, httpStatus: null, detail: 'ok' }
      },
      close: () => undefined,
    }
    await writeMany(await at.account(), 500, true)
    await at.start({ mailer })
    await vi.waitFor(() => expect(sent).toHaveLength(500))
  })
})

describe('the number of pending messages', () => {
  test('is bounded for each account: the oldest news is dropped first, alerts last', async () => {
    const account = await at.account()
    const other = await at.account()
    const channel = await at.channel(
      account,
      { type: 'json', config: { url: 'http://127.0.0.1/' } },
      { isVerified: false },
    )
    await at.write(account, channel, ['alert'])
    for (const n of numbers(5)) {
      await at.writeMail(account, `news${n}@example.com`, letter, { bulk: true })
    }
    await at.writeMail(other, 'other@example.com', letter, { bulk: true })
    await at.sql`update deliveries set next_attempt_at = now() + interval '1 hour'`
    await at.start({ waitingMax: 3, mailer: never })
    await vi.waitFor(async () => {
      const rows = await at.sql<{ recipient: string; last_error: string }[]>`
        select recipient, last_error from deliveries where state = 'dead' order by sequence`
      expect(rows.map(({ recipient }) => recipient).length).toBe(3)
      expect(rows[0]?.last_error).toBe('dropped: the account has more than 3 pending messages')
    })
    const waiting = await at.sql`
      select from deliveries where state = 'pending' and channel_id = ${channel}`
    expect(waiting).toHaveLength(1)
    expect(await at.registry.metrics()).toContain('deliveries_dropped_total{kind="mail"} 3')
    expect(await at.registry.metrics()).toContain(
      `deliveries_account_waiting{kind="channel",account="${account}"} 1`,
    )
  })
})

/** A slow mail server. */
const never: Mailer = {
  send: (_mail, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    }),
  close: () => undefined,
}
