import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { receivedBytesMax, shown, appendReceived } from './received.ts'

const kept = (chunks: readonly Buffer[]): Buffer => chunks.reduce<Buffer>(appendReceived, Buffer.alloc(0))

describe('the stored part of received data', () => {
  test('is its first 4 KB, with any split', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 8 })
    forAll([chunks], (arrays) => {
      const buffers = arrays.map((array) => Buffer.from(array))
      const all = Buffer.concat(buffers).subarray(0, receivedBytesMax)
      expect(kept(buffers).equals(all)).toBe(true)
    })
  })

  test('stays within its bound under a flood of 50 MB', () => {
    const chunk = Buffer.alloc(64 * 1024, 'a')
    const flood = kept(Array.from({ length: 800 }, () => chunk))
    expect(flood.length).toBe(receivedBytesMax)
    expect(flood.buffer.byteLength).toBeLessThan(2 * chunk.length)
  })
})

describe('the shown part', () => {
  test.each<[string, string | null]>([
    ['', null],
    [' ', ' '],
    ['SSH-2.0-OpenSSH_9.2\r\n', 'SSH-2.0-OpenSSH_9.2\\r\\n'],
    ['a\tb\nc', 'a\\tb\\nc'],
    ['\0\x7f\x1b[31m', '\\x00\\x7f\\x1b[31m'],
    ['C:\\r', 'C:\\\\r'],
    ['grüße 👋', 'grüße 👋'],
    ['right\u202eleft\u200b\u2028', 'right\\u{202e}left\\u{200b}\\u{2028}'],
  ])('%j as %j', (text, line) => expect(shown(Buffer.from(text))).toBe(line))

  test('shows invalid UTF-8 as bytes', () => {
    expect(shown(Buffer.from([0x4a, 0, 0xff, 0xc3]))).toBe('J\\x00\\xff\\xc3')
  })

  test.each([
    ['a', 200],
    ['ü', 200],
    ['👋', 200],
    ['\r', 200],
    ['\0', 200],
  ])('of a long text of %j has 200 characters', (character, length) => {
    expect(shown(Buffer.from(character.repeat(1_024)))).toBe(
      { '\r': '\\r', '\0': '\\x00' }[character]?.repeat(200).slice(0, length) ??
        character.repeat(length).slice(0, length),
    )
  })

  test('has at most 200 characters on one line, and is stable for longer text', () => {
    forAll([fc.string({ unit: 'binary', maxLength: 900 })], (text) => {
      const line = shown(Buffer.from(text)) ?? ''
      expect(line.length).toBeLessThanOrEqual(200)
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
    })
    const long = Buffer.from(`a${'é'.repeat(2_000)}`)
    for (const length of [800, 801, 802, 803]) {
      expect(shown(long.subarray(0, length + 10))).toBe(`a${'é'.repeat(199)}`)
    }
  })
})
