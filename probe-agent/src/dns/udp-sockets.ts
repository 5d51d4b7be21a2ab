import { codeOf } from '@probe-mesh/runtime/errors'
import { createSocket, type Socket } from 'node:dgram'
import { randomInt } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { ResolverAddress } from '@probe-mesh/contracts/target/dns-target'
import { createQuery, type Query } from './query.ts'
import type { Question } from './message.ts'

/** One sent query, as long as an answer is wanted. */
export type Sent = { forget(): void }

/** What waits for the answer of a sent query. */
type Waiter = {
  /** A datagram with the query's id; it may be anything else. */
  onDatagram(query: Query, bytes: Buffer): void
  onError(code: string): void
}

/** Sockets to one server. */
export type UdpSockets = {
  send(question: Question, waiter: Waiter): Sent
  /** Open sockets. */
  readonly open: number
  /** Ends all; those that wait are told `ECANCELLED`. */
  close(): void
}

export type UdpCounts = {
  sent: number
  /** Datagrams from the server's address and port with an id that nobody waits for, or too long ones. */
  stray: number
}

/**
 * A forged answer must hit the id, the question and the port of a query while it waits (RFC 5452). So each query has a
 * random id and one of several ports, each random and soon given up.
 */
const udpBounds = { portsMax: 4, queriesOfPortMax: 64, portMsMax: 5_000 }

/** Servers send at most 512 octets without EDNS (RFC 1035 4.2.1); much larger datagrams are ignored. */
export const datagramBytesMax = 4_096

type Port = {
  socket: Socket
  waiting: Map<number, { query: Query; waiter: Waiter }>
  sent: number
  openedAt: number
  /** Messages that wait for the connection; null: it is there. */
  unsent: Buffer[] | null
}

/**
 * Sockets are connected, so that the system passes on datagrams of the server only, and tells that it refuses them. They
 * do not keep the process alive.
 */
export const createUdpSockets = (
  { address, port: serverPort }: ResolverAddress,
  counts: UdpCounts,
  bounds = udpBounds,
): UdpSockets => {
  const slots: (Port | undefined)[] = []
  const open = new Set<Port>()
  let sweeper: NodeJS.Timeout | null = null

  const closePort = (port: Port): void => {
    if (open.delete(port)) port.socket.close()
    const slot = slots.indexOf(port)
    if (slot >= 0) slots[slot] = undefined
  }
  const isSpent = ({ sent, openedAt }: Port): boolean =>
    sent >= bounds.queriesOfPortMax || performance.now() - openedAt >= bounds.portMsMax
  const closeIfSpent = (port: Port): void => {
    if (port.waiting.size === 0 && isSpent(port)) closePort(port)
  }
  const fail = (port: Port, code: string): void => {
    const waiting = [...port.waiting.values()]
    port.waiting.clear()
    closePort(port)
    for (const { waiter } of waiting) waiter.onError(code)
  }
  const sweep = (): void => {
    sweeper = null
    for (const port of open) closeIfSpent(port)
    startSweeper()
  }
  const startSweeper = (): void => {
    if (open.size > 0 && sweeper === null) sweeper = setTimeout(sweep, bounds.portMsMax).unref()
  }

  const openPort = (): Port => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4').unref()
    const port: Port = { socket, waiting: new Map(), sent: 0, openedAt: performance.now(), unsent: [] }
    open.add(port)
    startSweeper()
    socket.on('error', (error) => fail(port, codeOf(error)))
    socket.on('message', (bytes) => {
      const found = bytes.length < 2 ? undefined : port.waiting.get(bytes.readUInt16BE(0))
      if (found === undefined || bytes.length > datagramBytesMax) counts.stray += 1
      else found.waiter.onDatagram(found.query, bytes)
    })
    socket.once('connect', () => {
      const unsent = port.unsent ?? []
      port.unsent = null
      // it may have been closed in between, and a closed socket throws
      if (!open.has(port)) return
      for (const bytes of unsent) transmit(port, bytes)
    })
    socket.connect(serverPort, address)
    return port
  }
  const transmit = (port: Port, bytes: Buffer): void =>
    port.socket.send(bytes, (error) => {
      if (error) fail(port, codeOf(error))
    })
  const pickPort = (): Port => {
    const slot = randomInt(bounds.portsMax)
    const known = slots[slot]
    if (known !== undefined && !isSpent(known)) return known
    const port = openPort()
    slots[slot] = port
    if (known !== undefined) closeIfSpent(known)
    return port
  }

  return {
    get open() {
      return open.size
    },
    send: (question, waiter) => {
      const port = pickPort()
      let query = createQuery(question)
      while (port.waiting.has(query.id)) query = createQuery(question)
      port.waiting.set(query.id, { query, waiter })
      port.sent += 1
      counts.sent += 1
      if (port.unsent === null) transmit(port, query.bytes)
      else port.unsent.push(query.bytes)
      return {
        forget: () => {
          if (port.waiting.delete(query.id)) closeIfSpent(port)
        },
      }
    },
    close: () => {
      if (sweeper !== null) clearTimeout(sweeper)
      for (const port of open) fail(port, 'ECANCELLED')
    },
  }
}
