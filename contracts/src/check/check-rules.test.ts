import { describe, expect, test } from 'vitest'
import { CreateCheckInput } from './create-check-input.ts'
import { allowListOf, allowNothing } from '../target/address.ts'
import { judgeCheck } from './check-rules.ts'

const agent = 'private-0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const rules = (fields: object, ...allow: Parameters<typeof judgeCheck>[2][]) =>
  judgeCheck(CreateCheckInput, { name: 'a', url: 'https://example.org/', ...fields }, ...allow).problems.map(
    ({ rule, code, path }) => `${code} ${rule} ${path}`,
  )

test('lists the problems of all fields at once, and judges the target besides them', () => {
  const wrong = { name: ' ', url: 'ftp://x/', regions: ['fra', 'fra'], assertionBodyOp: 'like', more: 1 }
  expect(rules(wrong)).toEqual([
    'SV-2002 assertionBodyOp.values assertionBodyOp',
    'SV-2001 name_blank name',
    'SV-2001 regions_twice regions',
    'SV-2001 unknown more',
    'SV-5001 url_scheme url',
  ])
})

test('judges no target that is wrong in itself, and returns no value then', () => {
  expect(rules({ url: 7 })).toEqual(['SV-2001 url.type url'])
  expect(judgeCheck(CreateCheckInput, { url: 7 }).value).toBeUndefined()
})

describe('a target that is not public', () => {
  const urls = ['http://10.0.0.1/', 'http://127.0.0.1/', 'http://localhost/', 'http://[fd00::1]/']
  test.each(urls)('%s may be opened by an operator', (url) => {
    expect(rules({ url })).toEqual([])
    expect(rules({ url }, allowNothing)).toHaveLength(1)
  })

  test('is judged by the list that is given', () => {
    const allow = allowListOf(['10.0.0.0/8'])
    expect(rules({ url: 'http://10.0.0.1/' }, allow)).toEqual([])
    expect(rules({ url: 'http://127.0.0.1/' }, allow)).toEqual(['SV-5001 address url'])
  })

  test.each(['http://wiki/', 'http://wiki.internal/', 'http://db.example.org:22/'])(
    '%s is refused by every operator, and decided by a private agent',
    (url) => {
      expect(rules({ url })).toHaveLength(1)
      expect(rules({ url, regions: [agent] })).toEqual([])
      expect(rules({ url, regions: [agent] }, allowNothing)).toEqual([])
      // of wrong regions nothing is known
      expect(rules({ url, regions: [agent, 'fra'] })).toEqual([
        'SV-2001 regions_mixed regions[0]',
        expect.stringMatching(/^SV-5001/),
      ])
    },
  )

  test.each(['http://me:secret@10.0.0.1/', 'http://10.0.0.1 /', 'gopher://10.0.0.1/'])(
    '%s is refused by everyone',
    (url) => expect(rules({ url, regions: [agent] })).toHaveLength(1),
  )
})
