import { list, right, wrong, type Kind } from '@probe-mesh/runtime/setting'
import { parseAccountAllow } from './account-allow.ts'
import type { AllowList } from './address.ts'
import { parseDenyList, type DenyList } from './deny-list.ts'
import { parsePublicAddresses } from './public-addresses.ts'

// Settings for targets that several programs share.

const explained = (problems: readonly string[]) =>
  wrong(...problems.map((problem) => `is invalid: ${problem}`))

/** `TARGET_ALLOW` and `CHANNEL_ALLOW`. */
export const allowedTargets: Kind<AllowList> = list('CIDR, or CIDR@account id', (entries) => {
  const parsed = parseAccountAllow(entries)
  return parsed.ok ? right(parsed.allow) : explained(parsed.problems)
})

/** `BLOCKED_TARGETS` */
export const blockedTargets: Kind<DenyList> = list('host names and CIDRs', (entries) => {
  const parsed = parseDenyList(entries)
  return parsed.ok ? right(parsed.deny) : explained(parsed.problems)
})

/** `PUBLIC_ADDRESSES` */
export const publicAddresses: Kind<readonly string[]> = list('addresses and CIDRs', parsePublicAddresses)
