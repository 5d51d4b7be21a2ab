import type { Answer } from 'dns-packet'
import { answering, startDnsServer } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { createResolver, type Resolver } from '../../request/resolve.ts'

/** A name server on loopback, and a resolver of an agent that queries it. */
type NameServer = {
  resolver: Resolver
  /** Sets the answer for a name: addresses, or another name for a CNAME. */
  set(name: string, to: readonly string[] | { alias: string }): void
  close(): Promise<void>
}

export const startNameServer = async (): Promise<NameServer> => {
  const names = new Map<string, readonly string[] | { alias: string }>()
  const answersOf = (name: string, type: string): Answer[] => {
    const to = names.get(name)
    if (to === undefined) return []
    if ('alias' in to) {
      return [{ name, type: 'CNAME', data: to.alias, ttl: 0 }, ...answersOf(to.alias, type)]
    }
    return to
      .filter((address) => address.includes(':') === (type === 'AAAA'))
      .map((data) => ({ name, type: type === 'AAAA' ? 'AAAA' : 'A', data, ttl: 0 }))
  }
  const server = await startDnsServer((asked) => {
    const { name, type } = asked.question
    asked.send(answering(asked, answersOf(name.toLowerCase(), type)))
  })
  const resolver = createResolver(() => ({ servers: [server.resolver] }))
  return {
    resolver,
    set: (name, to) => names.set(name, to),
    close: async () => {
      resolver.close()
      await server.close()
    },
  }
}
