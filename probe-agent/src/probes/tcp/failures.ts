import { quote } from '../../judge/quote.ts'
import { within } from '../../request/failure.ts'
import type { Failure } from '../../request/outcome.ts'

const target = (cause: string, reason: string): Failure => ({ cause, fault: 'target', reason })

/** All that came, or its first 4 KB, does not hold what was expected. */
export const expectMismatch = (expected: string, received: string): Failure =>
  target('expect_mismatch', `expected to receive ${quote(expected)}, got ${quote(received)}`)

/** The server ended the connection without a word. */
export const tcpClosed = (expected: string): Failure =>
  target('tcp_closed', `expected to receive ${quote(expected)}, but the connection was closed`)

/** @param received what came until then, empty for nothing */
export const expectTimeout = (expected: string, received: string, deadlineMs: number): Failure => {
  const got = received === '' ? 'nothing' : quote(received)
  return target(
    'expect_timeout',
    `expected to receive ${quote(expected)} ${within(deadlineMs)}, got ${got}`,
  )
}
