import type { RefusedAs } from '@probe-mesh/contracts/check/check-timeout'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { bodyText } from '@probe-mesh/probe-agent/src/judge/body-text'
import {
  bareRefusal,
  blocked,
  down,
  ownRefusal,
  up,
  type Judgement,
} from '@probe-mesh/probe-agent/src/judge/judgement'
import { quote } from '@probe-mesh/probe-agent/src/judge/quote'
import { refusalEvidence } from '@probe-mesh/probe-agent/src/judge/refusal-evidence'
import type { Headers } from '@probe-mesh/probe-agent/src/request/outcome'
import { shown } from '../../tcp/probe/received.ts'
import { isGrpc, type Called } from './call.ts'
import { decodeResponse } from './message.ts'
import type { GrpcDetails, HealthStatus } from '../reading/details.ts'
import type { GrpcSettings } from '../settings.ts'

/** The names of the gRPC status codes, by number. */
const codes = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
]

export type Wanted = {
  settings: Pick<GrpcSettings, 'service' | 'expect'>
  owner: Assignment['owner']
  /** The meaning of a bare 403 or 429; absent: the check has no such setting. */
  refusedAs?: RefusedAs | undefined
}

export type Judged = { judgement: Judgement } & Pick<GrpcDetails, 'status' | 'code' | 'message'>

/** The verdict on an answer, and what it says. */
export const judgeCall = (called: Called, wanted: Wanted): Judged => {
  const nothing = { status: null, code: null, message: null }
  if (!isGrpc(called)) return { judgement: judgePage(called, wanted), ...nothing }
  // an answer without a message may have everything in its head
  const fields = called.trailers ?? (called.body.length === 0 ? called.headers : {})
  const sent = textOf(fields, 'grpc-status')
  if (sent === null) {
    const reason = 'the answer ended without a gRPC status'
    return { judgement: down('grpc_bad_answer', reason), ...nothing }
  }
  const code = /^\d{1,2}$/.test(sent) ? Number(sent) : codes.length
  const name = codes[code]
  const message = decodeText(textOf(fields, 'grpc-message') ?? '')
  if (name === undefined) {
    const reason = `the gRPC status ${quote(sent)} is not known`
    return { judgement: down('grpc_bad_answer', reason), ...nothing, message: shown(message) }
  }
  if (name === 'OK') return { ...judgeMessage(called.body, wanted), code, message: null }
  const said = { code, message: shown(message) }
  // the protocol's answer for a service that the server does not know
  if (name === 'NOT_FOUND') return { ...judgeStatus('SERVICE_UNKNOWN', wanted), ...said }
  const text = message.length === 0 ? '' : `: ${quote(message.toString())}`
  const judgement =
    name === 'UNIMPLEMENTED'
      ? down('grpc_no_health', 'the server has no health service')
      : down('grpc_error', `the server answered ${name}${text}`)
  return { judgement, status: null, ...said }
}

const judgeMessage = (body: Buffer, wanted: Wanted): Pick<Judged, 'judgement' | 'status'> => {
  const decoded = decodeResponse(body)
  if (decoded.ok) return judgeStatus(decoded.status, wanted)
  const reason = `the answer is no health status: ${decoded.problem}`
  return { judgement: down('grpc_bad_answer', reason), status: null }
}

const judgeStatus = (
  status: HealthStatus,
  { settings: { service, expect } }: Wanted,
): Pick<Judged, 'judgement' | 'status'> => {
  const what = service === '' ? 'the server' : `service ${quote(service)}`
  const judgement =
    status === expect ? up : down('grpc_status_mismatch', `${what} is ${status}, expected ${expect}`)
  return { judgement, status }
}

/** An answer of HTTP alone: perhaps of something in front of the target. */
const judgePage = ({ status, headers, body }: Called, { owner, refusedAs }: Wanted): Judgement => {
  const text = bodyText({ bytes: body, truncated: false, undecoded: null }, headers)
  const evidence = refusalEvidence(status, headers, text)
  if (evidence !== null) return blocked(evidence)
  const isRefusal = refusedAs !== undefined && owner === 'account'
  const type = headers['content-type']
  const ofType = type === undefined ? 'no content type' : `content type ${quote(type)}`
  const what = status === 200 ? `HTTP 200 with ${ofType}` : `HTTP ${status}`
  return (
    bareRefusal(status, owner) ??
    (isRefusal ? ownRefusal(status, refusedAs) : null) ??
    down('grpc_no_grpc', `the server answered ${what}, which is no gRPC`)
  )
}

const textOf = (fields: Headers, name: string): string | null => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return value === undefined ? null : [value].flat().join(', ')
}

/** Limit of a text that is decoded; what is shown of it is shorter. */
const textCharactersMax = 4 * 1024

/** A text in percent-encoded UTF-8; whatever is not encoded well stays as it is. */
const decodeText = (text: string): Buffer =>
  Buffer.from(
    text
      .slice(0, textCharactersMax)
      .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
