import { codeOf } from '@probe-mesh/runtime/errors'
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { ResolverAddress } from '@probe-mesh/contracts/target/dns-target'
import { failureOf } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import type { Stop } from '@probe-mesh/probe-agent/src/request/stop'
import { datagramBytesMax } from '@probe-mesh/probe-agent/src/dns/udp-sockets'
import { answerTo, createQuery, type Answer } from '@probe-mesh/probe-agent/src/dns/query'
import type { Question } from '@probe-mesh/probe-agent/src/dns/message'
import { resolverFlood, resolverSilent } from './resolver-failure.ts'

export type QueryContext = {
  stop: Stop
  /** The attempt's deadline, for texts, ms. */
  deadlineMs: number
  /** Delay of the one retransmission, ms. */
  retransmitMs: number
  /** Whether the operator allowed the resolver's address. */
  local: boolean
  onConnected(): void
}

export type QueryResult = { ok: true; answer: Answer } | { ok: false; failure: Failure }

/** Parsing costs time; the answer is among the first datagrams. */
export const ignoredMax = 100

/**
 * Queries once over UDP from a fresh connected socket on a random port: only datagrams from the
 * resolver arrive, and those that are not the answer are ignored.
 */
export const queryOverUdp = (
  question: Question,
  { address, port }: ResolverAddress,
  { stop, deadlineMs, retransmitMs, local, onConnected }: QueryContext,
): Promise<QueryResult | 'truncated'> =>
  new Promise((resolve) => {
    const query = createQuery(question)
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    let timer: NodeJS.Timeout | undefined
    let ignored = 0
    let done = false
    const settle = (result: QueryResult | 'truncated'): void => {
      if (done) return
      done = true
      clearTimeout(timer)
      stop.during(null)
      socket.close()
      resolve(result)
    }
    const fail = (failure: Failure): void => settle({ ok: false, failure })
    const onError = (error: Error | null | undefined): void => {
      if (error) fail(failureOf('connect', codeOf(error), { local }))
    }
    const send = (): void => {
      if (!done) socket.send(query.bytes, onError)
    }
    socket.on('error', onError)
    socket.on('message', (bytes) => {
      if (done) return
      const answer = bytes.length > datagramBytesMax ? 'ignored' : answerTo(query, bytes)
      if (answer === 'truncated') settle(answer)
      else if (answer !== 'ignored') settle({ ok: true, answer })
      else if (++ignored > ignoredMax) fail(resolverFlood)
    })
    socket.once('connect', () => {
      onConnected()
      send()
      timer = setTimeout(send, retransmitMs)
    })
    stop.during(() => {
      const reached = stop.failure('ttfb')
      fail(reached.fault === 'probe' ? reached : resolverSilent(deadlineMs, ignored))
    })
    if (!done) socket.connect(port, address)
  })
