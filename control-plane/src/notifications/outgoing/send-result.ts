/** The result of one attempt to send a message. */
export type SendResult =
  | { ok: true; httpStatus: number | null; detail: string }
  | {
      ok: false
      /** Whether to retry later or to fail permanently. */
      next: 'retry' | 'fail'
      kind: SendFailureKind
      httpStatus: number | null
      /** The minimum wait that the receiver requests, in ms; null: none. */
      retryAfterMs: number | null
      /** One line for people, without credentials and control characters. */
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

/** A failure without an HTTP answer. */
export const failedToSend = (
  kind: SendFailureKind,
  detail: string,
  next: SendFailure['next'] = 'retry',
): SendFailure => ({ ok: false, next, kind, httpStatus: null, retryAfterMs: null, detail })

/** Control and format characters and line breaks become single spaces. */
export const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
