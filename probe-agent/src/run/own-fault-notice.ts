import type { Logger } from '@probe-mesh/bus/logger'

/** Tells the operator once when the probe cannot see, and once when it can again. */
export type OwnFaultNotice = {
  /** The resolver answers for control names, or for none of them. */
  onResolver(works: boolean): void
  /** A canary is resolved and reached, or none is. */
  onNetwork(works: boolean): void
}

const consequence = 'failures are not counted against targets until it does again'

export const createOwnFaultNotice = (log: Pick<Logger, 'info' | 'warn'>): OwnFaultNotice => {
  let isFailing = false
  const fail = (what: string): void => {
    if (!isFailing) log.warn({}, `${what}: ${consequence}`)
    isFailing = true
  }
  return {
    onResolver: (works) => {
      // that the resolver works again shows with the canaries, or is not all
      if (!works) fail('the resolver of the probe does not answer for control names')
    },
    onNetwork: (works) => {
      if (!works) return fail('the probe does not resolve or reach any canary')
      if (isFailing) log.info({}, 'the probe resolves and reaches its canaries again')
      isFailing = false
    },
  }
}
