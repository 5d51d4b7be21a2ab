import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { ResolverAddress } from '@probe-mesh/contracts/target/dns-target'
import { codeOf, failureOf } from '../../request/failure.ts'
import type { Failure } from '../../request/outcome.ts'
import type { Stop } from '../../request/stop.ts'
import { answerTo, createQuery } from './query.ts'
import type { Answer } from './query.ts'
import type { Question } from './message.ts'
import { resolverFlood, resolverSilent } from './resolver-failure.ts'

export type AskContext = {
  stop: Stop
  /** The attempt's deadline, for people, ms. */
  deadlineMs: number
  /** When the one retransmission is sent, ms after the first. */
  retransmitMs: number
  /** Whether the operator opened the resolver's address. */
  local: boolean
  onConnected(): void
}

export type Asked = { ok: true; answer: Answer } | { ok: false; failure: Failure }

/** Without EDNS servers send 512 octets at most (RFC 1035 4.2.1); what is far larger is not read. */
export const datagramBytesMax = 4_096

/** Each is looked at, which costs; an answer comes among the first. */
export const ignoredMax = 100

/**
 * Asks once over UDP from a fresh socket, connected, on a port of the system's choosing: only
 * datagrams from the resolver arrive, and what is not the answer is waited past.
 */
export const askOverUdp = (
  question: Question,
  { address, port }: ResolverAddress,
  { stop, deadlineMs, retransmitMs, local, onConnected }: AskContext,
): Promise<Asked | 'truncated'> =>
  new Promise((resolve) => {
    const query = createQuery(question)
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    let timer: NodeJS.Timeout | undefined
    let ignored = 0
    let done = false
    const settle = (asked: Asked | 'truncated'): void => {
      if (done) return
      done = true
      clearTimeout(timer)
      stop.during(null)
      socket.close()
      resolve(asked)
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
