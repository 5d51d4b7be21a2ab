import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Socket } from 'node:net'
import { parseHost } from '@probe-mesh/contracts/target/target'
import { tcpTargetProblem, type TcpSettings } from '../settings.ts'
import { failureOf, stopped, unsafeTarget, within } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import { createStop, type Stop } from '@probe-mesh/probe-agent/src/request/stop'
import {
  unresolvedName,
  type Probe,
  type ProbeCapabilities,
  type ProbeContext,
} from '@probe-mesh/probe-agent/src/probes/probe'
import { converse, type Conversation } from './converse.ts'
import { hangUp } from './hang-up.ts'
import { judgeFailure, up } from '@probe-mesh/probe-agent/src/judge/judgement'
import { isLocal, newWay, reach, type Way } from '@probe-mesh/probe-agent/src/request/reach'
import { shown } from './received.ts'
import { negotiate, protocols } from './start-tls/negotiate.ts'
import { certificateProblem } from '@probe-mesh/probe-agent/src/judge/judge-options'
import type { Secure } from '@probe-mesh/probe-agent/src/request/connect'
import { identityOf } from '@probe-mesh/probe-agent/src/request/server-identity'
import { startTls } from '@probe-mesh/probe-agent/src/request/start-tls'
import { quote } from '@probe-mesh/probe-agent/src/judge/quote'

const target = (cause: string, reason: string): Failure => ({ cause, fault: 'target', reason })

/** All received data, or its first 4 KB, lacks the expected text. */
const expectMismatch = (expected: string, received: string): Failure =>
  target('expect_mismatch', `expected to receive ${quote(expected)}, got ${quote(received)}`)

/** The server closed the connection without sending anything. */
const tcpClosed = (expected: string): Failure =>
  target('tcp_closed', `expected to receive ${quote(expected)}, but the connection was closed`)

/**
 * @param received data so far; empty: none
 */
const expectTimeout = (expected: string, received: string, deadlineMs: number): Failure => {
  const got = received === '' ? 'nothing' : quote(received)
  return target('expect_timeout', `expected to receive ${quote(expected)} ${within(deadlineMs)}, got ${got}`)
}

/**
 * One tcp check: a connection, the text to send, and the expected text within the first 4 KB
 * received. Without a text to send or expect, the connection alone makes it up.
 */
export const probeTcp: Probe<SettingsAssignment<'tcp'>> = async ({ settings }, context, capabilities) => {
  const startedAt = performance.now()
  const way = newWay()
  const stop = createStop(context.signal, context.deadlineMs)
  try {
    const { failure, conversation, tlsVersion } = await measure(settings, way, stop, context, capabilities)
    const expiring = certificateProblem(way, settings, { now: capabilities.now() })
    if (conversation !== null) way.timings.ttfbMs = conversation.ttfbMs
    const received = conversation === null ? null : shown(conversation.received)
    return {
      trace: {
        answered: failure === null || received !== null,
        httpStatus: null,
        latencyMs: roundMs(performance.now() - startedAt),
        timings: way.timings,
        address: way.address,
        certificateExpiresAt: way.certificateExpiresAt,
        certificate: way.certificate,
        unresolved: unresolvedName(way.unresolved),
        unroutable: way.unroutable,
        details: { type: 'tcp', received, ...(tlsVersion !== null && { tlsVersion }) },
      },
      judgement: failure === null ? (expiring ?? up) : judgeFailure(failure),
    }
  } finally {
    stop.close()
    context.onConnected()
  }
}

type Measured = { failure: Failure | null; conversation: Conversation | null; tlsVersion: string | null }

const failed = (failure: Failure): Measured => ({ failure, conversation: null, tlsVersion: null })

const measure = async (
  settings: TcpSettings,
  way: Way,
  stop: Stop,
  { deadlineMs, onConnected }: ProbeContext,
  guard: ProbeCapabilities,
): Promise<Measured> => {
  const host = parseHost(settings.host, guard)
  if (!host.ok || tcpTargetProblem(settings, guard) !== null) {
    return failed(unsafeTarget)
  }
  const { security } = settings
  const identity =
    security === undefined ? null : identityOf({ ...host, literal: host.literal !== 0 }, settings, guard)
  if (identity !== null && 'cause' in identity) return failed(identity)
  const connection = await reach({ ...host, port: settings.port }, null, way, stop, guard)
  if ('failure' in connection) return failed(connection.failure)
  const tools = { stop, local: isLocal(way, guard), deadlineMs }
  const asked = { security, identity, domain: settings.serverName ?? host.host }
  const secured = await secure(connection.socket, asked, way, tools)
  onConnected()
  if ('cause' in secured) return failed(secured)
  const { socket, tlsVersion, farewell } = secured
  const conversation = await converse(socket, settings, stop)
  const failure = failureIn(conversation, settings.expect ?? '', deadlineMs, tools.local)
  // a farewell would be a part of what the check sends
  if (failure === null) hangUp(socket, settings.send === null ? farewell : '')
  else socket.destroy()
  return { failure, conversation, tlsVersion }
}

type Secured = { socket: Socket; tlsVersion: string | null; farewell: string }

/** Starts TLS as the settings say, from the first byte or by the command of a protocol. */
const secure = async (
  plain: Socket,
  { security, identity, domain }: Pick<TcpSettings, 'security'> & { identity: Secure | null; domain: string },
  way: Way,
  tools: { stop: Stop; local: boolean; deadlineMs: number },
): Promise<Secured | Failure> => {
  if (security === undefined || identity === null) return { socket: plain, tlsVersion: null, farewell: '' }
  const protocol = security === 'tls' ? null : protocols[security]
  const failure = protocol === null ? null : await negotiate(plain, { protocol, domain }, tools)
  if (failure !== null) {
    plain.destroy()
    return failure
  }
  const handshaken = await startTls(plain, identity, tools)
  way.certificateExpiresAt = handshaken.certificateExpiresAt
  way.certificate = handshaken.certificate
  if (handshaken.failure !== null) return handshaken.failure
  const { socket, version, tlsMs } = handshaken
  way.timings.tlsMs = tlsMs
  return { socket, tlsVersion: version, farewell: protocol?.farewell ?? '' }
}

const failureIn = (
  { ending, received }: Conversation,
  expected: string,
  deadlineMs: number,
  local: boolean,
): Failure | null => {
  const text = received.toString('utf8')
  switch (ending.kind) {
    case 'satisfied':
      return null
    case 'full':
      return expectMismatch(expected, text)
    case 'closed':
      return text === '' ? tcpClosed(expected) : expectMismatch(expected, text)
    case 'deadline':
      return expectTimeout(expected, text, deadlineMs)
    case 'stopped':
      return stopped
    case 'error':
      return failureOf('ttfb', ending.code, { local })
    default:
      return ending satisfies never
  }
}
