import { parseAllowList } from '@probe-mesh/contracts/target/address'
import { partsOf } from './parts-of.ts'

const names = ['loopback', 'linklocal', 'uniquelocal']

/** Whose `X-Forwarded-For` counts: nobody's, or of what is named, addresses or CIDRs. */
export type TrustProxy = false | string[]

export const trustProxyRule = `must be off, ${names.join(', ')}, addresses or CIDRs`

/** `TRUST_PROXY`, commas between. @returns null where it is wrong */
export const parseTrustProxy = (value: string | null): TrustProxy | null => {
  if (value === null || value === 'off') return false
  const proxies = partsOf(value)
  return parseAllowList(proxies.filter((proxy) => !names.includes(proxy))).ok ? proxies : null
}
