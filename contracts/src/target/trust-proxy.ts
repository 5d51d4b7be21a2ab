import { right, wrong, type Kind } from '@probe-mesh/runtime/setting'
import { parseAllowList } from './address.ts'
import { partsOf } from '@probe-mesh/runtime/parts-of'

const names = ['loopback', 'linklocal', 'uniquelocal']

/** Proxies with a trusted `X-Forwarded-For`: none, or names, addresses and CIDRs. */
export type TrustProxy = false | string[]

/** `TRUST_PROXY`, a comma-separated list. */
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
