import { createRecent } from '@probe-mesh/runtime/recent'

export type Family = 'ipv4' | 'ipv6'

/** Address families that names do not have, according to their zones. */
export type Absences = {
  /** The family that a name lately did not have; null: none. */
  of(name: string): Family | null
  /** @param seconds as the zone says; 0 keeps nothing */
  keep(name: string, family: Family, seconds: number): void
  forget(name: string): void
  readonly size: number
  /** Names dropped because there were too many. */
  readonly dropped: number
}

/** A name that gains a family is noticed within this time (S-885). */
export const absenceSecondsMax = 300
const namesMax = 20_000

/** @param now monotonic, ms */
export const createAbsences = (now: () => number, max = namesMax): Absences => {
  const names = createRecent<{ family: Family; untilMs: number }>(max)
  return {
    of: (name) => {
      const known = names.get(name)
      return known !== undefined && now() < known.untilMs ? known.family : null
    },
    keep: (name, family, seconds) => {
      names.delete(name)
      if (seconds <= 0) return
      names.set(name, { family, untilMs: now() + Math.min(seconds, absenceSecondsMax) * 1_000 })
    },
    forget: names.delete,
    get size() {
      return names.size
    },
    get dropped() {
      return names.dropped
    },
  }
}
