import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { parseHeaders } from '@probe-mesh/contracts/channel/template-headers'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { codeOf } from '@probe-mesh/runtime/errors'
import { channelAllowOf, type ChannelRules } from '../notifications/channels/channel-allow.ts'
import { failureOf, type OutgoingRules } from '../notifications/channels/channel-sender.ts'
import { redactAnswer } from '../notifications/channels/redact.ts'
import type { Vault } from '../secrets/vault.ts'
import { post, type Answer } from '../notifications/outgoing/guarded-request.ts'
import { judgeAnswer, loadProtobuf, otlpTypes, type Sent } from './judge-answer.ts'
import { jsonBody, type Items } from './otlp.ts'
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

const requestMsMax = 10_000
const detailCharactersMax = 200
const compress = promisify(gzip)

/**
 * Sends one request by OTLP/HTTP, guarded like a message to a channel: no redirect is followed, and the start of the
 * answer is read. Failures of the receiver are values.
 * @throws the signal's reason once it aborts
 */
export const sendTelemetry = async (
  { rules, resolver, vault, now }: TelemetrySender,
  { endpoint: to, isOperators }: Pick<ClaimedPush, 'endpoint' | 'isOperators'>,
  items: Items,
  stop: AbortSignal,
): Promise<Sent> => {
  const { signal } = items
  const { encoding } = to
  const within = anySignal([stop, AbortSignal.timeout(requestMsMax)])
  try {
    const headers = to.headers === null ? '' : vault.open(to.headers, telemetryOwner(to))
    const whole = encoding === 'json' ? jsonBody(items) : (await loadProtobuf()).protobufBody(items)
    const body = await compress(whole, { level: constants.Z_BEST_SPEED })
    const request = {
      url: `${to.endpoint.replace(/\/$/, '')}/v1/${signal}`,
      headers: {
        ...Object.fromEntries(parseHeaders(headers).map(({ name, value }) => [name, value])),
        'content-type': otlpTypes[encoding],
        'content-encoding': 'gzip',
      },
      body,
    }
    const allow = channelAllowOf(rules, { accountId: to.accountId, isOperators })
    const { blockedTargets: deny, network } = rules
    const guard = { allow, deny, resolver, encrypts: true, network }
    const answer = await post(request, within, guard)
    const shown = answer.opened && !isOperators ? '' : shownOf(answer, { url: to.endpoint, headers })
    return await judgeAnswer({ signal, encoding }, answer, shown, now())
  } catch (error) {
    if (stop.aborted) throw stop.reason
    const { detail } = codeOf(error).startsWith('HPE_') ? { detail: noHttp } : failureOf(error, within)
    return { kind: 'failed', detail, retryAfterMs: null }
  }
}

const noHttp =
  'the answer is not HTTP/1.1: enter the address of OTLP/HTTP, usually port 4318; port 4317 is usually OTLP over gRPC'

/** The start of an answer for people, without the values of headers. */
const shownOf = (
  { text, cut, bytes }: Answer,
  { url, headers }: { url: string; headers: string },
): string => {
  const config = { form: 'template', contentType: 'json', url, body: '', headers } as const
  // a protobuf message is shown by its readable parts
  const readable = bytes.includes(0) ? '' : text
  return redactAnswer(readable, { type: 'json', config }, { charactersMax: detailCharactersMax, cut })
}
