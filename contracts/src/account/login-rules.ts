/** The number of free attempts, and the wait before each further attempt. */
export type AttemptRule = {
  /** Attempts without a wait, since people mistype. */
  freeAttempts: number
  /** Doubles with each attempt, up to `waitMsMax`. */
  firstWaitMs: number
  waitMsMax: number
  /** Attempts expire after this time without a new one, counted from the end of the last wait. */
  keptMs: number
}

/** Rules for an IPv4 address or IPv6 /64, its /56, and its /48. */
export type NetworkRules = readonly [AttemptRule, AttemptRule, AttemptRule]

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** 5 at once, then waits of 2 s, 4 s, 8 s, ... up to 15 min. */
const guesses = {
  freeAttempts: 5,
  firstWaitMs: 2 * second,
  waitMsMax: 15 * minute,
  keptMs: 24 * hour,
}

const forNetworks = (rule: AttemptRule, [around56, around48]: [number, number]): NetworkRules => [
  rule,
  { ...rule, freeAttempts: around56 },
  { ...rule, freeAttempts: around48 },
]

/** For a known browser or network: it logged in to the account before. Others cannot use up its attempts. */
export const knownRule: AttemptRule = guesses

/** For one e-mail address from one unknown network. */
export const unknownNetworkRules: NetworkRules = forNetworks(guesses, [10, 20])

/**
 * For one e-mail address from all unknown networks together, at most `unknownGuessesPerHour`. A mailed link
 * always works, and this does not slow known browsers and networks.
 */
export const allUnknownRule: AttemptRule = {
  freeAttempts: 20,
  firstWaitMs: second,
  waitMsMax: minute,
  keptMs: hour,
}
export const unknownGuessesPerHour = 100

/** For one network and all e-mail addresses. An office has many people behind one address. */
export const networkRules: NetworkRules = forNetworks({ ...guesses, freeAttempts: 30 }, [60, 120])

/** For mails to one address that unknown networks request. */
export const mailRule: AttemptRule = {
  freeAttempts: 3,
  firstWaitMs: 15 * minute,
  waitMsMax: 15 * minute,
  keptMs: 15 * minute,
}

/** For invitations that one account mails: 20 at once, then waits of 1 min up to 1 h. */
export const invitationRule: AttemptRule = {
  freeAttempts: 20,
  firstWaitMs: minute,
  waitMsMax: hour,
  keptMs: 24 * hour,
}

/** For sign-ups from one network. Each costs a row and a mail. */
export const signUpRules: NetworkRules = forNetworks(
  { ...guesses, freeAttempts: 10, firstWaitMs: 30 * second },
  [20, 40],
)

/** Known browsers and networks of one user. The least recently used is forgotten first. */
export const marksOfUserMax = 20
const day = 24 * hour
/** How long a browser or network stays known after its last login. */
export const markKeptMs = { browser: 365 * day, network: 90 * day } as const

/** Stored attempt counters. The purge deletes those that expire first. */
export const attemptRowsMax = 1_000_000

/** Concurrent password hashes. Each uses 19 MB and a thread for tens of milliseconds. */
export const hashingBounds = {
  /** For unknown networks. The share is per network; for IPv6 per /48. */
  strangers: { places: 2, placesOfOwner: 2, waiting: 50, waitingOfOwner: 10 },
  /** For known browsers and networks, and for sessions. The share is per account. */
  known: { places: 1, placesOfOwner: 1, waiting: 50, waitingOfOwner: 5 },
} as const
/** The longest wait for a turn. */
export const hashingWaitMsMax = 10_000

/** Strength estimates of new passwords, one at a time: a long one uses a thread for 0.5 s. */
export const estimateBounds = {
  places: 1,
  placesOfOwner: 1,
  waiting: 16,
  waitingOfOwner: 3,
} as const
/** The longest wait for a turn: longer than the estimates before it. */
export const estimateWaitMsMax = 30_000
/** CPU time of the thread for one estimate. */
export const estimateCpuMsMax = 2_000
