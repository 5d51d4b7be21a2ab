import type { Sent } from './send-telemetry.ts'

/** Sends the body of one request. */
export type SendPart = (body: string) => Promise<Sent>

/** What a push did. `failure` null: it reached its end. */
export type PushResult = {
  failure: Extract<Sent, { kind: 'failed' }> | null
  /** What the receiver refused or warned of, for people. */
  warning: string | null
  sent: number
  refused: number
  dropped: number
}
