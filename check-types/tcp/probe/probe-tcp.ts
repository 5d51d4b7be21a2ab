import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { parseHost } from '@probe-mesh/contracts/target/target'
import { tcpTargetProblem, type TcpSettings } from '../settings.ts'
import { failureOf, stopped, unsafeTarget, within } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import { createStop, type Stop } from '@probe-mesh/probe-agent/src/request/stop'
import type { Guard } from '@probe-mesh/probe-agent/src/request/guard'
import { unresolvedName, type Probe, type ProbeContext } from '@probe-mesh/probe-agent/src/probes/probe'
import { converse, type Conversation } from './converse.ts'
import { hangUp } from './hang-up.ts'
import { judgeFailure, up } from '@probe-mesh/probe-agent/src/judge/judgement'
import { isLocal, newWay, reach, type Way } from '@probe-mesh/probe-agent/src/request/reach'
import { shown } from './received.ts'
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
    const { failure, conversation } = await measure(settings, way, stop, context, capabilities)
    if (conversation !== null) way.timings.ttfbMs = conversation.ttfbMs
    const received = conversation === null ? null : shown(conversation.received)
    return {
      trace: {
        answered: failure === null || received !== null,
        httpStatus: null,
        latencyMs: roundMs(performance.now() - startedAt),
        timings: way.timings,
        address: way.address,
        certificateExpiresAt: null,
        unresolved: unresolvedName(way.unresolved),
        unroutable: way.unroutable,
        details: { type: 'tcp', received },
      },
      judgement: failure === null ? up : judgeFailure(failure),
    }
  } finally {
    stop.close()
    context.onConnected()
  }
}

type Measured = { failure: Failure | null; conversation: Conversation | null }

const measure = async (
  settings: TcpSettings,
  way: Way,
  stop: Stop,
  { deadlineMs, onConnected }: ProbeContext,
  guard: Guard,
): Promise<Measured> => {
  const host = parseHost(settings.host, guard)
  if (!host.ok || tcpTargetProblem(settings, guard) !== null) {
    return { failure: unsafeTarget, conversation: null }
  }
  const connection = await reach({ ...host, port: settings.port }, null, way, stop, guard)
  onConnected()
  if ('failure' in connection) return { failure: connection.failure, conversation: null }
  const { socket } = connection
  const conversation = await converse(socket, settings, stop)
  const failure = failureIn(conversation, settings.expect ?? '', deadlineMs, isLocal(way, guard))
  if (failure === null) hangUp(socket)
  else socket.destroy()
  return { failure, conversation }
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
