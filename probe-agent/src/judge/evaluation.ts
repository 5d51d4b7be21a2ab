/** Why assertions fail, in the order of evaluation. */
export const assertionCauses = [
  'status_mismatch',
  'body_mismatch',
  'body_unreadable',
  'body_cut',
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

/** Not passed and not judged: what was read does not decide it, so the target is not accused. */
export type Evaluation =
  | { passed: true }
  | { passed: false; isJudged: boolean; cause: AssertionCause; reason: string }

export const passed: Evaluation = { passed: true }

export const failed = (cause: AssertionCause, reason: string): Evaluation => ({
  passed: false,
  isJudged: true,
  cause,
  reason,
})

/** What was read does not decide the assertion. */
export const undecided = (cause: AssertionCause, reason: string): Evaluation => ({
  passed: false,
  isJudged: false,
  cause,
  reason,
})
