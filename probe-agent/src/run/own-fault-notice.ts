import type { Logger } from '@probe-mesh/bus/logger'
import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'

/** Tells the operator once when the probe cannot see, and once when it can again. */
export type OwnFaultNotice = {
  /** The resolver answers for control names, or for none of them. */
  onResolver(works: boolean): void
  /** A canary is resolved and reached, or none is. */
  onNetwork(works: boolean): void
  /** What does not work now, for the agents' reports; null where everything does. */
  fault(): NonNullable<AgentReport['ownFault']> | null
  close(): void
}

const consequence = 'failures are not counted against targets until it does again'
/** While something does not work it is looked at so often: where no target fails, nobody else asks. */
export const lookAgainMs = 10_000

/** @param lookAgain asks for control names and canaries anew, which turns this where they answer again */
export const createOwnFaultNotice = ({
  log,
  now,
  lookAgain,
}: {
  log: Pick<Logger, 'info' | 'warn'>
  /** Unix ms */
  now: () => number
  lookAgain: () => Promise<unknown>
}): OwnFaultNotice => {
  let namesSince: number | null = null
  let networkSince: number | null = null
  let isClosed = false
  let timer: NodeJS.Timeout | null = null
  const isFailing = (): boolean => namesSince !== null || networkSince !== null

  const watch = (): void => {
    if (timer !== null || isClosed || !isFailing()) return
    timer = setTimeout(() => {
      void lookAgain()
        .catch(() => undefined)
        .then(() => {
          timer = null
          watch()
        })
    }, lookAgainMs)
    timer.unref()
  }
  const turn = (change: () => void, what: string): void => {
    const wasFailing = isFailing()
    change()
    if (!wasFailing && isFailing()) log.warn({}, `${what}: ${consequence}`)
    if (wasFailing && !isFailing())
      log.info({}, 'the probe resolves and reaches what it must again')
    watch()
  }
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
