import type { Logger } from '@probe-mesh/bus/logger'
import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'

/** Logs once when the probe's resolver or network fails, and once when both work again. */
export type OwnFaultNotice = {
  /** The resolver answers for control names, or for none. */
  onResolver(works: boolean): void
  /** A canary was resolved and reached, or none was. */
  onNetwork(works: boolean): void
  /** The present fault, for the agent's reports; null: none. */
  fault(): NonNullable<AgentReport['ownFault']> | null
  close(): void
}

const consequence = 'failures do not count against targets until this is fixed'
/** Interval of new checks during a fault, ms: without failing targets nothing else checks it. */
export const recheckMs = 10_000
/** Interval of looks while nothing fails, ms: a fault must be known before a target fails. */
const lookMs = 300_000

/** @param recheck queries control names and canaries again, which clears the fault when they answer */
export const createOwnFaultNotice = ({
  log,
  now,
  recheck,
}: {
  log: Pick<Logger, 'info' | 'warn'>
  /** Unix ms */
  now: () => number
  recheck: () => Promise<unknown>
}): OwnFaultNotice => {
  let namesSince: number | null = null
  let networkSince: number | null = null
  let isClosed = false
  let timer: NodeJS.Timeout | null = null
  let isWatchingFault = false
  const isFailing = (): boolean => namesSince !== null || networkSince !== null

  /** @param ms until the next look */
  const schedule = (ms: number): void => {
    if (isClosed) return
    if (timer !== null) clearTimeout(timer)
    isWatchingFault = isFailing()
    const current = setTimeout(() => {
      void recheck()
        .catch(() => undefined)
        .then(() => {
          if (timer === current) schedule(isFailing() ? recheckMs : lookMs)
        })
    }, ms)
    timer = current.unref()
  }
  const watch = (): void => {
    if (isFailing() && !isWatchingFault) schedule(recheckMs)
  }
  const turn = (change: () => void, what: string): void => {
    const wasFailing = isFailing()
    change()
    if (!wasFailing && isFailing()) log.warn({}, `${what}: ${consequence}`)
    if (wasFailing && !isFailing()) log.info({}, 'the probe resolves names and reaches canaries again')
    watch()
  }
  schedule(recheckMs)
  return {
    onResolver: (works) =>
      turn(() => {
        namesSince = works ? null : (namesSince ?? now())
      }, 'the resolver of the probe does not answer for control names'),
    onNetwork: (works) =>
      turn(() => {
        networkSince = works ? null : (networkSince ?? now())
      }, 'the probe does not resolve or reach any canary'),
    fault: () => (isFailing() ? { namesSince, networkSince } : null),
    close: () => {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}
