import { createSocket } from 'node:dgram'
import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import packet from 'dns-packet'
import type { Answer, Packet } from 'dns-packet'
import type { Resolver } from '../../request/resolve.ts'

/** A name server on loopback, and a resolver as agents use it that asks this one. */
export type NameServer = {
  resolver: Resolver
  /** What a name leads to from now on: addresses, or another name for a CNAME. */
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
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const asked = packet.decode(message)
    const [question] = asked.questions ?? []
    if (question === undefined) return
    const answer: Packet = {
      type: 'response',
      ...(asked.id === undefined ? {} : { id: asked.id }),
      flags: packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE,
      questions: [question],
      answers: answersOf(question.name.toLowerCase(), question.type),
    }
    socket.send(packet.encode(answer), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    resolver,
    set: (name, to) => names.set(name, to),
    close: async () => {
      resolver.cancel()
      socket.close()
      await once(socket, 'close')
    },
  }
}
