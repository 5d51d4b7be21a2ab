import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMatrix } from './matrix.ts'
import { perform } from './perform.ts'
import type { Performance } from './perform.ts'
import type { Play } from './scenario.ts'
import { networks } from './scenarios/networks.ts'
import { quarantine } from './scenarios/quarantine.ts'
import { shared } from './scenarios/shared.ts'
import { storeAway } from './scenarios/store-away.ts'
import { together } from './scenarios/together.ts'

/**
 * Whether a service is down comes from our own measurements, never from a guess (S-101): targets that do all
 * that targets do, read through agents, bus, stores and control plane, and every tool's answer at
 * named instants. In between each service is asked about all the while, and every answer is held
 * against what was true when it was measured.
 */

const matrix = createMatrix()

/** Those of a group run side by side: together they are about as much as one core measures. */
const groups: readonly (readonly Play[])[] = [
  [together, networks],
  [shared, quarantine, storeAway],
]

for (const plays of groups) {
  describe(plays.map(({ name }) => name).join(', '), () => {
    let performances: readonly Performance[] = []
    beforeAll(async () => {
      performances = await Promise.all(plays.map((play) => perform(play, matrix)))
    }, 600_000)
    for (const [index, play] of plays.entries()) {
      const names = [play.name, ...play.scenarios.map(({ name }) => name)]
      test.each(names)('%s', (name) => {
        expect(performances[index]?.get(name)).toEqual([])
      })
    }
  })
}

describe('answers at any time', () => {
  afterAll(() => {
    console.info(
      `${matrix.total} answers, by the true status when measured:\n` +
        `${matrix.table()}\n` +
        `wrong down ${matrix.wrongly('down')}, wrong up ${matrix.wrongly('up')}, wrong blocked ${matrix.wrongly('blocked')}, ` +
        `false alarms of shared incidents ${matrix.falseAlarms}`,
    )
  })
  test('no answer reports down, up or blocked wrongly', () => {
    expect(matrix.wrong).toEqual([])
    expect(matrix.total).toBeGreaterThan(500)
  })
})
