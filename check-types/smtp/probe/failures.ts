import { quote } from '@probe-mesh/probe-agent/src/judge/quote'
import { failureOf, stopped, within } from '@probe-mesh/probe-agent/src/request/failure'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import type { ReplyResult } from './read-reply.ts'
import { replyBounds, type Reply, type ReplyFault } from './reply.ts'

/** The expected reply: the greeting, or the reply to a command. */
export type Phase = 'greeting' | 'EHLO' | 'HELO' | 'STARTTLS' | 'EHLO after TLS'

const target = (cause: string, reason: string): Failure => ({ cause, fault: 'target', reason })

const replyIn = (phase: Phase): string => (phase === 'greeting' ? phase : `reply to ${phase}`)

const quoteReply = ({ code, lines }: Reply): string => {
  const text = lines.join(' ').trim()
  return text === '' ? `${code}` : `${code} ${quote(text)}`
}

const refusals: Readonly<Record<Phase, readonly [cause: string, where: string]>> = {
  greeting: ['smtp_greeting_refused', 'in the greeting'],
  EHLO: ['smtp_ehlo_refused', 'to EHLO'],
  HELO: ['smtp_ehlo_refused', 'to HELO'],
  STARTTLS: ['smtp_starttls_refused', 'to STARTTLS'],
  'EHLO after TLS': ['smtp_ehlo_refused', 'to EHLO after TLS'],
}

/** A complete reply with an unexpected code. */
export const refused = (phase: Phase, expected: number, reply: Reply): Failure => {
  const [cause, where] = refusals[phase]
  return target(cause, `expected ${expected} ${where}, got ${quoteReply(reply)}`)
}

/** Neither EHLO nor HELO was accepted; the answer to EHLO says more. */
export const bothRefused = (toEhlo: Reply, toHelo: Failure): Failure =>
  toHelo.cause === 'smtp_closed'
    ? refused('EHLO', 250, toEhlo)
    : { ...toHelo, reason: `${toHelo.reason}; the reply to EHLO was ${quoteReply(toEhlo)}` }

/**
 * Data after the one expected reply. After STARTTLS an attacker could have injected it as text of
 * the secured server (RFC 3207, 6; CVE-2011-0411).
 */
export const unexpectedData = (phase: Phase, extra: string): Failure =>
  phase === 'STARTTLS'
    ? target('smtp_starttls_injection', `unencrypted data before TLS started: ${quote(extra)}`)
    : target('smtp_unasked_data', `unexpected data after the ${replyIn(phase)}: ${quote(extra)}`)

const faultTexts: Readonly<Record<Exclude<ReplyFault, 'malformed'>, string>> = {
  line_too_long: `has a line of more than ${replyBounds.lineBytesMax} bytes`,
  too_many_lines: `has more than ${replyBounds.linesMax} lines`,
  too_large: `has more than ${replyBounds.replyBytesMax / 1024} KB`,
}

const faulty = (phase: Phase, fault: ReplyFault, received: string): Failure => {
  if (fault !== 'malformed') {
    return target('smtp_reply_too_long', `the ${replyIn(phase)} ${faultTexts[fault]}`)
  }
  return target('smtp_bad_reply', `the ${replyIn(phase)} is not valid SMTP: ${quote(received)}`)
}

/** The failure of a wait without a readable reply, with its phase. */
export const noReplyFailure = (
  phase: Phase,
  result: Exclude<ReplyResult, { kind: 'reply' }>,
  { local, deadlineMs }: { local: boolean; deadlineMs: number },
): Failure => {
  switch (result.kind) {
    case 'fault':
      return faulty(phase, result.fault, result.received)
    case 'closed':
      return target('smtp_closed', `the connection was closed before the ${replyIn(phase)}`)
    case 'error':
      return failureOf('ttfb', result.code, { local })
    case 'deadline':
      return target(
        'smtp_timeout',
        result.begun
          ? `the ${replyIn(phase)} was not complete ${within(deadlineMs)}`
          : `no ${replyIn(phase)} ${within(deadlineMs)}`,
      )
    case 'stopped':
      return stopped
    default:
      return result satisfies never
  }
}

export const starttlsMissing = target('smtp_starttls_missing', 'the server does not offer STARTTLS')
export const authMissing = target('smtp_auth_missing', 'the server does not offer AUTH')
