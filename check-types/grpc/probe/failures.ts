import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import { messageBytesMax } from './message.ts'

const target = (cause: string, reason: string): Failure => ({ cause, fault: 'target', reason })

export const tlsExpected = target('grpc_tls_expected', 'the server expects TLS, which the check does not use')
export const answerTooLarge = target(
  'grpc_too_large',
  `the answer is too large: a health status has less than ${messageBytesMax / 1024} KB`,
)
export const tooManySettings = target('grpc_too_large', 'the server sends HTTP/2 settings without end')

/** RFC 9113 7 */
const errorNames = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
]
const errorName = (code: number): string => errorNames[code] ?? `code ${code}`

/** A RST_STREAM frame, perhaps the own one for an answer that is not valid. */
export const resetBy = (code: number): Failure =>
  target('grpc_reset', `the request was reset with ${errorName(code)}`)

/** A GOAWAY frame. Without an error the server shuts down, or closes a connection as it does after some time. */
export const endedBy = (code: number): Failure =>
  target(
    'grpc_goaway',
    code === 0
      ? 'the server ended the connection without an answer'
      : `the server ended the connection with ${errorName(code)}`,
  )
