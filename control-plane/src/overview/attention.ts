import type { Attention } from '@probe-mesh/contracts/overview/overview'
import type { Unreached } from '../alerts/reach.ts'
import type { AccountAttention } from './attention-store.ts'

type Found = Pick<Attention, 'count' | 'items'>

/** Things that need a person, worst first; empty kinds are left out. */
export const attentionOf = (
  account: AccountAttention,
  checks: { stale: Found; neverMeasured: Found; unreached: Unreached },
): Attention[] => {
  const { unreached } = checks
  const isSilent = !account.hasChannel && !unreached.mailsPeople
  const kinds: readonly [Attention['kind'], Found][] = [
    ['no_channel', isSilent ? unreached : none],
    ['no_receiver', isSilent ? none : unreached],
    ['channel_failing', account.failingChannels],
    ['stale', checks.stale],
    ['never_measured', checks.neverMeasured],
    ['certificate_expiring', account.certificates],
    ['domain_expiring', account.domains],
    ['channel_unverified', account.unverifiedChannels],
    ['never_pinged', account.neverPinged],
  ]
  return kinds.flatMap(([kind, { count, items }]) => (count === 0 ? [] : [{ kind, count, items }]))
}

const none: Found = { count: 0, items: [] }
