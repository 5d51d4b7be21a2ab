import type { TLSSocket } from 'node:tls'
import { parseHost } from '@probe-mesh/contracts/target/target'
import { certificateProblem } from '@probe-mesh/probe-agent/src/judge/judge-options'
import { judgeFailure, type Judgement } from '@probe-mesh/probe-agent/src/judge/judgement'
import { noApplicationProtocol, noHttp2, unsafeTarget } from '@probe-mesh/probe-agent/src/request/failure'
import { isLocal, newWay, reach, type Way } from '@probe-mesh/probe-agent/src/request/reach'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import { identityOf } from '@probe-mesh/probe-agent/src/request/server-identity'
import { createStop, type Stop } from '@probe-mesh/probe-agent/src/request/stop'
import {
  unresolvedName,
  type ProbeCapabilities,
  type ProbeContext,
  type Trace,
} from '@probe-mesh/probe-agent/src/probes/probe'
import { call, type CallNotes } from './call.ts'
import { judgeCall, type Judged, type Wanted } from './judge-call.ts'
import { encodeRequest } from './message.ts'
import type { GrpcDetails } from '../reading/details.ts'

import { grpcTargetProblem, type GrpcSettings } from '../settings.ts'

/** What a probe needs of an assignment of the type. */
export type GrpcAsked = Wanted & { settings: GrpcSettings }

export type GrpcProbed = { trace: Omit<Trace, 'details'> & { details: GrpcDetails }; judgement: Judgement }

type Notes = CallNotes & { tlsVersion: string | null }

/** One grpc check: a connection of HTTP/2, and one call of `grpc.health.v1.Health/Check`. */
export const probeGrpc = async (
  asked: GrpcAsked,
  context: ProbeContext,
  capabilities: ProbeCapabilities,
): Promise<GrpcProbed> => {
  const startedAt = performance.now()
  const way = newWay()
  const stop = createStop(context.signal, context.deadlineMs)
  const notes: Notes = { received: 0, httpStatus: null, ttfbMs: null, transferMs: null, tlsVersion: null }
  try {
    const judged = await measure(asked, { way, notes, stop }, context, capabilities)
    const { status, code, message, judgement } = judged
    const { received, httpStatus, ttfbMs, transferMs, tlsVersion } = notes
    return {
      trace: {
        answered: received > 0,
        httpStatus,
        latencyMs: roundMs(performance.now() - startedAt),
        timings: { ...way.timings, ttfbMs, transferMs },
        address: way.address,
        certificateExpiresAt: way.certificateExpiresAt,
        unresolved: unresolvedName(way.unresolved),
        unroutable: way.unroutable,
        certificate: way.certificate,
        details: { type: 'grpc', status, code, message, tlsVersion },
      },
      judgement,
    }
  } finally {
    stop.close()
    context.onConnected()
  }
}

const failed = (failure: Parameters<typeof judgeFailure>[0]): Judged => ({
  judgement: judgeFailure(failure),
  status: null,
  code: null,
  message: null,
})

const measure = async (
  asked: GrpcAsked,
  { way, notes, stop }: { way: Way; notes: Notes; stop: Stop },
  { onConnected }: ProbeContext,
  capabilities: ProbeCapabilities,
): Promise<Judged> => {
  const { settings } = asked
  const { port, service } = settings
  const tls = settings.security === 'tls'
  const parsed = parseHost(settings.host, capabilities)
  if (!parsed.ok || grpcTargetProblem(settings, capabilities) !== null) return failed(unsafeTarget)
  const { host, literal } = parsed
  const identity = tls ? identityOf({ host, literal: literal !== 0 }, settings, capabilities) : null
  if (identity !== null && 'cause' in identity) return failed(identity)
  const secure = identity === null ? null : ({ ...identity, protocol: 'h2' } as const)
  const connection = await reach({ host, literal, port }, secure, way, stop, capabilities)
  onConnected()
  if ('failure' in connection) {
    const { failure } = connection
    return failed(failure === noApplicationProtocol ? noHttp2 : failure)
  }
  const { socket } = connection
  try {
    if (tls) {
      const { alpnProtocol } = socket as TLSSocket
      notes.tlsVersion = (socket as TLSSocket).getProtocol()
      if (alpnProtocol !== 'h2') return failed(noHttp2)
    }
    const name = literal === 6 ? `[${host}]` : host
    const called = await call(
      socket,
      {
        authority: port === (tls ? 443 : 80) ? name : `${name}:${port}`,
        tls,
        path: '/grpc.health.v1.Health/Check',
        userAgent: capabilities.userAgent,
        content: encodeRequest(service),
      },
      notes,
      { local: isLocal(way, capabilities), stop },
    )
    if ('cause' in called) return failed(called)
    const judged = judgeCall(called, asked)
    const expiring = certificateProblem(way, settings, { now: capabilities.now() })
    return judged.judgement.verdict === 'up' && expiring !== null
      ? { ...judged, judgement: expiring }
      : judged
  } finally {
    socket.destroy()
  }
}
