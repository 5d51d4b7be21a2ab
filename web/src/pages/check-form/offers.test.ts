import { expect, test } from 'vitest'
import { offersIn, offersOf, takeOffer } from './offers.ts'

const answer = (body: string, isCut = false) =>
  offersOf({
    readings: [{ httpStatus: null }, { httpStatus: 503 }, { httpStatus: 200 }] as never,
    excerpt: { contentType: 'application/json', body, isCut },
  }).map(({ text }) => text)

test('offers the status and the first JSON values of an answer', () => {
  const body = JSON.stringify({
    items: [{ name: 'Book', price: 3 }],
    'odd key': 1,
    none: null,
    ok: true,
    late: 'x',
  })
  expect(answer(body)).toEqual([
    'status 200',
    'JSON items[0].name = Book',
    'JSON items[0].price = 3',
    'JSON ok = true',
  ])
})

test('offers the title of a page, and nothing from truncated JSON', () => {
  expect(answer('<html><title> Shop </title>')).toEqual(['status 200', 'body contains Shop'])
  expect(answer('{"a": 1}', true)).toEqual(['status 200'])
  expect(answer('"text"')).toEqual(['status 200'])
  expect(answer('<title>a &amp; b</title>')).toEqual(['status 200'])
  expect(offersOf({ readings: [], excerpt: undefined } as never)).toEqual([])
})

test('an offer fills its fields once, and forged offers fill none', () => {
  const offers = [{ text: 'status 204', fields: { assertionStatusMin: '204', assertionStatusMax: '204' } }]
  const typed = { url: 'https://example.org/', offers: JSON.stringify(offers) }
  expect(takeOffer('offer-0', typed)).toEqual({
    url: 'https://example.org/',
    assertionStatusMin: '204',
    assertionStatusMax: '204',
    offers: '[]',
  })
  expect(takeOffer('offer-1', typed)).toBeNull()
  expect(takeOffer('save', typed)).toBeNull()
  for (const forged of ['{', '{}', '[{"text":"x","fields":{"url":"https://evil.example/"}}]', 'null']) {
    expect(offersIn({ offers: forged })).toEqual([])
  }
})
