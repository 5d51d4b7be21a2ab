import type { Region } from '@probe-mesh/contracts/reading/regions'

/** What is simulated. */
export type Mesh = {
  regions: readonly Region[]
  agentsPerRegion: number
  intervalSeconds: number
  /** One minute in peace, or a second one in which agents and owners come and go. */
  minutes: 1 | 2
  /** How finely time passes, ms: at most 100, which the loops' paces are multiples of. */
  stepMs: number
}

export const minuteMs = 60_000

/** When the simulation begins, Unix ms: a whole minute, so that what is counted by second is whole. */
export const fromMs = 1_795_305_600_000
export const secondMinuteMs = fromMs + minuteMs

/** One check in so many goes down in all its regions when the second minute begins. */
const failingOneIn = 1_000
export const isFailing = (number: number): boolean => number % failingOneIn === 0
