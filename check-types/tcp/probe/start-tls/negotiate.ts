import { codeOf } from '@probe-mesh/runtime/errors'
import type { Socket } from 'node:net'
import { quote } from '@probe-mesh/probe-agent/src/judge/quote'
import { failureOf, stopped, within } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import type { Stop } from '@probe-mesh/probe-agent/src/request/stop'
import type { TcpSecurity } from '../../settings.ts'
import { ldap } from './ldap.ts'
import { imap, pop3 } from './mail.ts'
import { postgres } from './postgres.ts'
import type { Heard, StartTlsProtocol, Step } from './reply.ts'
import { xmpp } from './xmpp.ts'

/** How each protocol starts TLS (S-550). */
export const protocols: Readonly<Record<Exclude<TcpSecurity, 'tls'>, StartTlsProtocol>> = {
  imap,
  pop3,
  postgres,
  ldap,
  xmpp,
}

/** The longest reply before TLS: features of XMPP have 2 KB, greetings less. */
const replyBytesMax = 8 * 1024
const quotedBytesMax = 240

const target = (cause: string, reason: string): Failure => ({ cause, fault: 'target', reason })

const starttlsMissing = (name: string): Failure =>
  target('starttls_missing', `the ${name} server does not offer TLS on this port`)

/**
 * Data that came unencrypted behind the reply that starts TLS: an attacker on the way could have added it, as text of
 * the secured server (CVE-2011-0411, CVE-2021-23222).
 */
const injected = (extra: string): Failure =>
  target('starttls_injection', `unencrypted data before TLS started: ${quote(extra)}`)

const unasked = ({ awaited }: Pick<Step, 'awaited'>, extra: string): Failure =>
  target('starttls_bad_reply', `unexpected data after the ${awaited}: ${quote(extra)}`)

type Tools = { stop: Stop; local: boolean; deadlineMs: number }

/**
 * Leads a server to the start of TLS, without any data behind its last reply.
 * @param domain the name that the server is asked for
 * @returns null when the handshake may begin
 */
export const negotiate = async (
  socket: Socket,
  { protocol, domain }: { protocol: StartTlsProtocol; domain: string },
  tools: Tools,
): Promise<Failure | null> => {
  const steps = protocol.steps(domain)
  let behind: Buffer = Buffer.alloc(0)
  for (const [index, step] of steps.entries()) {
    const heard = await take(socket, step, behind, tools)
    if ('failure' in heard) return heard.failure
    const failure = failureIn(protocol, step, heard)
    if (failure !== null) return failure
    behind = heard.rest
    if (behind.length === 0 && socket.readableLength === 0) continue
    const extra = textOf(behind)
    if (index === steps.length - 1) return injected(extra)
    if (step.mayFollow?.test(behind.toString('latin1')) !== true) return unasked(step, extra)
  }
  return null
}

type Taken = { heard: Heard | { kind: 'full' | 'closed' }; received: Buffer; rest: Buffer }

const failureIn = (
  { name }: StartTlsProtocol,
  { awaited }: Step,
  { heard, received }: Taken,
): Failure | null => {
  switch (heard.kind) {
    case 'accepted':
      return null
    case 'missing':
      return starttlsMissing(name)
    case 'refused':
      return target('starttls_refused', refusalText(awaited, heard.text))
    case 'closed':
      return received.length === 0
        ? target('starttls_closed', `the connection was closed before the ${awaited}`)
        : target(
            'starttls_closed',
            `the connection was closed within the ${awaited}: ${quote(textOf(received))}`,
          )
    case 'full':
      return target('starttls_bad_reply', `the ${awaited} has more than ${replyBytesMax / 1024} KB`)
    case 'malformed':
    case 'partial':
      return target('starttls_bad_reply', `the ${awaited} is not valid ${name}: ${quote(textOf(received))}`)
    default:
      return heard satisfies never
  }
}

const refusalText = (awaited: string, text: string): string =>
  awaited === 'greeting'
    ? `the server refuses the connection: ${quote(text)}`
    : `the server refuses to start TLS: ${quote(text)}`

const textOf = (bytes: Buffer): string => bytes.subarray(0, quotedBytesMax).toString('utf8')

/** Sends a command and waits for its reply; the socket is paused before and after. */
const take = (
  socket: Socket,
  step: Step,
  behind: Buffer,
  { stop, local, deadlineMs }: Tools,
): Promise<Taken | { failure: Failure }> =>
  new Promise((resolve) => {
    let received = behind
    const end = (result: Taken | { failure: Failure }): void => {
      stop.during(null)
      socket.pause()
      socket.off('data', onData).off('end', onClosed).off('close', onClosed).off('error', onError)
      resolve(result)
    }
    const none = Buffer.alloc(0)
    const onClosed = (): void => end({ heard: { kind: 'closed' }, received, rest: none })
    const onError = (error: unknown): void => end({ failure: failureOf('ttfb', codeOf(error), { local }) })
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk.subarray(0, replyBytesMax + 1 - received.length)])
      const heard = step.read(received)
      if (heard.kind === 'accepted') {
        return end({ heard, received, rest: received.subarray(heard.bytes) })
      }
      if (heard.kind !== 'partial') return end({ heard, received, rest: none })
      if (received.length > replyBytesMax) end({ heard: { kind: 'full' }, received, rest: none })
    }
    socket.on('error', onError).on('close', onClosed).on('end', onClosed).on('data', onData)
    socket.resume()
    stop.during(() => {
      const isOurs = stop.failure('ttfb') === stopped
      const text = received.length === 0 ? `no ${step.awaited}` : `the ${step.awaited} was not complete`
      end({ failure: isOurs ? stopped : target('starttls_timeout', `${text} ${within(deadlineMs)}`) })
    })
    if (socket.destroyed) return onClosed()
    if (step.send !== '') socket.write(step.send, 'latin1')
  })
