import { expect, test } from 'vitest'
import { comesAndGoes, nextSpell, type Spell } from './spell.ts'

const t0 = 1_700_000_000_000
const minuteMs = 60_000

type Seen = { afterMinutes: number; failed: boolean }

/** The spell after these readings of a region, with a gap between each of them. */
const spellAfter = (seen: readonly Seen[]): Spell | undefined => {
  let spell: Spell | undefined
  let notFailingAt: number | null = t0 - minuteMs
  for (const { afterMinutes, failed } of seen) {
    const measuredAt = t0 + afterMinutes * minuteMs
    spell = nextSpell(spell, { failed, measuredAt, notFailingAt }, null, 60)
    if (!failed) notFailingAt = measuredAt
  }
  return spell
}
const at = (afterMinutes: number, failed: boolean): Seen => ({ afterMinutes, failed })

test('a failure that returns after a good reading is intermittent, with its share', () => {
  const spell = spellAfter([at(0, true), at(1, false), at(2, false), at(3, true)])
  expect(spell).toMatchObject({ sinceMs: t0, failed: 2, of: 4, runs: 2 })
  expect(comesAndGoes(spell, 60, t0 + 4 * minuteMs)).toBe(true)
})

test('silence does not end a failure, and a long failure is no spell', () => {
  expect(spellAfter([at(0, true), at(5, true)])).toBeUndefined()
  // just shorter than an outage: it fails once, not twice
  const short = spellAfter([at(0, true), at(2.5, true)])
  expect(short).toMatchObject({ runs: 1 })
  expect(comesAndGoes(short, 60, t0 + 3 * minuteMs)).toBe(false)
})

test('a spell is over after ten good intervals', () => {
  const spell = spellAfter([at(0, true), at(1, false), at(2, true)])
  expect(comesAndGoes(spell, 60, t0 + 12 * minuteMs)).toBe(true)
  expect(comesAndGoes(spell, 60, t0 + 12 * minuteMs + 1)).toBe(false)
})
