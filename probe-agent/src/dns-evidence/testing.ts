import packet, { type Answer, type Packet } from 'dns-packet'
import { onTestFinished } from 'vitest'
import {
  answering,
  startDnsServer,
  type DnsQuery,
} from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { resolverOf } from '../request/testing/ask.ts'
import type { Resolver } from '../request/resolve.ts'
import { stopTime } from '../testing/stop-time.ts'

/**
 * The reply of a zone's server: silence, a response code, an address, an alias, or a delegation.
 */
export type Word =
  | 'silent'
  | { rcode: number; flags?: number }
  | { address: string; flags?: number }
  | { alias: string }
  | { zone: string; servers: Record<string, string | null> }

const authoritative = packet.AUTHORITATIVE_ANSWER

const replyTo = (asked: DnsQuery, word: Exclude<Word, 'silent'>): Packet => {
  const { name } = asked.question
  const said = (answers: Answer[], flags: number): Packet => ({
    ...answering(asked, answers),
    flags,
  })
  if ('rcode' in word) return said([], word.rcode | (word.flags ?? authoritative))
  if ('address' in word) {
    const record: Answer = { name, type: 'A', ttl: 5, data: word.address }
    return said([record], word.flags ?? authoritative)
  }
  if ('alias' in word) {
    return said([{ name, type: 'CNAME', ttl: 5, data: word.alias }], authoritative)
  }
  const servers = Object.entries(word.servers)
  return {
    ...said([], 0),
    authorities: servers.map(([data]) => ({ name: word.zone, type: 'NS', ttl: 5, data })),
    additionals: servers.flatMap(([name, data]) =>
      data === null ? [] : { name, type: 'A' as const, ttl: 5, data },
    ),
  }
}

/** Servers of zones, each on its own loopback address, all on one port. The limit of a silent one passes at once. */
export const startZones = async (words: Record<string, Word>) => {
  const asked: string[] = []
  const time = Object.values(words).includes('silent') ? stopTime() : null
  let port = 0
  for (const [address, word] of Object.entries(words)) {
    const server = await startDnsServer(
      (one) => {
        asked.push(`${address} ${one.question.type} ${one.question.name}`)
        if (word === 'silent') void time?.next()
        else one.send(replyTo(one, word))
      },
      port,
      address,
    )
    onTestFinished(server.close)
    ;({ port } = server)
  }
  return { port, asked }
}

/** A resolver that knows these names and these name servers of zones. */
export const resolverWith = (
  names: Record<string, string[] | string>,
  zones: Record<string, string[]>,
): Resolver & { asked: string[] } => {
  const inner = resolverOf(names)
  const asked: string[] = []
  return {
    asked,
    resolve4: (name) => {
      asked.push(`A ${name}`)
      return inner.resolve4(name)
    },
    resolve6: inner.resolve6,
    resolveNs: async (zone) => {
      asked.push(`NS ${zone}`)
      const servers = zones[zone]
      if (servers === undefined) throw Object.assign(new Error('none'), { code: 'ESERVFAIL' })
      return servers
    },
  }
}
