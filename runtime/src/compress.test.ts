import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { compress, inCoding, type CodedText } from './compress.ts'

test('a text is compressed once per coding, and again after a failure', async () => {
  const known: CodedText = new Map()
  const asked: string[] = []
  const one = (outcome: 'fails' | 'works') =>
    inCoding(known, 'gzip', () => {
      asked.push(outcome)
      return outcome === 'fails' ? Promise.reject(new Error('no memory')) : compress('text', 'gzip')
    })
  await expect(one('fails')).rejects.toThrow('no memory')
  expect(gunzipSync(await one('works')).toString()).toBe('text')
  await one('fails')
  expect(asked).toEqual(['fails', 'works'])
})
