import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import {
  domainQuestionBounds,
  outgoingPools,
  subscriptionMailBounds,
  waitingDeliveriesMax,
} from '@probe-mesh/contracts/channel/outgoing-pools'
import { alertScenario } from '@probe-mesh/control-plane/src/app/alerting/testing'
import { createDeliveryBench } from '@probe-mesh/control-plane/src/notifications/testing'
import {
  claimChannelDeliveries,
  claimMails,
} from '@probe-mesh/control-plane/src/notifications/claim-deliveries-store'
import {
  claimDomains,
  syncDomains,
  addCheckDomains,
} from '@probe-mesh/control-plane/src/checks/expiry/domains-store'
import { createFirstPage } from '@probe-mesh/control-plane/src/login/create-first-page-store'
import { dropExcess } from '@probe-mesh/control-plane/src/notifications/open-deliveries-store'
import { subscribe } from '@probe-mesh/control-plane/src/subscribers/subscriptions'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/src/accounts/link-tokens'
import { expect, onTestFinished } from 'vitest'
import { numbers, type FairnessCase } from './case.ts'

const opened = async () => {
  const at = await createDeliveryBench()
  onTestFinished(() => at.close())
  return at
}
type Bench = Awaited<ReturnType<typeof opened>>

const letter = { subject: 's', text: 't', html: '<p>t</p>' }
const config = { type: 'json', config: { url: 'http://127.0.0.1/' } } as const

/** Writes waiting messages of an account, more than it may have in progress. */
const writeOf = {
  channel: async (at: Bench, account: string, count: number): Promise<void> => {
    for (const _ of numbers(count)) {
      await at.write(account, await at.channel(account, config), ['a'])
    }
  },
  mail: async (at: Bench, account: string, count: number): Promise<void> => {
    await Promise.all(numbers(count).map((n) => at.writeMail(account, `r${n}@example.com`, letter)))
  },
}
type Claimed = { id: string; isLater: boolean }

/** Claims what one control plane may have in progress in addition to `held`. */
const claimOf = {
  channel: (at: Bench, held: Claimed[]): Promise<Claimed[]> => {
    const bounds = outgoingPools.channelDeliveries.delivery
    return claimChannelDeliveries(at.sql, { bounds, held, claimMs: 60_000 }, at.now())
  },
  mail: (at: Bench, held: Claimed[]): Promise<Claimed[]> => {
    const bounds = outgoingPools.mailDeliveries.delivery
    return claimMails(at.sql, { bounds, held, claimMs: 60_000 }, at.now())
  },
}
const accountsOf = async (at: Bench, claims: readonly Claimed[]): Promise<string[]> => {
  const rows = await at.sql<{ account_id: string }[]>`
    select account_id from deliveries where id = any(${claims.map(({ id }) => id)}::uuid[])`
  return rows.map((row) => row.account_id)
}

const deliveriesCase = (kind: 'channel' | 'mail'): FairnessCase => {
  const row = outgoingPools[kind === 'channel' ? 'channelDeliveries' : 'mailDeliveries'].delivery
  return {
    crowds: [2, 50],
    floor: async (crowd) => {
      const at = await opened()
      const most = Math.min(row.placesOfAccount + 1, Math.ceil(200 / crowd))
      for (const _ of numbers(crowd)) await writeOf[kind](at, await at.account(), most)
      let held = await claimOf[kind](at, [])
      const mine = await at.account()
      await writeOf[kind](at, mine, 1)
      // turns: messages in progress end, and the next are claimed
      const turns = Math.ceil((crowd + 1) / (row.places - row.placesOfLater))
      for (let turn = 0; ; turn += 1) {
        const claims = await claimOf[kind](at, held)
        if ((await accountsOf(at, claims)).includes(mine)) break
        expect(turn).toBeLessThan(turns)
        await at.sql`
          update deliveries set state = 'delivered', claimed_until = null
          where id = any(${[...held, ...claims].map(({ id }) => id)}::uuid[])`
        held = []
        await at.pass(1)
      }
    },
    share: async () => {
      const at = await opened()
      await writeOf[kind](at, await at.account(), row.placesOfAccount + 2)
      const held = await claimOf[kind](at, [])
      expect(held).toHaveLength(row.placesOfAccount)
      // the rest is not refused but waits
      expect(await claimOf[kind](at, held)).toEqual([])
      expect(await at.sql`select from deliveries where claimed_until is null`).toHaveLength(2)
    },
  }
}

const waitingCase: FairnessCase = {
  crowds: [2],
  floor: async (crowd) => {
    const at = await opened()
    const over = 3
    for (const _ of numbers(crowd)) await fillWaiting(at, await at.account(), waitingDeliveriesMax / 10)
    const mine = await at.account()
    await fillWaiting(at, mine, over)
    expect(await dropExcess(at.sql, mine, waitingDeliveriesMax)).toEqual([])
  },
  share: async () => {
    const at = await opened()
    const account = await at.account()
    await fillWaiting(at, account, waitingDeliveriesMax + 2)
    await at.write(account, await at.channel(account, config), ['alert'])
    const dropped = await dropExcess(at.sql, account, waitingDeliveriesMax)
    expect(dropped.map(({ kind }) => kind)).toEqual(['mail', 'mail', 'mail'])
  },
}
/** News for subscribers. */
const fillWaiting = async (at: Bench, account: string, count: number): Promise<void> => {
  const now = new Date(at.now())
  await at.sql`
    insert into deliveries (id, account_id, kind, recipient, cause, message, state, next_attempt_at,
      expires_at, created_at, bulk)
    select gen_random_uuid(), ${account}, 'mail', 'a@example.com', gen_random_uuid()::text, '{}',
      'pending', ${now}, ${now}, ${now}, true
    from generate_series(1, ${count}::integer)`
}

