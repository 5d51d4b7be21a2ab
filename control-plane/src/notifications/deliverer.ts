import type { Loop } from '@probe-mesh/runtime/loop'
import { keepLooping } from '../stores/faults.ts'
import { outgoingPools, waitingDeliveriesMax } from '@probe-mesh/contracts/channel/outgoing-pools'
import { ownersNamedMax } from '@probe-mesh/runtime/pool-metrics'
import type { Registry } from 'prom-client'
import { listen } from '../stores/postgres/listen.ts'
import {
  failExpired,
  dropExcess,
  findAccountsOverLimit,
  findLargestWaiting,
  isAnyOpen,
  markMailsNotSent,
  measureWaiting,
  pruneDeliveries,
  pruneTurns,
} from './open-deliveries-store.ts'
import { claimChannelDeliveries, claimMails, type ClaimRequest } from './claim-deliveries-store.ts'
import type { ChannelClaim, MailClaim } from './claimed-deliveries-store.ts'
import { deliver, type DeliverContext } from './deliver.ts'
import { deliveryMetrics } from './delivery-metrics.ts'

/** Polling interval for due messages, and for notifications that were lost. */
const pollMs = 1_000
const { channelDeliveries, mailDeliveries } = outgoingPools
const bounds = { channel: channelDeliveries.delivery, mail: mailDeliveries.delivery } as const
const attemptMsMax = {
  channel: bounds.channel.attemptMsMax,
  mail: bounds.mail.attemptMsMax,
} as const
/** Longer than an attempt and its record take: an expired claim belongs to a dead process. */
const claimMarginMs = 20_000
const finishMsMax = 5_000
const expiredPerSweep = 500
const retentionMs = 30 * 86_400_000
const prunedPerSweep = 1_000
/** An account that was served longer ago than this counts as never served. */
const turnsKeptMs = 86_400_000
const measureMs = 10_000

export type Deliverer = { close(): Promise<void> }

/**
 * Sends messages to channels and mailboxes, each at least once, under a constant id. Claims due messages,
 * in turn over the accounts and bounded by kind, channel and account. Failed messages are retried until
 * the receiver refuses them or they expire. Any number of control planes share the work.
 */
export const startDeliverer = async (
  capabilities: Omit<DeliverContext, 'metrics'> & {
    registry: Registry
    attemptMs?: Readonly<Record<'channel' | 'mail', number>>
    /** How long messages in flight may take to finish on close; other claims are released. */
    finishMs?: number
    /** Before each claim: takes back what must not be sent as it is. */
    beforeClaim?: (() => Promise<void>) | undefined
    /** Limit for pending messages of one account. */
    waitingMax?: number
  },
): Promise<Deliverer> => {
  const { sql, mailer, log, now } = capabilities
  const attemptMs = capabilities.attemptMs ?? attemptMsMax
  const waitingMax = capabilities.waitingMax ?? waitingDeliveriesMax
  const metrics = deliveryMetrics(capabilities.registry)
  const context = { ...capabilities, metrics }
  const stop = new AbortController()
  let loop: Loop | null = null
  const inFlight = new Map<Promise<void>, MailClaim | ChannelClaim>()
  const listening = await listen(sql, 'deliveries', {
    onNotify: () => loop?.wake(),
    onConnected: () => loop?.wake(),
  })

  const start = (claim: MailClaim | ChannelClaim): void => {
    const running = deliver(context, claim, {
      stop: stop.signal,
      attemptMsMax: attemptMs[claim.kind],
    })
      .catch((error: unknown) => {
        log.warn(
          { err: error, deliveryId: claim.id },
          'the result of an attempt could not be recorded; its claim expires',
        )
      })
      .finally(() => {
        inFlight.delete(running)
        metrics.inFlight.dec({ kind: claim.kind })
        loop?.wake()
      })
    inFlight.set(running, claim)
    metrics.inFlight.inc({ kind: claim.kind })
  }

  const claimRequestOf = (kind: 'channel' | 'mail'): ClaimRequest => ({
    bounds: bounds[kind],
    held: [...inFlight.values()].filter((claim) => claim.kind === kind),
    claimMs: attemptMs[kind] + claimMarginMs,
  })

  const claimChannels = (): Promise<ChannelClaim[]> =>
    claimChannelDeliveries(sql, claimRequestOf('channel'), now())

  const claimMail = async (): Promise<MailClaim[]> => {
    if (mailer === null) {
      metrics.kept.inc(await markMailsNotSent(sql))
      return []
    }
    return claimMails(sql, claimRequestOf('mail'), now())
  }

  const send = async (): Promise<void> => {
    for (const { kind } of await failExpired(sql, expiredPerSweep, now())) metrics.dead.inc({ kind })
    await capabilities.beforeClaim?.()
    for (const claim of [...(await claimChannels()), ...(await claimMail())]) start(claim)
  }

  let measuredAtMs = Number.NEGATIVE_INFINITY
  loop = keepLooping(log, {
    what: 'messages cannot be claimed',
    round: async () => {
      if (await isAnyOpen(sql)) await send()
      if (Math.abs(now() - measuredAtMs) < measureMs) return
      measuredAtMs = now()
      await measure({ sql, metrics, now }, waitingMax)
    },
    everyMs: pollMs,
  })
  const { close } = loop
  return {
    close: async () => {
      await close()
      await listening.close()
      const cut = setTimeout(
        () => stop.abort(new Error('the control plane stops')),
        capabilities.finishMs ?? finishMsMax,
      )
      await Promise.all(inFlight.keys())
      clearTimeout(cut)
      mailer?.close()
    },
  }
}

type Measuring = Pick<DeliverContext, 'sql' | 'metrics' | 'now'>

/** Drops what is old or too much, and measures what waits. */
const measure = async (context: Measuring, waitingMax: number): Promise<void> => {
  const { sql, metrics, now } = context
  await pruneDeliveries(sql, now() - retentionMs, prunedPerSweep)
  await pruneTurns(sql, now() - turnsKeptMs)
  for (const accountId of await findAccountsOverLimit(sql, waitingMax)) {
    for (const { kind } of await dropExcess(sql, accountId, waitingMax)) metrics.dropped.inc({ kind })
  }
  const waiting = new Map((await measureWaiting(sql)).map((each) => [each.kind, each]))
  await measureAccounts(context, waiting)
  for (const kind of ['channel', 'mail'] as const) {
    const found = waiting.get(kind)
    metrics.waiting.set({ kind }, found?.count ?? 0)
    const oldestMs = found === undefined ? 0 : Math.max(0, now() - found.oldestMs)
    metrics.oldestSeconds.set({ kind }, oldestMs / 1000)
  }
}

const measureAccounts = async (
  { sql, metrics }: Measuring,
  waiting: ReadonlyMap<'mail' | 'channel', { count: number }>,
): Promise<void> => {
  const other = new Map([...waiting].map(([kind, { count }]) => [kind, count]))
  metrics.accountWaiting.reset()
  for (const { kind, accountId, count } of await findLargestWaiting(sql, ownersNamedMax)) {
    metrics.accountWaiting.set({ kind, account: accountId ?? 'none' }, count)
    other.set(kind, (other.get(kind) ?? 0) - count)
  }
  for (const [kind, count] of other) {
    if (count > 0) metrics.accountWaiting.set({ kind, account: 'other' }, count)
  }
}
