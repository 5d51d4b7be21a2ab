import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import packet, { type Answer, type Packet, type Question } from 'dns-packet'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'

/** A received query, and the ways to answer it: correctly, or with arbitrary bytes. */
export type DnsQuery = {
  id: number
  question: Question
  via: 'udp' | 'tcp'
  /** Sends one datagram, or one message with a length prefix. */
  send(message: Packet | Buffer): void
  /** The client. */
  from: { address: string; port: number }
  /** The connection, to write invalid data to it. */
  socket: Socket | null
}

type DnsServer = {
  port: number
  /** `127.0.0.1:port`, as in settings. */
  resolver: string
  /** The queries in order, such as `udp A example.org`. */
  queries: string[]
  close(): Promise<void>
}

/**
 * A server on loopback that listens on one port for UDP and TCP, with answers of a test.
 * @param port 0: any that is free for both
 * @param address of loopback
 */
export const startDnsServer = async (
  reply: (query: DnsQuery) => void,
  port = 0,
  address = '127.0.0.1',
): Promise<DnsServer> => {
  const queries: string[] = []
  const take = (message: Buffer, rest: Omit<DnsQuery, 'id' | 'question'>): void => {
    const { id = 0, questions } = packet.decode(message)
    const [question] = questions ?? []
    if (question === undefined) throw new Error('a query without a question')
    queries.push(`${rest.via} ${question.type} ${question.name}`)
    reply({ id, question, ...rest })
  }
  const sockets = new Set<Socket>()
  const tcp = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
      const message = received.subarray(2)
      received = Buffer.alloc(0)
      const from = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 }
      const send = (answer: Packet | Buffer): void => void socket.write(framed(answer))
      take(message, { via: 'tcp', from, socket, send })
    })
  })
  const udp = await listenOnBoth(tcp, port, address)
  udp.on('message', (message, from) => {
    const send = (answer: Packet | Buffer): void => {
      udp.send(bytesOf(answer), from.port, from.address)
    }
    take(message, { via: 'udp', from, socket: null, send })
  })
  return {
    port: portOf(tcp),
    resolver: `${address}:${portOf(tcp)}`,
    queries,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      tcp.close()
      udp.close()
      await once(tcp, 'close')
    },
  }
}

const portsTried = 20

/** A port that is free for TCP may be in use for UDP; then another is tried. */
const listenOnBoth = async (tcp: net.Server, port: number, address: string) => {
  for (let tried = 1; ; tried += 1) {
    tcp.listen(port, address)
    await once(tcp, 'listening')
    const udp = createSocket('udp4')
    try {
      udp.bind(portOf(tcp), address)
      await once(udp, 'listening')
      return udp
    } catch (error) {
      tcp.close()
      await once(tcp, 'close')
      if (tried === portsTried) throw error
    }
  }
}

const bytesOf = (message: Packet | Buffer): Buffer =>
  Buffer.isBuffer(message) ? message : packet.encode(message)

const framed = (message: Packet | Buffer): Buffer => {
  const bytes = bytesOf(message)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** @param rcode 0 NOERROR, 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED */
export const answering = (
  { id, question }: Pick<DnsQuery, 'id' | 'question'>,
  answers: Answer[],
  rcode = 0,
): Packet => ({
  type: 'response',
  id,
  flags: packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | rcode,
  questions: [question],
  answers,
})

/** Answers with these records; over UDP an answer over 512 octets is truncated and marked so. */
export const serving =
  (answers: Answer[]) =>
  (query: DnsQuery): void => {
    const whole = answering(query, answers)
    const fits = query.via === 'tcp' || packet.encode(whole).length <= 512
    query.send(fits ? whole : truncated(query))
  }

export const truncated = (query: DnsQuery): Packet => {
  const empty = answering(query, [])
  return { ...empty, flags: (empty.flags ?? 0) | packet.TRUNCATED_RESPONSE }
}
