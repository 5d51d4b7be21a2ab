import { expect, test } from 'vitest'
import { createFairPool, type FairPool, type NoPlace, type Place } from './fair-pool.ts'

const bounds = { places: 2, placesOfOwner: 1, waiting: 6, waitingOfOwner: 6 }
const held = (result: Place | NoPlace): Place => {
  if (typeof result === 'string') throw new Error(`no place: ${result}`)
  return result
}
const runInTurn = async (pool: FairPool, owner: string, turns: string[]): Promise<void> => {
  const place = held(await pool.take(owner))
  turns.push(owner)
  place.release()
}

test.each([undefined, { places: 1, ofOwner: 1 }])(
  'serves an owner that goes last after all others, until it no longer does (reserve %j)',
  async (reserve) => {
    const pool = createFairPool({ ...bounds, ...(reserve && { reserve }) })
    const turns: string[] = []
    const first = [held(await pool.take('a')), pool.takeNow('b')]
    pool.setLast('late', true)
    const works = ['late', 'c', 'd'].map((owner) => runInTurn(pool, owner, turns))
    for (const place of first) place?.release()
    await Promise.all(works)
    expect(turns).toEqual(['c', 'd', 'late'])
    pool.setLast('late', false)
    const again = [held(await pool.take('a')), pool.takeNow('b')]
    const more = ['late', 'c'].map((owner) => runInTurn(pool, owner, turns))
    for (const place of again) place?.release()
    await Promise.all(more)
    expect(turns.slice(3)).toEqual(['late', 'c'])
  },
)
