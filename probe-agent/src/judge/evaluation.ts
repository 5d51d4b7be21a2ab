/** Why assertions fail, in the order of evaluation. */
export const assertionCauses = [
  'status_mismatch',
  'body_mismatch',
  'body_unreadable',
  'header_mismatch',
  'header_missing',
  'json_too_large',
  'json_invalid',
  'json_missing',
  'json_mismatch',
] as const
type AssertionCause = (typeof assertionCauses)[number]

/** Whether the failure concerns the content, and not the status or a header. */
export const isOfContent = (cause: AssertionCause): boolean =>
  cause.startsWith('body_') || cause.startsWith('json_')

export type Evaluation = { passed: true } | { passed: false; cause: AssertionCause; reason: string }

export const passed: Evaluation = { passed: true }

export const failed = (cause: AssertionCause, reason: string): Evaluation => ({
  passed: false,
  cause,
  reason,
})
