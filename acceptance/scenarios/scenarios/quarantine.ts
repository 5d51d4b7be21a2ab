import { expect } from 'vitest'
import { answerTo } from '../expect-service.ts'
import { fleetRegions } from '../fleet.ts'
import { intervalSeconds } from '../interval.ts'
import { mixed, sameWeather, up, type Means, type Act, type Play } from '../scenario.ts'
import { settle } from '../settle.ts'
import { alike, numbered } from './many.ts'

/** 7 of 26 hosts are less than 30 %, and 8 are more. */
const firstToFail = numbered('guarded', 7)
const nextToFail = numbered('guarded-next', 1)
const others = numbered('guarded-other', 18)

/** A quarantine ends after two measured minutes without failures; a region's readings are up to an interval old. */
const cleanMs = 126_000 + (intervalSeconds - 2) * 1_000
/**
 * Readings of a few intervals ago must stay fresh over each step, because silence does not count as clean.
 */
const stepMs = 5_000

const stepThrough = async (means: Means): Promise<void> => {
  const { now } = means.fleet.clock
  const sinceMs = now()
  while (now() < sinceMs + cleanMs) {
    means.fleet.clock.step(stepMs)
    await settle(means)
  }
}

const calm = { internet: 'none', weather: sameWeather('no_data') } as const
const acts: readonly Act[] = [
  { name: 'well', happens: ({ fleet }) => fleet.agents.start(fleetRegions), ...calm },
  { name: 'many services answer with errors in one region', ...calm },
  { name: 'all services recover', ...calm },
  { name: 'a few services are silent in one region', ...calm },
  { name: 'many services are silent in one region', ...calm },
  { name: 'all well', ...calm },
  { name: 'two clean minutes', happens: stepThrough, ...calm },
]

const anyPast = { outages: 'any' } as const
const works = { expect: up(anyPast) }
const failsThere = { expect: mixed('down_in_some_regions', { nrt: 'down' }, anyPast) }
/** Its readings do not count, and the answer does not read the region. */
const withoutVote = { expect: mixed('up', { nrt: 'unknown' }, anyPast) }

/** Expects the reason of the failing region in the answer about one service. */
const expectReason = (slug: string, words: string) => async (means: Means) => {
  const { regions } = await answerTo(means.client, 'isServiceDown', { params: { slug } })
  expect(regions.find(({ region }) => region === 'nrt')?.reason).toContain(words)
}
const answersErrors = { set: { nrt: 'down' }, ...failsThere } as const
const isWell = { set: 'up', ...works } as const

/** A region in which an unlikely share of sites fails at once is quarantined (S-1001). */
export const quarantine: Play = {
  name: 'a failing region',
  acts,
  scenarios: [
    alike('services that answer with errors in a region are down there, in any number', firstToFail, {
      well: works,
      'many services answer with errors in one region': answersErrors,
      'all services recover': isWell,
      'a few services are silent in one region': {
        set: { nrt: 'reset' },
        ...withoutVote,
        verify: expectReason('guarded-01', 'whether our own network is at fault'),
      },
      'many services are silent in one region': withoutVote,
      'all well': { set: 'up', ...withoutVote },
      'two clean minutes': works,
    }),
    alike('one more silent service makes the share unlikely: the region loses its vote', nextToFail, {
      well: works,
      'many services answer with errors in one region': answersErrors,
      'all services recover': isWell,
      'a few services are silent in one region': works,
      'many services are silent in one region': {
        set: { nrt: 'reset' },
        ...withoutVote,
        verify: expectReason('guarded-01', 'quarantined'),
      },
      'all well': { set: 'up', ...withoutVote },
      'two clean minutes': works,
    }),
    alike('a working service is up without the quarantined region, and with it again afterwards', others, {
      well: works,
      'many services answer with errors in one region': works,
      'a few services are silent in one region': works,
      'many services are silent in one region': withoutVote,
      'all well': withoutVote,
      'two clean minutes': works,
    }),
  ],
  reportsUsual: 'no_data',
}
