import { pause } from '@probe-mesh/bus/pause'
import type { Registry } from 'prom-client'
import { listen } from '../postgres/listen.ts'
import {
  buryExpired,
  keepMails,
  measureWaiting,
  pruneDeliveries,
} from '../postgres/open-deliveries.ts'
import { claimChannelDeliveries, claimMails } from '../postgres/outgoing-deliveries.ts'
import type { ChannelClaim, MailClaim } from '../postgres/outgoing-deliveries.ts'
import { deliver } from './deliver.ts'
import type { DeliverContext } from './deliver.ts'
import { deliveryMetrics } from './delivery-metrics.ts'

/** How long a message may wait when its notification was lost, or its time to be tried has come. */
const pollMs = 1_000
const inFlightMax = { channel: 64, mail: 5 } as const
/** Channels of one account in flight: the slow receivers of one leave room for the others. */
const perAccountMax = 16
const attemptMsMax = { channel: 10_000, mail: 30_000 } as const
/** Longer than a try and its notes take: a claim that runs out belongs to a process that is gone. */
const claimMsMore = 20_000
const finishMsMax = 5_000
const expiredPerSweep = 500
const keptMs = 30 * 86_400_000
const prunedPerSweep = 1_000
const measureMs = 10_000

export type Deliverer = { close(): Promise<void> }

/**
 * Sends messages to people and their systems, at least once each, under an id that stays. Claims what
 * is due, bounded by kind, channel and account; what fails is tried again, until it is refused or no
 * longer worth sending. Any number of control planes share the work.
 */
export const startDeliverer = async (
  capabilities: Omit<DeliverContext, 'metrics'> & {
    registry: Registry
    attemptMs?: Readonly<Record<'channel' | 'mail', number>>
    /** What is in flight at the end may finish for so long; the rest is given back. */
    finishMs?: number
  },
): Promise<Deliverer> => {
  const { sql, mailer, log, now } = capabilities
  const attemptMs = capabilities.attemptMs ?? attemptMsMax
  const metrics = deliveryMetrics(capabilities.registry)
  const context = { ...capabilities, metrics }
  const closing = new AbortController()
  const stop = new AbortController()
  let wake = new AbortController()
  const inFlight = new Map<Promise<void>, MailClaim | ChannelClaim>()
  const listening = await listen(sql, 'deliveries', {
    onNotify: () => wake.abort(),
    onConnected: () => wake.abort(),
  })
  closing.signal.addEventListener('abort', () => wake.abort(), { once: true })

  const start = (claim: MailClaim | ChannelClaim): void => {
    const running = deliver(context, claim, {
      stop: stop.signal,
      attemptMsMax: attemptMs[claim.kind],
    })
      .catch((error: unknown) => {
        log.warn(
          { err: error, deliveryId: claim.id },
          'a try could not be noted; its claim runs out',
        )
      })
      .finally(() => {
        inFlight.delete(running)
        wake.abort()
      })
    inFlight.set(running, claim)
  }

  const held = <K extends 'channel' | 'mail'>(
    kind: K,
  ): Extract<MailClaim | ChannelClaim, { kind: K }>[] =>
    [...inFlight.values()].filter(
      (claim): claim is Extract<MailClaim | ChannelClaim, { kind: K }> => claim.kind === kind,
    )

  const claimChannels = async (): Promise<ChannelClaim[]> => {
    const claims = held('channel')
    const limit = inFlightMax.channel - claims.length
    if (limit <= 0) return []
    const accounts = Map.groupBy(claims, (claim) => claim.accountId)
    const fullAccounts = [...accounts].flatMap(([id, of]) => (of.length < perAccountMax ? [] : id))
    const claimMs = attemptMs.channel + claimMsMore
    const options = { limit, claimMs, held: claims.map(idOf), perAccountMax, fullAccounts }
    return claimChannelDeliveries(sql, options, now())
  }

  const claimLetters = async (): Promise<MailClaim[]> => {
    if (mailer === null) {
      metrics.kept.inc(await keepMails(sql))
      return []
    }
    const claims = held('mail')
    const limit = inFlightMax.mail - claims.length
    if (limit <= 0) return []
    const claimMs = attemptMs.mail + claimMsMore
    return claimMails(sql, { limit, claimMs, held: claims.map(idOf) }, now())
  }

  let measuredAtMs = Number.NEGATIVE_INFINITY
  const measure = async (): Promise<void> => {
    if (Math.abs(now() - measuredAtMs) < measureMs) return
    measuredAtMs = now()
    await pruneDeliveries(sql, now() - keptMs, prunedPerSweep)
    const waiting = new Map((await measureWaiting(sql)).map((each) => [each.kind, each]))
    for (const kind of ['channel', 'mail'] as const) {
      const found = waiting.get(kind)
      metrics.waiting.set({ kind }, found?.count ?? 0)
      const oldestMs = found === undefined ? 0 : Math.max(0, now() - found.oldestMs)
      metrics.oldestSeconds.set({ kind }, oldestMs / 1000)
    }
  }

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      wake = new AbortController()
      try {
        for (const { kind } of await buryExpired(sql, expiredPerSweep, now())) {
          metrics.dead.inc({ kind })
        }
        for (const claim of [...(await claimChannels()), ...(await claimLetters())]) start(claim)
        await measure()
      } catch (error) {
        log.warn({ err: error }, 'messages cannot be claimed; trying again')
      }
      if (!closing.signal.aborted) await pause(pollMs, wake.signal)
    }
  }
  const running = run()
  return {
    close: async () => {
      closing.abort()
      await running
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

const idOf = ({ id }: MailClaim | ChannelClaim): string => id
