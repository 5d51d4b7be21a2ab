import { right, wrong } from '@probe-mesh/runtime/setting'
import type { Kind } from '@probe-mesh/runtime/setting'
import { parseAllowList } from './address.ts'
import { partsOf } from '@probe-mesh/runtime/parts-of'

const names = ['loopback', 'linklocal', 'uniquelocal']

/** Whose `X-Forwarded-For` counts: nobody's, or of what is named, addresses or CIDRs. */
export type TrustProxy = false | string[]

/** `TRUST_PROXY`, commas between. */
export const trustProxy: Kind<TrustProxy> = {
  form: `off, or a list of ${names.join(', ')}, addresses and CIDRs`,
  parse: (text) => {
    if (text === 'off') return right(false)
    const proxies = partsOf(text)
    const addresses = proxies.filter((proxy) => !names.includes(proxy))
    return parseAllowList(addresses).ok
      ? right(proxies)
      : wrong(`must be off, ${names.join(', ')}, addresses or CIDRs`)
  },
}
