/** Codes of `fetch` for an exchange that broke off, or never began. */
const lostCodes = new Set<unknown>([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
])
/** fetch failed, its cause, and the cause of that. */
const causesMax = 4

/** Whether the connection went away, so that sending the same again makes sense. */
export const isLostConnection = (error: unknown): boolean => {
  let at = error
  for (let causes = 0; causes < causesMax && at instanceof Error; causes++) {
    if ('code' in at && lostCodes.has(at.code)) return true
    at = at.cause
  }
  return false
}
