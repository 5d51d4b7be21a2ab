import { presence } from '@probe-mesh/contracts/mesh/subjects'
import { expect, test } from 'vitest'
import { trackName, type NameSighting } from './await-name.ts'

const own = { agent: 'fra-1', instance: 'a@one' }
const listed = (revision: number, instance: string | null = 'b@two') => [
  { agent: 'fra-1', region: 'fra', version: '1', startedAt: 1, revision, instance },
]
/** The result of a series of lists, one per second. */
const see = (lists: ReturnType<typeof listed>[]): NameSighting | null => {
  let seen: NameSighting | null = null
  for (const [second, list] of lists.entries()) {
    seen = trackName(seen, list, own, second * 1_000)
    if (seen === null) return null
  }
  return seen
}

test('a free name, or one of an earlier process of this installation, is available at once', () => {
  expect(see([[]])).toBe(null)
  expect(see([listed(1, 'a@one')])).toBe(null)
})

test('another installation that announces itself has the name, whatever its version', () => {
  for (const instance of ['b@two', null]) {
    expect(see([listed(1, instance), listed(2, instance)])).toMatchObject({ hasMoved: true })
  }
})

test('a silent installation keeps the name only until its silence is certain', () => {
  const silent = presence.silentMs / 1_000
  expect(see(Array.from({ length: silent }, () => listed(1)))).toMatchObject({ hasMoved: false })
  expect(see(Array.from({ length: silent + 1 }, () => listed(1)))).toBe(null)
})
