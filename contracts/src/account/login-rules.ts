/** How often something may be tried, and how long the next try waits after that. */
export type AttemptRule = {
  /** Attempts at once, before there is any wait: people mistype. */
  freeAttempts: number
  /** Doubled by each attempt, to `waitMsMax`. */
  firstWaitMs: number
  waitMsMax: number
  /** Attempts are forgotten when none was added for this time after the last wait. */
  keptMs: number
}

/** A rule each for an IPv4 address or IPv6 /64, the /56 around it, and the /48. */
export type NetworkRules = readonly [AttemptRule, AttemptRule, AttemptRule]

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Five at once, then 2 s, 4 s, 8 s, ... up to a quarter of an hour. */
const guesses = {
  freeAttempts: 5,
  firstWaitMs: 2 * second,
  waitMsMax: 15 * minute,
  keptMs: 24 * hour,
}

const growing = (rule: AttemptRule, [around56, around48]: [number, number]): NetworkRules => [
  rule,
  { ...rule, freeAttempts: around56 },
  { ...rule, freeAttempts: around48 },
]

/** What a browser, or a network, that logged in to the account before may try: nobody else spends it. */
export const knownRule: AttemptRule = guesses

/** One e-mail address, from a network that never logged in to its account. */
export const strangerRules: NetworkRules = growing(guesses, [10, 20])

/**
 * One e-mail address, from all networks together that never logged in to its account: slower and slower, and
 * at most `strangerGuessesPerHour`. A mailed link always works, and known browsers and networks go on.
 */
export const strangersRule: AttemptRule = {
  freeAttempts: 20,
  firstWaitMs: second,
  waitMsMax: minute,
  keptMs: hour,
}
export const strangerGuessesPerHour = 100

/** From one network, about any e-mail address: an office has many people behind one address. */
export const networkRules: NetworkRules = growing({ ...guesses, freeAttempts: 30 }, [60, 120])

/** Mails to one address that were asked for from networks that never logged in to its account. */
export const mailRule: AttemptRule = {
  freeAttempts: 3,
  firstWaitMs: 15 * minute,
  waitMsMax: 15 * minute,
  keptMs: 15 * minute,
}

/** Accounts that one network asks for: each costs a row and a mail, and is for one person. */
export const signUpRules: NetworkRules = growing(
  { ...guesses, freeAttempts: 10, firstWaitMs: 30 * second },
  [20, 40],
)

/** Browsers and networks that are remembered of one user: the one used longest ago is forgotten. */
export const marksOfUserMax = 20
const day = 24 * hour
/** How long a browser is remembered after its last login; and a network. */
export const markKeptMs = { browser: 365 * day, network: 90 * day } as const

/** Rows of counted attempts; the purge removes those that expire first. */
export const attemptRowsMax = 1_000_000

/** Passwords that are hashed at a time: each takes 19 MB and a thread for tens of milliseconds. */
export const hashingBounds = {
  /** For networks that are not known: shared by network, of IPv6 by the /48. */
  strangers: { places: 2, placesOfOwner: 2, waiting: 50, waitingOfOwner: 10 },
  /** For known browsers and networks, and for sessions: shared by account. */
  known: { places: 1, placesOfOwner: 1, waiting: 50, waitingOfOwner: 5 },
} as const
/** The longest wait for a turn. */
export const hashingWaitMsMax = 10_000

/** New passwords that are judged, one at a time: a hard one takes half a second of a thread. */
export const estimateBounds = {
  places: 1,
  placesOfOwner: 1,
  waiting: 20,
  waitingOfOwner: 3,
} as const
/** The longest wait for a turn, and the longest estimate. */
export const estimateMsMax = 5_000