/** Creates an account with a page and a confirmed address. @returns the page's slug */
const publisher = async (at: Bench): Promise<string> => {
  const id = await at.account()
  await createFirstPage(at.sql, { id, name: `Acme ${id}`, tier: 'scale', createdAtMs: at.now() })
  const now = new Date(at.now())
  await at.sql`
    insert into users (id, account_id, email, password_hash, created_at, confirmed_at)
    values (${uuidv7(at.now())}, ${id}, ${`${id}@example.org`}, '', ${now}, ${now})`
  const [page] = await at.sql<{ slug: string }[]>`
    select slug from status_pages where account_id = ${id}`
  return page?.slug ?? ''
}
const subscriptions = async () => {
  const at = await opened()
  const outcomes: string[] = []
  const context = {
    sql: at.sql,
    tokens: createUnsubscribeTokens('the key of the tests'),
    onSubscription: (outcome: string) => outcomes.push(outcome),
    publicUrl: 'http://127.0.0.1:8080',
    blockedTargets: denyNothing,
    sendsMail: true,
    now: at.now,
  }
  let count = 0
  /** Subscribes, by default with a new domain and from a new network. @returns the outcome */
  const subscribeAs = async (slug: string, { domain = '', from = '' } = {}): Promise<string | undefined> => {
    count += 1
    const email = `a${count}@${domain === '' ? `d${count}.example.com` : domain}`
    const address = from === '' ? `198.51.${count >> 8}.${count & 255}` : from
    await subscribe(context, slug, { email }, address)
    return outcomes.at(-1)
  }
  return { subscribeAs, publisher: () => publisher(at) }
}

/** Accounts whose checks measure their own domains, and the queries of a control plane in its rounds. */
const domainRounds = async () => {
  const { sql } = await opened()
  const game = alertScenario(sql)
  const { perRound, againMs, roundMs } = domainQuestionBounds
  let made = 0
  return {
    /** Creates checks of new domains with this prefix. */
    checks: async (account: string, count: number, prefix: string): Promise<void> => {
      const domains = numbers(count).map(() => `${prefix}${(made += 1)}.com`)
      await game.checks(account, domains, (domain) => `https://${domain}/`)
    },
    account: game.account,
    /** @returns the queried domains */
    round: async (): Promise<string[]> => {
      while ((await addCheckDomains(sql, 500)) === 500);
      const { nowMs } = game.clock
      await syncDomains(sql, nowMs, 10_000)
      const names = await claimDomains(sql, { nowMs, againMs, limit: perRound })
      game.pass(roundMs)
      return names
    },
  }
}

const domainsCase: FairnessCase = {
  // each has more due domains than the rounds may query
  crowds: [2, 50, 200],
  floor: async (crowd) => {
    const at = await domainRounds()
    const { perRound } = domainQuestionBounds
    const rounds = Math.ceil((crowd + 1) / perRound)
    for (const n of numbers(crowd)) {
      await at.checks(await at.account(), (rounds + 2) * Math.ceil(perRound / crowd), `a${n}-`)
    }
    for (const _ of numbers(2)) expect(await at.round()).toHaveLength(perRound)
    await at.checks(await at.account(), 1, 'z')
    const names: string[] = []
    for (const _ of numbers(rounds)) names.push(...(await at.round()))
    expect(names.some((name) => name.startsWith('z'))).toBe(true)
  },
  share: async () => {
    const at = await domainRounds()
    const { perRound } = domainQuestionBounds
    await at.checks(await at.account(), perRound + 1, 'a')
    expect(await at.round()).toHaveLength(perRound)
    expect(await at.round()).toHaveLength(1)
    expect(await at.round()).toEqual([])
  },
}

export const outgoingCases = {
  channelDeliveries: deliveriesCase('channel'),
  mailDeliveries: deliveriesCase('mail'),
  domainQuestions: domainsCase,
  waitingDeliveries: waitingCase,
  subscriptionMails: {
    crowds: [2],
    floor: async (crowd) => {
      const at = await subscriptions()
      const { perAccountAndDay, perAccountAndDomain } = subscriptionMailBounds
      const domain = 'many.example.com'
      for (const _ of numbers(crowd)) {
        const slug = await at.publisher()
        for (const _ of numbers(perAccountAndDay + 1)) await at.subscribeAs(slug, { domain })
      }
      const mine = await at.publisher()
      for (const _ of numbers(perAccountAndDomain)) {
        expect(await at.subscribeAs(mine, { domain })).toBe('asked')
      }
      expect(await at.subscribeAs(mine, { domain })).toBe('domain_limit')
      expect(await at.subscribeAs(mine)).toBe('asked')
    },
    share: async () => {
      const at = await subscriptions()
      const slug = await at.publisher()
      const { perAccountAndDay, networkPart } = subscriptionMailBounds
      const ofNetwork = perAccountAndDay / networkPart
      const from = '203.0.113.7'
      for (const _ of numbers(ofNetwork)) expect(await at.subscribeAs(slug, { from })).toBe('asked')
      expect(await at.subscribeAs(slug, { from })).toBe('network_limit')
      for (const _ of numbers(perAccountAndDay - ofNetwork)) {
        expect(await at.subscribeAs(slug)).toBe('asked')
      }
      expect(await at.subscribeAs(slug)).toBe('account_limit')
    },
  },
} satisfies Record<keyof typeof outgoingPools, FairnessCase>
