import { expect, test } from 'vitest'
import { unanswered, type Answer } from './failure.ts'
import { createListing } from './listing.ts'
import { contextOf } from './testing.ts'

const { context } = contextOf()

const listingOf = () => {
  const asked: ((answer: Answer<number>) => void)[] = []
  const listing = createListing<number>(() => new Promise((resolve) => asked.push(resolve)))
  return { listing, asked }
}

test('serves concurrent and later reads from one request', async () => {
  const { listing, asked } = listingOf()
  const answers = [listing.get(context), listing.get(context)]
  asked[0]?.({ ok: true, value: 1 })
  expect(await Promise.all([...answers, listing.get(context)])).toEqual(
    Array.from({ length: 3 }, () => ({ ok: true, value: 1 })),
  )
  expect(asked).toHaveLength(1)
})

test('discards a listing that was requested before a write', async () => {
  const { listing, asked } = listingOf()
  const before = listing.get(context)
  listing.forget()
  const after = listing.get(context)
  asked[0]?.({ ok: true, value: 1 })
  asked[1]?.({ ok: true, value: 2 })
  expect(await before).toMatchObject({ value: 1 })
  expect([await after, await listing.get(context)]).toMatchObject([{ value: 2 }, { value: 2 }])
})

test('does not cache a failure', async () => {
  const { listing, asked } = listingOf()
  const first = listing.get(context)
  asked[0]?.(unanswered('away'))
  expect(await first).toMatchObject({ ok: false })
  const second = listing.get(context)
  asked[1]?.({ ok: true, value: 2 })
  expect(await second).toMatchObject({ value: 2 })
})
