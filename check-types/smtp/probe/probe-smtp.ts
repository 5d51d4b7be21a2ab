import type { X509Certificate } from 'node:crypto'
import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { smtpTargetProblem } from '../settings.ts'
import { parseHost } from '@probe-mesh/contracts/target/target'
import { unsafeTarget } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import { createStop, type Stop } from '@probe-mesh/probe-agent/src/request/stop'
import {
  unresolvedName,
  type Probe,
  type ProbeCapabilities,
  type ProbeContext,
} from '@probe-mesh/probe-agent/src/probes/probe'
import { hangUp } from '../../tcp/probe/hang-up.ts'
import { judgeFailure, up } from '@probe-mesh/probe-agent/src/judge/judgement'
import { isLocal, newWay, reach, type Way } from '@probe-mesh/probe-agent/src/request/reach'
import { shown } from '../../tcp/probe/received.ts'
import { runSession, type Session } from './session.ts'
import { startTls } from '@probe-mesh/probe-agent/src/request/start-tls'
import { identityOf } from '@probe-mesh/probe-agent/src/request/server-identity'
import { certificateProblem } from '@probe-mesh/probe-agent/src/judge/judge-options'

/** Observations of a server besides its timings. */
type Notes = {
  banner: string | null
  extensions: string[]
  tlsVersion: string | null
  certificateExpiresAt: number | null
  certificate: X509Certificate | null
}

/**
 * One smtp check: greeting, EHLO, TLS with a verified certificate, AUTH offered, QUIT, as the
 * settings require. It never sends mail.
 */
export const probeSmtp: Probe<SettingsAssignment<'smtp'>> = async (assignment, context, capabilities) => {
  const startedAt = performance.now()
  const way = newWay()
  const stop = createStop(context.signal, context.deadlineMs)
  const notes: Notes = {
    banner: null,
    extensions: [],
    tlsVersion: null,
    certificateExpiresAt: null,
    certificate: null,
  }
  try {
    const failure = await measure(assignment, { way, notes, stop }, context, capabilities)
    const { banner, extensions, tlsVersion, certificateExpiresAt, certificate } = notes
    return {
      trace: {
        answered: banner !== null,
        httpStatus: null,
        latencyMs: roundMs(performance.now() - startedAt),
        timings: way.timings,
        address: way.address,
        certificateExpiresAt,
        unresolved: unresolvedName(way.unresolved),
        unroutable: way.unroutable,
        certificate,
        details: { type: 'smtp', banner, extensions, tlsVersion },
      },
      judgement:
        failure !== null
          ? judgeFailure(failure)
          : (certificateProblem(notes, assignment.settings, { now: capabilities.now() }) ?? up),
    }
  } finally {
    stop.close()
    context.onConnected()
  }
}

const measure = async (
  { settings }: SettingsAssignment<'smtp'>,
  { way, notes, stop }: { way: Way; notes: Notes; stop: Stop },
  { deadlineMs, onConnected }: ProbeContext,
  capabilities: ProbeCapabilities,
): Promise<Failure | null> => {
  const parsed = parseHost(settings.host, capabilities)
  if (!parsed.ok || smtpTargetProblem(settings, capabilities) !== null) return unsafeTarget
  const { host, literal } = parsed
  const secure = identityOf({ host, literal: literal !== 0 }, settings, capabilities)
  if ('cause' in secure) return secure
  const connection = await reach({ host, literal, port: settings.port }, null, way, stop, capabilities)
  if ('failure' in connection) return connection.failure
  if (settings.security === 'none') onConnected()

  const { timings } = way
  const local = isLocal(way, capabilities)
  const session: Session = {
    socket: connection.socket,
    banner: null,
    greetedAt: null,
    extensions: [],
    inStep: false,
  }
  let spokenAt = performance.now()
  const failure = await runSession(session, settings, {
    stop,
    local,
    deadlineMs,
    secure: async (socket) => {
      const handshaken = await startTls(socket, secure, { local, stop })
      onConnected()
      notes.certificateExpiresAt = handshaken.certificateExpiresAt
      notes.certificate = handshaken.certificate
      if (handshaken.failure === null) {
        timings.tlsMs = handshaken.tlsMs
        notes.tlsVersion = handshaken.version
        if (settings.security === 'tls') spokenAt = performance.now()
      }
      return handshaken
    },
  })
  if (session.greetedAt !== null) timings.ttfbMs = roundMs(session.greetedAt - spokenAt)
  notes.banner = session.banner === null ? null : shown(Buffer.from(session.banner))
  notes.extensions = [...session.extensions]
  if (session.inStep) hangUp(session.socket, 'QUIT\r\n')
  else session.socket.destroy()
  return failure
}
