import type { Socket } from 'node:net'
import type { SmtpSettings } from '../settings.ts'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import type { Stop } from '@probe-mesh/probe-agent/src/request/stop'
import { extensionsOf, type Reply } from './reply.ts'
import {
  authMissing,
  bothRefused,
  refused,
  starttlsMissing,
  noReplyFailure,
  unexpectedData,
  type Phase,
} from './failures.ts'
import { readReply } from './read-reply.ts'
import type { Handshaken } from '@probe-mesh/probe-agent/src/request/start-tls'

/** State of an SMTP session. */
export type Session = {
  /** The connection, encrypted after TLS. */
  socket: Socket
  /** Text of the greeting; null before it. */
  banner: string | null
  /** When the greeting's first byte came, monotonic ms. */
  greetedAt: number | null
  extensions: readonly string[]
  /** Whether a command may be sent: the last reply was complete, and nothing followed it. */
  inStep: boolean
}

type SessionTools = {
  stop: Stop
  local: boolean
  deadlineMs: number
  /** Starts TLS on a socket; the caller records its result. */
  secure(socket: Socket): Promise<Handshaken>
}

/** The name of no host: the probe accepts no mail, and its own name is private. */
const clientName = 'probe-mesh.invalid'

/**
 * Runs the part of an SMTP session that needs no mail: greeting, EHLO, STARTTLS and EHLO again, the
 * offer of AUTH. It never starts a transaction.
 * @returns null when the server meets all settings
 */
export const runSession = async (
  session: Session,
  { security, requireAuth }: Pick<SmtpSettings, 'security' | 'requireAuth'>,
  tools: SessionTools,
): Promise<Failure | null> => {
  const secure = async (): Promise<Failure | null> => {
    session.inStep = false
    const handshaken = await tools.secure(session.socket)
    if (handshaken.failure === null) session.socket = handshaken.socket
    return handshaken.failure
  }
  const ehlo = async (phase: Phase): Promise<Failure | null> => {
    const reply = await exchange(session, phase, `EHLO ${clientName}`, 250, tools)
    if ('cause' in reply) return reply
    if (reply.code !== 250) return helo(reply)
    session.extensions = extensionsOf(reply)
    return null
  }
  /** A server without extensions is a mail server all the same (RFC 5321 3.2, S-553). */
  const helo = async (toEhlo: Reply): Promise<Failure | null> => {
    const reply = await exchange(session, 'HELO', `HELO ${clientName}`, 250, tools)
    return 'cause' in reply ? bothRefused(toEhlo, reply) : null
  }

  if (security === 'tls') {
    const failure = await secure()
    if (failure !== null) return failure
  }
  const greeting = await exchange(session, 'greeting', null, 220, tools)
  if ('cause' in greeting) return greeting
  const greeted = await ehlo('EHLO')
  if (greeted !== null) return greeted
  if (security === 'starttls') {
    if (!session.extensions.includes('STARTTLS')) return starttlsMissing
    const ready = await exchange(session, 'STARTTLS', 'STARTTLS', 220, tools)
    if ('cause' in ready) return ready
    const failure = (await secure()) ?? (await ehlo('EHLO after TLS'))
    if (failure !== null) return failure
  }
  return requireAuth && !session.extensions.includes('AUTH') ? authMissing : null
}

/** Any permanent refusal: servers without EHLO answer 500, 502 or whatever they have for an unknown command. */
const isPermanent = ({ code }: Reply): boolean => code >= 500

/** Sends one command, or none for the greeting, and waits for its reply: the expected one, or that EHLO is refused. */
const exchange = async (
  session: Session,
  phase: Phase,
  command: string | null,
  expected: number,
  tools: SessionTools,
): Promise<Reply | Failure> => {
  const { socket } = session
  session.inStep = false
  if (command !== null) socket.write(`${command}\r\n`)
  const result = await readReply(socket, tools.stop)
  if (result.kind !== 'reply') return noReplyFailure(phase, result, tools)
  const { reply, extra } = result
  if (phase === 'greeting') {
    session.banner = reply.lines.join(' ')
    session.greetedAt = result.firstByteAt
  }
  const mayFallBack = phase === 'EHLO' && isPermanent(reply)
  if (reply.code !== expected && !mayFallBack) {
    session.inStep = extra === ''
    return refused(phase, expected, reply)
  }
  if (extra !== '' || socket.readableLength > 0) return unexpectedData(phase, extra)
  session.inStep = true
  return reply
}
