/** The content of a request: a valid event, invalid JSON, an event above 1 MiB, or no event. */
export type ItemSent = 'event' | 'broken' | 'large' | 'session'

/** A request with its answer. */
export type Attempt = {
  projectId: string
  eventId: string
  item: ItemSent
  /** null without an answer. */
  status: number | null
}

/** The stored data of one project. */
export type StoredProject = {
  /** The event ids of its occurrences. */
  storedIds: readonly string[]
  /** Events by outcome: `stored`, or the reason for the drop. */
  counts: Readonly<Record<string, number>>
  /** Items of other types. */
  unsupported: number
  /** The sums of occurrences over its issues, and over the releases of its issues. */
  ofIssues: number
  ofReleases: number
}

/** Whether the client does not know the result of its request. */
export const isUncertain = ({ status }: Attempt): boolean => status === null || status >= 500

/**
 * Compares the answers to the senders of one project with the stored data. Each answered event must be stored
 * or in one drop counter, exactly once. An unanswered event may be stored, counted, or neither.
 * @param quota the account's monthly quota; the project is its only one
 * @returns the problems as text; empty without any.
 */
export const findImbalances = (
  attempts: readonly Attempt[],
  data: StoredProject,
  quota: number,
): string[] => {
  const events = attempts.filter(({ item }) => item !== 'session')
  const uncertain = events.filter(isUncertain).length
  const answered = (...statuses: number[]) =>
    events.filter(({ status }) => status !== null && statuses.includes(status)).length
  const sum = (...outcomes: string[]) =>
    outcomes.reduce((all, outcome) => all + (data.counts[outcome] ?? 0), 0)
  const problems: string[] = []
  const expectWithin = (what: string, value: number, min: number, max: number): void => {
    if (value < min || value > max) problems.push(`${what}: ${value}, not ${min} to ${max}`)
  }

  const stored = new Set(data.storedIds)
  expectWithin('ids of stored events', stored.size, data.storedIds.length, data.storedIds.length)
  for (const [what, count] of [
    ['counted as stored', sum('stored')],
    ['occurrences of issues', data.ofIssues],
    ['occurrences of releases', data.ofReleases],
  ] as const) {
    expectWithin(what, count, data.storedIds.length, data.storedIds.length)
  }

  const outcomes = Object.keys(data.counts)
  const unexpected = outcomes.filter((outcome) => !knownOutcomes.has(outcome))
  if (unexpected.length > 0) problems.push(`unexpected outcomes: ${unexpected.join(', ')}`)
  const [accepted, refused] = [answered(200), answered(429)]
  expectWithin('all outcomes', sum(...outcomes), events.length - uncertain, events.length)
  expectWithin('invalid', sum('invalid'), answered(400), answered(400) + uncertain)
  expectWithin('size', sum('size'), answered(413), answered(413) + uncertain)
  expectWithin('quota and rate', sum('quota', 'rate'), refused, refused + accepted + uncertain)
  expectWithin('store', sum('store'), 0, uncertain)
  const counted = sum('stored', 'duplicate', 'quota', 'rate', 'store')
  expectWithin('valid events', counted, accepted + refused, accepted + refused + uncertain)
  const valid = events.filter(({ item }) => item === 'event')
  const repeated = valid.length - new Set(valid.map(({ eventId }) => eventId)).size
  expectWithin('duplicate', sum('duplicate'), 0, repeated)
  expectWithin(
    'stored',
    stored.size,
    Math.min(quota, new Set(valid.filter(({ status }) => status === 200).map(idOf)).size),
    quota,
  )

  const possible = new Set(
    valid.filter((attempt) => attempt.status === 200 || isUncertain(attempt)).map(idOf),
  )
  const notAccepted = [...stored.difference(possible)]
  if (notAccepted.length > 0) problems.push(`stored but not accepted: ${notAccepted.join(', ')}`)
  if (sum('quota') === 0) {
    const lost = new Set(valid.filter(({ status }) => status === 200).map(idOf)).difference(stored)
    if (lost.size > 0) problems.push(`accepted but not stored: ${[...lost].join(', ')}`)
  } else expectWithin('stored at the quota', stored.size, quota, quota)

  const sessions = attempts.filter(({ item }) => item === 'session')
  const acceptedSessions = sessions.filter(({ status }) => status === 200).length
  const sessionsMax = acceptedSessions + sessions.filter(isUncertain).length
  expectWithin('sessions', data.unsupported, acceptedSessions, sessionsMax)
  return problems
}

const knownOutcomes = new Set(['stored', 'duplicate', 'invalid', 'size', 'quota', 'rate', 'store'])

const idOf = ({ eventId }: Attempt): string => eventId
