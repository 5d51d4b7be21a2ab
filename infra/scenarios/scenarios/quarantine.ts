import { expect } from 'vitest'
import { answerTo } from '../expect-service.ts'
import { fleetRegions } from '../fleet.ts'
import type { Means } from '../scenario.ts'
import { mixed, sameWeather, up } from '../scenario.ts'
import type { Act, Play } from '../scenario.ts'
import { settle } from '../settle.ts'
import { alike, numbered } from './many.ts'

/** Of 26 hosts 7 are less than 30 %, and 8 are more. */
const firstToFail = numbered('guarded', 7)
const nextToFail = numbered('guarded-next', 1)
const others = numbered('guarded-other', 18)

/** A quarantine ends after two minutes in which the region was measured and clean. */
const cleanMs = 126_000
/** What is measured must stay fresh over each step. */
const stepMs = 9_000

const stepThrough = async (means: Means): Promise<void> => {
  for (let ms = 0; ms < cleanMs; ms += stepMs) {
    means.fleet.clock.step(stepMs)
    await settle(means)
  }
}

const calm = { internet: 'none', weather: sameWeather('no_data') } as const
const acts: readonly Act[] = [
  { name: 'well', happens: ({ fleet }) => fleet.agents.start(fleetRegions), ...calm },
  { name: 'few fail in one region', ...calm },
  { name: 'many fail in one region', ...calm },
  { name: 'all well', ...calm },
  { name: 'two clean minutes', happens: stepThrough, ...calm },
]

const anyPast = { outages: 'any' } as const
const works = { expect: up(anyPast) }
const failsThere = { expect: mixed('down_in_some_regions', { nrt: 'down' }, anyPast) }
/** Its readings are told to be none, and they are not read. */
const withoutVote = { expect: mixed('up', { nrt: 'unknown' }, anyPast) }

/** "A region in which an unlikely share of distinct targets fails at once is quarantined." */
export const quarantine: Play = {
  name: 'a region that fails by itself',
  acts,
  scenarios: [
    alike('what fails in a region among few is down there', firstToFail, {
      well: works,
      'few fail in one region': { set: { nrt: 'down' }, ...failsThere },
      'many fail in one region': withoutVote,
      'all well': { set: 'up', ...withoutVote },
      'two clean minutes': works,
    }),
    alike('one more makes the share unlikely: the region loses its vote', nextToFail, {
      well: works,
      'few fail in one region': works,
      'many fail in one region': {
        set: { nrt: 'down' },
        ...withoutVote,
        look: async ({ asker }) => {
          const params = { slug: 'guarded-01' }
          const { regions } = await answerTo(asker, 'isServiceDown', { params })
          const nrt = regions.find(({ region }) => region === 'nrt')
          expect(nrt?.reason).toContain('quarantined')
        },
      },
      'all well': { set: 'up', ...withoutVote },
      'two clean minutes': works,
    }),
    alike('what works is up without the quarantined region, and with it again after', others, {
      well: works,
      'few fail in one region': works,
      'many fail in one region': withoutVote,
      'all well': withoutVote,
      'two clean minutes': works,
    }),
  ],
  reportsUsual: 'no_data',
}
