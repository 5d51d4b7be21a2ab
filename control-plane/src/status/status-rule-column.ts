import { StatusRule } from '@probe-mesh/contracts/check/status-rule'

/** The rule in a row of `checks`; null for the default, and for one that only a newer version understands. */
export const toStatusRule = (stored: unknown): StatusRule | null => {
  const parsed = StatusRule.safeParse(stored)
  return parsed.success ? parsed.data : null
}
