/** A check-in of a monitored job (Sentry's item `check_in`). */
export type CheckIn = {
  slug: string
  status: 'in_progress' | 'ok' | 'error'
  /** The run: the same of its start and its end; null: the client names none. */
  runId: string | null
}

const statuses = ['in_progress', 'ok', 'error'] as const
const nil = /^0+$/

/** A check-in, or what is wrong with it. Members that nothing here needs may have any value. */
export const readCheckIn = (json: unknown): CheckIn | { problem: string } => {
  if (typeof json !== 'object' || json === null) return { problem: 'check_in: must be a JSON object' }
  const { monitor_slug: slug, status: named, check_in_id: id } = json as Record<string, unknown>
  if (typeof slug !== 'string' || !/^[\w-]{1,50}$/.test(slug))
    return { problem: 'check_in: monitor_slug must have 1 to 50 letters, digits, "_" or "-"' }
  const status = statuses.find((each) => each === named)
  if (status === undefined) return { problem: 'check_in: status must be in_progress, ok or error' }
  if (id === undefined || id === null) return { slug, status, runId: null }
  const hex = typeof id === 'string' ? id.replaceAll('-', '').toLowerCase() : ''
  if (!/^[0-9a-f]{32}$/.test(hex)) return { problem: 'check_in: check_in_id must be a UUID' }
  return {
    slug,
    status,
    runId: nil.test(hex) ? null : hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  }
}
