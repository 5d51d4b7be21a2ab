import type { Line } from './line.ts'
import type { NoTurn } from './wait-in-line.ts'

/** What of a pool's bounds decides about places. */
type Bounds = { places: number; placesOfOwner: number; reserve?: { places: number; ofOwner: number } }

/** An owner with running or waiting works. */
export type Owner = {
  readonly name: string
  taken: number
  /** null until its first wait. */
  queue: Line<Waiter> | null
  /** The work it has received, as virtual time. The owner with the least is served next. */
  received: number
  /** When it was served or started to wait. Breaks ties: the earlier owner is next. */
  turn: number
  isLast: boolean
  /** Its index in the heap of waiting owners below their share; -1 otherwise. */
  at: number
}
export type Waiter = {
  owner: Owner
  cost: number
  settle(result: { release(cost?: number): void } | NoTurn): void
}

export type OwnerShare = { owner: string; taken: number; waiting: number }

export const newOwner = (name: string, received: number, isLast: boolean): Owner => ({
  name,
  taken: 0,
  queue: null,
  received,
  turn: 0,
  isLast,
  at: -1,
})

/** Whether a place is free for an owner. @param taken places of all owners */
export const hasPlaceFor = (
  { places, placesOfOwner, reserve }: Bounds,
  taken: number,
  owner: Pick<Owner, 'taken' | 'isLast'>,
): boolean => {
  if (taken >= places || owner.taken >= placesOfOwner) return false
  if (reserve === undefined || (!owner.isLast && owner.taken < reserve.ofOwner)) return true
  return taken < places - reserve.places
}

/** Which of two waiting owners is next. */
export const orderOf = ({ reserve }: Pick<Bounds, 'reserve'>): ((one: Owner, other: Owner) => boolean) => {
  const isBefore = reserve === undefined ? hasReceivedLess : hasFewer
  return (one, other) => (one.isLast === other.isLast ? isBefore(one, other) : other.isLast)
}

export const largestOf = (owners: Iterable<Owner>, count: number): OwnerShare[] =>
  [...owners]
    .map(({ name, taken, queue }) => ({ owner: name, taken, waiting: queue?.size ?? 0 }))
    .toSorted((a, b) => b.taken + b.waiting - (a.taken + a.waiting))
    .slice(0, count)

export const withMostWaiting = (owners: Iterable<Owner>, least: number): Owner | null => {
  let most: Owner | null = null
  for (const owner of owners) {
    if (waitingOf(owner) > Math.max(least, waitingOf(most))) most = owner
  }
  return most
}

export const waitingOf = (owner: Owner | null | undefined): number => owner?.queue?.size ?? 0

const hasReceivedLess = (one: Owner, other: Owner): boolean =>
  one.received === other.received ? one.turn < other.turn : one.received < other.received

const hasFewer = (one: Owner, other: Owner): boolean =>
  one.taken === other.taken ? hasReceivedLess(one, other) : one.taken < other.taken
