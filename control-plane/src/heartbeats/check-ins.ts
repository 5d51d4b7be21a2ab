import type { RateLimiter } from '@probe-mesh/runtime/rate-limiter'
import { nameOf } from './named-heartbeats.ts'
import type { PingAnswer, PingQueue } from './ping-queue.ts'
import type { Ping } from './ping.ts'

type CheckIn = { slug: string; status: keyof typeof kinds; runId: string | null }

const kinds = { in_progress: 'start', ok: 'success', error: 'fail' } as const satisfies Record<
  string,
  Ping['kind']
>

/**
 * Check-ins of Sentry SDKs are pings of the heartbeat with their slug, in the queue and within the rate of the others
 * (S-672).
 */
export const createCheckIns = ({
  queue,
  rate,
  now,
}: {
  queue: PingQueue
  rate: RateLimiter
  now: () => number
}) => ({
  take: async (
    accountId: string,
    { slug, status, runId }: CheckIn,
    network: string,
  ): Promise<PingAnswer | 'limited'> => {
    const pingKey = nameOf({ account: accountId, slug: slug.toLowerCase() })
    if (rate.take(pingKey) > 0) return 'limited'
    const ping = { kind: kinds[status], rid: runId, exitCode: null, message: null, atMs: now() }
    return queue.take({ pingKey, ...ping }, network)
  },
})
