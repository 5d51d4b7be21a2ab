import { describe, expect, test } from 'vitest'
import { charsetOf } from './charset.ts'
import { decodeBody } from './body-text.ts'
import { pagesWithCharset, typesWithCharset } from './testing/charset-cases.ts'

const html = 'text/html'
const found = (text: string | Buffer, contentType = html): string => {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text
  const { encoding, isDeclared } = charsetOf(bytes, contentType)
  return isDeclared ? encoding : 'none'
}

/** Chromium has the same values: acceptance/http-corpus/charsets.test.ts asks it. */
describe('the charset of a page', () => {
  test.each([...pagesWithCharset])('declared by %s: %j is %s', (_, page, expected) => {
    expect(found(page)).toBe(expected)
  })

  test.each([...typesWithCharset])('%s: %j with %j is %s', (_, type, page, expected) => {
    const { encoding, isDeclared } = charsetOf(Buffer.from(page, 'latin1'), type)
    expect(isDeclared ? encoding : 'none').toBe(expected)
  })

  test('of a feed is that of XML', () => {
    expect(found('<?xml version="1.0" encoding="koi8-r"?>', 'application/rss+xml')).toBe('koi8-r')
  })

  test.each<[string, Buffer, string]>([
    ['UTF-8', Buffer.from('\ufeff<meta charset=gbk>'), 'utf-8'],
    ['UTF-16LE', Buffer.from('\ufeff<p>a', 'utf16le'), 'utf-16le'],
    ['UTF-16BE', Buffer.from('\ufeff<p>a', 'utf16le').swap16(), 'utf-16be'],
    ['none, but UTF-16LE as XML', Buffer.from('<?xml version="1.0"?>', 'utf16le'), 'utf-16le'],
    ['none, but UTF-16BE as XML', Buffer.from('<?xml version="1.0"?>', 'utf16le').swap16(), 'utf-16be'],
  ])('a byte order mark wins over all: %s', (_, bytes, expected) => {
    expect(found(bytes)).toBe(expected)
    if (expected !== 'utf-8') return
    expect(found(bytes, 'text/html; charset=koi8-r')).toBe('utf-8')
  })
})

describe('the text of a body', () => {
  const body = (bytes: Buffer, truncated = false) => ({ bytes, truncated, undecoded: null })
  /** 你好 in GBK, größe in latin1, привет in KOI8-R: by iconv. */
  test.each<[string, Buffer, string]>([
    ['<meta charset=gbk>你好', Buffer.from('3c6d65746120636861727365743d67626b3ec4e3bac3', 'hex'), html],
    ['größe', Buffer.from('6772f6df65', 'hex'), 'text/plain; charset=iso-8859-1'],
    ['привет', Buffer.from('d0d2c9d7c5d4', 'hex'), 'text/html; charset=koi8-r'],
    ['’', Buffer.from('92', 'hex'), 'text/html; charset=windows-1252'],
    ['{"a":1}', Buffer.from('\ufeff{"a":1}'), 'application/json'],
    ['a', Buffer.from('fffe6100', 'hex'), 'text/plain'],
  ])('is %j', (text, bytes, type) => {
    expect(decodeBody(body(bytes), { 'content-type': type })).toEqual({ text, doubt: null })
  })

  test('is not sure without a charset and without UTF-8', () => {
    expect(decodeBody(body(Buffer.from('ok ä', 'latin1')), {})).toMatchObject({
      text: 'ok \ufffd',
      doubt: { isOurs: false },
    })
    expect(decodeBody(body(Buffer.from('ok ä')), {})).toEqual({ text: 'ok ä', doubt: null })
  })

  test('that is cut inside a character is still UTF-8', () => {
    expect(decodeBody(body(Buffer.from('ok ä').subarray(0, -1), true), {})).toEqual({
      text: 'ok ',
      doubt: null,
    })
  })
})
