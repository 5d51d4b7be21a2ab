import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { intervalSeconds } from './interval.ts'
import { createMatrix } from './matrix.ts'
import { perform, type Performance } from './perform.ts'
import type { Play } from './scenario.ts'
import { networks } from './scenarios/networks.ts'
import { quarantine } from './scenarios/quarantine.ts'
import { shared } from './scenarios/shared.ts'
import { storeUnavailable } from './scenarios/store-unavailable.ts'
import { together } from './scenarios/together.ts'

/**
 * Answers come from our own measurements, never from a guess (S-101). Targets with all behaviours are
 * measured through agents, bus, databases and control plane, and every tool's answers are checked at named
 * instants. In between a witness queries each service continuously and compares every answer with the truth
 * at its time of measurement.
 */

const matrix = createMatrix()

/** The plays of a group run in parallel: together they use about one core. */
const groups: readonly (readonly Play[])[] = [
  [together, networks],
  [shared, quarantine, storeUnavailable],
]

for (const plays of groups) {
  describe(plays.map(({ name }) => name).join(', '), () => {
    let performances: readonly Performance[] = []
    beforeAll(async () => {
      performances = await Promise.all(plays.map((play) => perform(play, matrix)))
    }, 300_000 * intervalSeconds)
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
