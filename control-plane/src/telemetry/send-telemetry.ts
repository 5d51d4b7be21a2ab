import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { parseHeaders } from '@probe-mesh/contracts/channel/template-headers'
import type { TelemetrySignal } from '@probe-mesh/contracts/telemetry/telemetry'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { retryAfterMs } from '@probe-mesh/runtime/retry-after'
import { z } from 'zod'
import { channelAllowOf, type ChannelRules } from '../notifications/channels/channel-allow.ts'
import { failureOf, type OutgoingRules } from '../notifications/channels/channel-sender.ts'
import { redactAnswer } from '../notifications/channels/redact.ts'
import type { Vault } from '../secrets/vault.ts'
import { post, type Answer } from '../notifications/outgoing/guarded-request.ts'
import type { Resolver } from '../notifications/outgoing/resolve.ts'
import type { ClaimedPush, TelemetryEndpoint } from './telemetry-store.ts'

export type TelemetrySender = {
  readonly rules: ChannelRules & OutgoingRules
  readonly resolver: Resolver
  readonly vault: Vault
  readonly now: () => number
}

/** Headers are sealed for their account and endpoint, and open for no other (S-3732). */
export const telemetryOwner = ({
  accountId,
  endpoint,
}: Pick<TelemetryEndpoint, 'accountId' | 'endpoint'>): readonly string[] => ['telemetry', accountId, endpoint]

/**
 * The answer to one request. `refused`: of its items. A request that is `wrong` would be refused again; after a failure
 * it is sent later.
 */
export type Sent =
  | { kind: 'accepted'; refused: number; detail: string | null }
  | { kind: 'wrong'; detail: string }
  | { kind: 'failed'; detail: string; retryAfterMs: number | null }

const requestMsMax = 10_000
const retryAfterMsMax = 900_000
const detailCharactersMax = 200
const compress = promisify(gzip)

/**
 * Sends one request by OTLP/HTTP, guarded like a message to a channel: no redirect is followed, and the start of the
 * answer is read. Failures of the receiver are values.
 * @throws the signal's reason once it aborts
 */
export const sendTelemetry = async (
  { rules, resolver, vault, now }: TelemetrySender,
  { endpoint: to, signal, isOperators }: Pick<ClaimedPush, 'endpoint' | 'signal' | 'isOperators'>,
  json: string,
  stop: AbortSignal,
): Promise<Sent> => {
  const within = anySignal([stop, AbortSignal.timeout(requestMsMax)])
  try {
    const headers = to.headers === null ? '' : vault.open(to.headers, telemetryOwner(to))
    const body = await compress(json, { level: constants.Z_BEST_SPEED })
    const request = {
      url: `${to.endpoint.replace(/\/$/, '')}/v1/${signal}`,
      headers: {
        ...Object.fromEntries(parseHeaders(headers).map(({ name, value }) => [name, value])),
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body,
    }
    const allow = channelAllowOf(rules, { accountId: to.accountId, isOperators })
    const { blockedTargets: deny, network } = rules
    const guard = { allow, deny, resolver, encrypts: true, network }
    const answer = await post(request, within, guard)
    const shown = answer.opened && !isOperators ? '' : shownOf(answer, { url: to.endpoint, headers })
    return judgeSent(signal, answer, shown, now())
  } catch (error) {
    if (stop.aborted) throw stop.reason
    return { kind: 'failed', detail: failureOf(error, within).detail, retryAfterMs: null }
  }
}

/** The start of an answer for people, without the values of headers. */
const shownOf = ({ text, cut }: Answer, { url, headers }: { url: string; headers: string }): string => {
  const config = { form: 'template', contentType: 'json', url, body: '', headers } as const
  return redactAnswer(text, { type: 'json', config }, { charactersMax: detailCharactersMax, cut })
}

/** A count may be a text: 64-bit integers are in JSON. */
const Count = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])
const Partial = z.object({
  partialSuccess: z.object({
    rejectedSpans: Count.optional(),
    rejectedDataPoints: Count.optional(),
    errorMessage: z.string().optional(),
  }),
})

/** Statuses of an endpoint that is not set up yet, or is not ready: nothing is wrong with the request. */
const later: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 408, 425, 429])

/** The outcome by the status and by OTLP's partial success (S-3737). @param shown the answer, redacted */
const judgeSent = (
  signal: TelemetrySignal,
  { httpStatus, retryAfter, text }: Pick<Answer, 'httpStatus' | 'retryAfter' | 'text'>,
  shown: string,
  nowMs: number,
): Sent => {
  const detail = `HTTP ${httpStatus}${shown === '' ? '' : `: ${shown}`}`
  if (httpStatus >= 200 && httpStatus < 300) {
    const { partialSuccess } = partialOf(text)
    const refused =
      (signal === 'traces' ? partialSuccess.rejectedSpans : partialSuccess.rejectedDataPoints) ?? 0
    const isWarned = refused > 0 || (partialSuccess.errorMessage ?? '') !== ''
    return { kind: 'accepted', refused, detail: isWarned ? detail : null }
  }
  if (httpStatus >= 300 && httpStatus < 400) {
    const moved = `HTTP ${httpStatus}: the receiver redirects, and redirects are not followed`
    return { kind: 'failed', detail: moved, retryAfterMs: null }
  }
  if (httpStatus >= 400 && httpStatus < 500 && !later.has(httpStatus)) return { kind: 'wrong', detail }
  const waitMs = retryAfterMs(retryAfter, nowMs, { maxMs: retryAfterMsMax })
  return { kind: 'failed', detail, retryAfterMs: waitMs }
}

const partialOf = (text: string): z.infer<typeof Partial> => {
  try {
    return Partial.parse(JSON.parse(text))
  } catch {
    // an empty answer is a whole success
    return { partialSuccess: {} }
  }
}
