import type { Attention } from '@probe-mesh/contracts/overview/overview'
import type { AccountAttention } from './attention-store.ts'

type Found = Pick<Attention, 'count' | 'items'>

/** Things that need a person, worst first; empty kinds are left out. Pure. */
export const attentionOf = (
  account: AccountAttention,
  checks: { stale: Found; neverMeasured: Found },
): Attention[] => {
  const isSilent = !account.hasChannel && !account.mailsUsers
  const kinds: readonly [Attention['kind'], Found][] = [
    ['no_channel', isSilent ? ofAccount : none],
    ['no_receiver', !isSilent && !account.reachesAnybody ? ofAccount : none],
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
const ofAccount: Found = { count: 1, items: [] }
