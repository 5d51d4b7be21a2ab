/** What one request brought: an event that is sound, one that is no JSON, one beyond 1 MiB, or no event. */
export type ItemSent = 'event' | 'broken' | 'large' | 'session'

/** A request as its sender knows it. */
export type Attempt = {
  projectId: string
  eventId: string
  item: ItemSent
  /** Null where no answer came. */
  status: number | null
}

/** What the stores say of one project. */
export type Books = {
  /** Of the occurrences. */
  storedIds: readonly string[]
  /** Events by outcome: `stored`, or why they were dropped. */
  counts: Readonly<Record<string, number>>
  /** Items that were no events. */
  unsupported: number
  /** Occurrences that its issues count, and those that the releases of its issues do. */
  ofIssues: number
  ofReleases: number
}

/** Errors after which the client does not know the result of its request. */
export const isUntold = ({ status }: Attempt): boolean => status === null || status >= 500

/**
 * Holds what the senders of one project were told against what the stores say: every event that was
 * answered is stored or in one drop counter, once; what was not answered may be either, or neither.
 * @param quota events that the account may store in the month; the project is its only one
 * @returns what is wrong, in words; nothing where all is well. Pure.
 */
export const imbalances = (attempts: readonly Attempt[], books: Books, quota: number): string[] => {
  const events = attempts.filter(({ item }) => item !== 'session')
  const untold = events.filter(isUntold).length
  const told = (...statuses: number[]) =>
    events.filter(({ status }) => status !== null && statuses.includes(status)).length
  const sum = (...outcomes: string[]) =>
    outcomes.reduce((all, outcome) => all + (books.counts[outcome] ?? 0), 0)
  const problems: string[] = []
  const expectWithin = (what: string, value: number, min: number, max: number): void => {
    if (value < min || value > max) problems.push(`${what}: ${value}, not ${min} to ${max}`)
  }

  const stored = new Set(books.storedIds)
  expectWithin('ids of stored events', stored.size, books.storedIds.length, books.storedIds.length)
  for (const [what, count] of [
    ['counted as stored', sum('stored')],
    ['occurrences of issues', books.ofIssues],
    ['occurrences of releases', books.ofReleases],
  ] as const) {
    expectWithin(what, count, books.storedIds.length, books.storedIds.length)
  }

  const outcomes = Object.keys(books.counts)
  const strange = outcomes.filter((outcome) => !knownOutcomes.has(outcome))
  if (strange.length > 0) problems.push(`unexpected outcomes: ${strange.join(', ')}`)
  const [taken, refused] = [told(200), told(429)]
  expectWithin('all outcomes', sum(...outcomes), events.length - untold, events.length)
  expectWithin('invalid', sum('invalid'), told(400), told(400) + untold)
  expectWithin('size', sum('size'), told(413), told(413) + untold)
  expectWithin('quota and rate', sum('quota', 'rate'), refused, refused + taken + untold)
  expectWithin('store', sum('store'), 0, untold)
  const ends = sum('stored', 'duplicate', 'quota', 'rate', 'store')
  expectWithin('sound events', ends, taken + refused, taken + refused + untold)
  const sound = events.filter(({ item }) => item === 'event')
  const again = sound.length - new Set(sound.map(({ eventId }) => eventId)).size
  expectWithin('duplicate', sum('duplicate'), 0, again)
  expectWithin(
    'stored',
    stored.size,
    Math.min(quota, new Set(sound.filter(({ status }) => status === 200).map(idOf)).size),
    quota,
  )

  const possible = new Set(sound.filter((attempt) => attempt.status === 200 || isUntold(attempt)).map(idOf))
  const unheard = [...stored.difference(possible)]
  if (unheard.length > 0) problems.push(`stored but not accepted: ${unheard.join(', ')}`)
  if (sum('quota') === 0) {
    const lost = new Set(sound.filter(({ status }) => status === 200).map(idOf)).difference(stored)
    if (lost.size > 0) problems.push(`accepted but not stored: ${[...lost].join(', ')}`)
  } else expectWithin('stored at the quota', stored.size, quota, quota)

  const sessions = attempts.filter(({ item }) => item === 'session')
  const counted = sessions.filter(({ status }) => status === 200).length
  expectWithin('sessions', books.unsupported, counted, counted + sessions.filter(isUntold).length)
  return problems
}

const knownOutcomes = new Set(['stored', 'duplicate', 'invalid', 'size', 'quota', 'rate', 'store'])

const idOf = ({ eventId }: Attempt): string => eventId
