import { parseAllowList, type AllowList } from '@probe-mesh/contracts/target/address'
import { createTrust } from '../connect.ts'
import type { RequestCapabilities } from '../hop.ts'
import type { Outcome } from '../outcome.ts'
import { request, type RequestInput } from '../request.ts'
import type { Resolver } from '../resolve.ts'
import { unlimited } from '../unlimited.ts'

export const allowing = (...cidrs: string[]): AllowList => {
  const parsed = parseAllowList(cidrs)
  if (!parsed.ok) throw new Error(parsed.problems.join())
  return parsed.allow
}

/** A resolver for these names; a text instead of addresses is its failure code. */
export const resolverOf = (names: Record<string, string[] | string>): Resolver => {
  const answer = async (name: string, wanted: (address: string) => boolean): Promise<string[]> => {
    const known = names[name] ?? 'ENOTFOUND'
    if (typeof known === 'string') throw Object.assign(new Error(known), { code: known })
    const addresses = known.filter(wanted)
    if (addresses.length === 0) throw Object.assign(new Error('no data'), { code: 'ENODATA' })
    return addresses
  }
  return {
    resolve4: (name) => answer(name, (address) => !address.includes(':')),
    resolve6: (name) => answer(name, (address) => address.includes(':')),
  }
}

const trust = createTrust()

/** One request to a server of the test, with only loopback allowed. */
export const ask = (
  url: string,
  { deadlineMs = 20_000, ...input }: Partial<RequestInput> = {},
  capabilities: Partial<RequestCapabilities> = {},
): Promise<Outcome> =>
  request(
    {
      url,
      isFinal: () => false,
      needsBody: () => true,
      judgesBody: true,
      signal: AbortSignal.timeout(deadlineMs),
      deadlineMs,
      onConnected: () => undefined,
      ...input,
    },
    {
      allow: allowing('127.0.0.0/8'),
      resolver: resolverOf({}),
      ownAddresses: () => new Set(),
      ...unlimited,
      trust,
      userAgent: 'ProbeMesh/test (+uptime monitoring)',
      sentRegion: null,
      ...capabilities,
    },
  )
