/** What one try to send a message met. */
export type SendResult =
  | { ok: true; httpStatus: number | null; detail: string }
  | {
      ok: false
      /** What to do next: try later, or never again. */
      next: 'retry' | 'give_up'
      kind: SendFailureKind
      httpStatus: number | null
      /** The least wait that the receiver asks for, ms; null: it names none. */
      retryAfterMs: number | null
      /** One line for a person: no credential, no control characters. */
      detail: string
    }

export type SendFailure = Extract<SendResult, { ok: false }>

export type SendFailureKind =
  | 'throttled'
  | 'receiver'
  | 'refused'
  | 'timeout'
  | 'network'
  | 'unsafe'
  | 'unreadable'

/** A failure that is none of an HTTP answer. */
export const failedToSend = (
  kind: SendFailureKind,
  detail: string,
  next: SendFailure['next'] = 'retry',
): SendFailure => ({ ok: false, next, kind, httpStatus: null, retryAfterMs: null, detail })
