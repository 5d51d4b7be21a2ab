import { codeOf } from '@probe-mesh/runtime/errors'
import { networkRemedy, type Network } from '@probe-mesh/runtime/network'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { channelAllowOf, type ChannelRules } from './channel-allow.ts'
import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import type { ChannelRecord } from './channel-record.ts'
import { openChannel } from './sealed-config.ts'
import { isAccepted, retryAfterOf } from './forms/form-answer.ts'
import { formatMessage } from './forms/format-message.ts'
import { redactAnswer } from './redact.ts'
import type { ChannelMessage } from './forms/message.ts'
import { failedToSend, type SendFailure, type SendResult } from '../outgoing/send-result.ts'
import { SecretUnreadable, type Vault } from '../../secrets/vault.ts'
import { UnsafeTarget, post, type Answer } from '../outgoing/guarded-request.ts'
import type { Resolver } from '../outgoing/resolve.ts'
import { retryAfterMs } from '@probe-mesh/runtime/retry-after'

/** A channel with its sealed config, as needed for sending. */
type SealedChannel = Pick<ChannelRecord, 'accountId' | 'id' | 'type' | 'credential'> & {
  /** Whether its account was created at the first start. */
  isOperators: boolean
}

/** What applies to requests to the outside. */
export type OutgoingRules = { readonly blockedTargets: DenyList; readonly network?: Network }

export type ChannelSender = {
  /**
   * Sends a message once. Failures of the receiver are values.
   * @param sending.id the same at every attempt
   * @throws the signal's reason once it aborts, unless that is a timeout
   */
  send(
    sealed: SealedChannel,
    sending: { id: string; message: ChannelMessage },
    signal: AbortSignal,
  ): Promise<SendResult>
}

const answerCharactersMax = 200

export const createChannelSender = (capabilities: {
  rules: ChannelRules & OutgoingRules
  resolver: Resolver
  vault: Vault
  now: () => number
}): ChannelSender => ({
  send: async (sealed, sending, signal) => {
    const { rules, resolver, now } = capabilities
    try {
      const channel = openChannel(capabilities.vault, sealed)
      const form = formatMessage(channel, { ...sending, nowMs: now() })
      const guard = {
        allow: channelAllowOf(rules, sealed),
        deny: rules.blockedTargets,
        resolver,
        network: rules.network,
      }
      const answer = await post(form, signal, guard)
      return judgeChannelAnswer(channel, answer, shownOf(answer, sealed, channel), now())
    } catch (error) {
      return failureOf(error, signal)
    }
  },
})

/**
 * The part of an answer that its account may see. Answers of addresses that are not public are shown to the
 * operator's account only: other accounts must not read an opened range.
 */
const shownOf = (
  { text, cut, opened }: Answer,
  { isOperators }: Pick<SealedChannel, 'isOperators'>,
  channel: ChannelConfig,
): string => {
  if (opened && !isOperators) return hiddenAnswer
  return redactAnswer(text, channel, { charactersMax: answerCharactersMax, cut })
}

const hiddenAnswer = 'the answer is not shown: the address is not public'

const unreadable = 'the stored credential does not open with this SECRETS_KEY; enter the config again'

/** What went wrong, for people. @throws the signal's reason when this process stopped the attempt */
export const failureOf = (error: unknown, signal: AbortSignal): SendFailure => {
  if (error instanceof SecretUnreadable) return failedToSend('unreadable', unreadable)
  if (error instanceof UnsafeTarget) return failedToSend('unsafe', error.message, 'fail')
  if (signal.aborted) {
    if (isTimeout(signal.reason)) return failedToSend('timeout', 'no answer in time')
    throw signal.reason
  }
  return failedToSend('network', networkRemedy(error) ?? networkText(error))
}

const isTimeout = (reason: unknown): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError'

/** Uses the code only: the message of an error may name an address. */
const networkText = (error: unknown): string => {
  const code = codeOf(error)
  return texts[code] ?? (code === '' ? 'the connection failed' : `the connection failed (${code})`)
}

const texts: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist',
  ENODATA: 'the host name has no address',
  ESERVFAIL: 'the host name could not be resolved',
  ETIMEOUT: 'the host name could not be resolved',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is self-signed',
}

/**
 * As `judgeAnswer`, by what the vendor of a form documents: some refuse a message with a status of 2xx.
 * @param detail the start of the answer, redacted
 */
const judgeChannelAnswer = (
  { type, config }: ChannelConfig,
  answer: Answer,
  detail: string,
  nowMs: number,
): SendResult => {
  const form = type === 'json' ? (config.form ?? 'default') : 'default'
  const retryAfter = retryAfterOf(form, answer)
  const judged = judgeAnswer({ httpStatus: answer.httpStatus, retryAfter }, detail, nowMs)
  if (!judged.ok || isAccepted(form, answer)) return judged
  const { httpStatus } = answer
  return {
    ok: false,
    next: 'fail',
    kind: 'refused',
    httpStatus,
    retryAfterMs: null,
    detail: refusedText(detail),
  }
}

const refusedText = (detail: string): string =>
  `the answer is not the one that the receiver documents for an accepted message${detail === '' ? '' : `: ${detail}`}`

/** 4xx statuses that are temporary: request timeout, too early, too many requests. */
const passing = new Set([408, 425, 429])

/** The longest silence of a channel, whatever its receiver requests. */
const retryAfterMsMax = 3_600_000

/**
 * The outcome of a message by its receiver's answer.
 * @param detail the start of the answer, redacted
 */
export const judgeAnswer = (
  { httpStatus, retryAfter }: { httpStatus: number; retryAfter: string | null },
  detail: string,
  nowMs: number,
): SendResult => {
  if (httpStatus >= 200 && httpStatus < 300) return { ok: true, httpStatus, detail }
  const failed = {
    ok: false,
    httpStatus,
    retryAfterMs: retryAfterMs(retryAfter, nowMs, { maxMs: retryAfterMsMax }),
    detail,
  } as const
  if (httpStatus === 429) return { ...failed, next: 'retry', kind: 'throttled' }
  if (httpStatus >= 500 || passing.has(httpStatus)) {
    return { ...failed, next: 'retry', kind: 'receiver' }
  }
  if (httpStatus >= 300 && httpStatus < 400) {
    const moved = 'the receiver redirects, and redirects are not followed'
    return { ...failed, next: 'fail', kind: 'refused', detail: moved }
  }
  return { ...failed, next: 'fail', kind: 'refused' }
}
