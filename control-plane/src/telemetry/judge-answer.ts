import type { TelemetryEncoding, TelemetrySignal } from '@probe-mesh/contracts/telemetry/telemetry'
import { retryAfterMs } from '@probe-mesh/runtime/retry-after'
import { z } from 'zod'
import type { Answer } from '../notifications/outgoing/guarded-request.ts'

/**
 * The outcome of one request. `accepted`: `refused` of its items were not. `wrong`: nothing was accepted, and sending it
 * again is forbidden; `isEndpoint`: another request would fare no better. `failed`: it is sent again later.
 */
export type Sent =
  | { kind: 'accepted'; refused: number; detail: string | null }
  | { kind: 'wrong'; detail: string; isEndpoint: boolean }
  | { kind: 'failed'; detail: string; retryAfterMs: number | null }

const retryAfterMsMax = 900_000

/** The only statuses after which OTLP allows the same request again. */
const retried: ReadonlySet<number> = new Set([429, 502, 503, 504])
/** Statuses that are about this request and not about the endpoint. */
const ofRequest: ReadonlySet<number> = new Set([400, 413, 422])

/** The media types of answers. */
export const otlpTypes: Readonly<Record<TelemetryEncoding, string>> = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
}

/**
 * Judges an answer by OTLP/HTTP (S-3737). A success is 2xx with a response message of OTLP, or with nothing: the message
 * without fields has no bytes. What else is there came from something that is no receiver, such as a login page.
 * @param shown the answer, redacted
 */
export const judgeAnswer = async (
  { signal, encoding }: { signal: TelemetrySignal; encoding: TelemetryEncoding },
  answer: Pick<Answer, 'httpStatus' | 'retryAfter' | 'contentType' | 'bytes' | 'cut'>,
  shown: string,
  nowMs: number,
): Promise<Sent> => {
  const { httpStatus, retryAfter } = answer
  const detail = `HTTP ${httpStatus}${shown === '' ? '' : `: ${shown}`}`
  if (httpStatus >= 200 && httpStatus < 300) return judgeSuccess({ signal, encoding }, answer, detail)
  if (httpStatus >= 300 && httpStatus < 400) {
    const moved = `HTTP ${httpStatus}: the receiver redirects, and redirects are not followed`
    return { kind: 'wrong', detail: moved, isEndpoint: true }
  }
  if (!retried.has(httpStatus)) return { kind: 'wrong', detail, isEndpoint: !ofRequest.has(httpStatus) }
  return { kind: 'failed', detail, retryAfterMs: retryAfterMs(retryAfter, nowMs, { maxMs: retryAfterMsMax }) }
}

const judgeSuccess = async (
  of: { signal: TelemetrySignal; encoding: TelemetryEncoding },
  { httpStatus, contentType, bytes, cut }: Pick<Answer, 'httpStatus' | 'contentType' | 'bytes' | 'cut'>,
  detail: string,
): Promise<Sent> => {
  const wrong = (why: string): Sent => ({
    kind: 'wrong',
    detail: `HTTP ${httpStatus}, but ${why}. Is this the base URL of an OTLP/HTTP receiver?`,
    isEndpoint: true,
  })
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const encoding = type === '' ? of.encoding : encodingOf(type)
  if (encoding === undefined) return wrong(`the answer is ${type.slice(0, 60)}, which OTLP does not have`)
  if (cut) return wrong('the answer is cut off or longer than 8 KB')
  const partial = bytes.length === 0 ? {} : await partialOf({ ...of, encoding }, bytes)
  if (partial === null) return wrong(`the answer is not a message of OTLP in ${encoding}`)
  const { refused = 0, message = '' } = partial
  return { kind: 'accepted', refused, detail: refused > 0 || message !== '' ? detail : null }
}

const encodingOf = (type: string): TelemetryEncoding | undefined => {
  if (type === otlpTypes.json) return 'json'
  return type === otlpTypes.protobuf || type === 'application/protobuf' ? 'protobuf' : undefined
}

/** A count may be a text: 64-bit integers are in JSON. */
const Count = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])
const Response = z.object({
  partialSuccess: z
    .object({
      rejectedSpans: Count.nullish(),
      rejectedDataPoints: Count.nullish(),
      errorMessage: z.string().nullish(),
    })
    .nullish(),
})

type Partial = { refused?: number; message?: string }

/** @returns null: not a response of OTLP */
const partialOf = async (
  { signal, encoding }: { signal: TelemetrySignal; encoding: TelemetryEncoding },
  bytes: Buffer,
): Promise<Partial | null> => {
  const protobuf = encoding === 'json' ? null : await loadProtobuf()
  try {
    const message: unknown =
      protobuf === null ? JSON.parse(bytes.toString('utf8')) : protobuf.readResponse(signal, bytes)
    const { partialSuccess } = Response.parse(message)
    const { rejectedSpans, rejectedDataPoints, errorMessage } = partialSuccess ?? {}
    const refused = signal === 'traces' ? rejectedSpans : rejectedDataPoints
    return { refused: refused ?? 0, message: errorMessage ?? '' }
  } catch {
    return null
  }
}

/** OpenTelemetry's own encoder, for the first endpoint that uses protobuf. */
export const loadProtobuf = () => import('./otlp-protobuf.ts')
