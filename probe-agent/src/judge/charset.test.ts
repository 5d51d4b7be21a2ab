import { describe, expect, test } from 'vitest'
import { charsetOf } from './charset.ts'
import { decodeBody } from './body-text.ts'

const html = 'text/html'
const found = (text: string | Buffer, contentType = html): string => {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text
  const { encoding, isDeclared } = charsetOf(bytes, contentType)
  return isDeclared ? encoding : 'none'
}

/** Chromium has the same values: acceptance/http-corpus/charsets.test.ts asks it. */
describe('the charset of a page', () => {
  test.each<[string, string, string]>([
    ['charset', '<meta charset=gbk>', 'gbk'],
    ['charset in quotes', `<!doctype html><html><head><title>a</title><meta charset='gbk'>`, 'gbk'],
    ['a label of it', '<meta charset="GB2312">', 'gbk'],
    ['spaces around it', '<meta  charset = " gbk " >', 'gbk'],
    ['capitals', '<META CHARSET=GBK>', 'gbk'],
    ['a slash', '<meta/charset=gbk/>', 'none'],
    ['a slash after a space', '<meta charset="gbk" />', 'gbk'],
    ['http-equiv', '<meta http-equiv="Content-Type" content="text/html; charset=big5">', 'big5'],
    ['the other order', '<meta content="text/html;charset=big5" http-equiv=content-type>', 'big5'],
    ['quotes in the content', `<meta http-equiv=content-type content="a; charset='euc-kr'">`, 'euc-kr'],
    ['content without http-equiv', '<meta content="text/html; charset=big5">', 'none'],
    ['another http-equiv', '<meta http-equiv=refresh content="0; charset=big5"><meta charset=gbk>', 'gbk'],
    ['a comment before', '<!-- <meta charset=gbk> --><meta charset=koi8-r>', 'koi8-r'],
    ['a short comment before', '<!--><meta charset=gbk>', 'gbk'],
    ['a comment without end', '<!-- <meta charset=gbk>', 'none'],
    ['in an attribute', '<a title="<meta charset=gbk>"><meta charset=koi8-r>', 'koi8-r'],
    ['in a script', '<script>"<meta charset=gbk>"</script>', 'gbk'],
    ['in an instruction', '<?php <meta charset=gbk><meta charset=koi8-r>', 'koi8-r'],
    ['after an end tag', '</b><meta charset=gbk>', 'gbk'],
    ['another tag of that beginning', '<metal charset=gbk>', 'none'],
    ['an unknown label', '<meta charset=klingon><meta charset=gbk>', 'gbk'],
    ['twice in one tag', '<meta charset=gbk charset=big5>', 'gbk'],
    ['the first of two', '<meta charset=gbk><meta charset=big5>', 'gbk'],
    ['UTF-16 that cannot be', '<meta charset=utf-16>', 'utf-8'],
    ['x-user-defined', '<meta charset=x-user-defined>', 'windows-1252'],
    ['iso-8859-1, which is windows-1252', '<meta charset=iso-8859-1>', 'windows-1252'],
    ['without its end', '<meta charset=gbk', 'none'],
    ['the last byte that counts', `${' '.repeat(1_006)}<meta charset=gbk>`, 'gbk'],
    ['one byte further', `${' '.repeat(1_007)}<meta charset=gbk>`, 'none'],
    ['an XML declaration', '<?xml version="1.0" encoding="windows-1251"?><html>', 'windows-1251'],
    ['meta wins over it', '<?xml version="1.0" encoding="windows-1251"?><meta charset=gbk>', 'gbk'],
    ['nothing', '<p>plain', 'none'],
  ])('declared by %s: %j is %s', (_, page, expected) => {
    expect(found(page)).toBe(expected)
  })

  test.each<[string, string | undefined, string, string]>([
    ['the content type wins', 'text/html; charset=koi8-r', '<meta charset=gbk>', 'koi8-r'],
    ['in quotes', 'text/html; charset="gbk"', '', 'gbk'],
    ['after another parameter', 'text/html; a="; charset=x"; charset=gbk', '', 'gbk'],
    ['the first of two', 'text/html; charset=gbk; charset=big5', '', 'gbk'],
    ['capitals', 'TEXT/HTML; CHARSET=GBK', '', 'gbk'],
    ['an unknown label declares nothing', 'text/html; charset=klingon', '<meta charset=gbk>', 'gbk'],
    ['a label without text', 'text/html; charset=', '<meta charset=gbk>', 'gbk'],
    ['an encoding without a decoder', 'text/html; charset=iso-2022-kr', '', 'none'],
    ['plain text has no elements', 'text/plain', '<meta charset=gbk>', 'none'],
    ['JSON neither', 'application/json', '{"a":"<meta charset=gbk>"}', 'none'],
    ['JSON with a charset', 'application/json; charset=iso-8859-1', '{}', 'windows-1252'],
    ['XML declares it', 'application/rss+xml', '<?xml version="1.0" encoding="koi8-r"?>', 'koi8-r'],
    ['in XML a meta element does not', 'text/xml', '<meta charset="gbk"/>', 'none'],
    ['XHTML as XML', 'application/xhtml+xml', "<?xml version='1.0' encoding='gbk'?>", 'gbk'],
    ['no type, but HTML', undefined, ' <!DOCTYPE html><meta charset=gbk>', 'gbk'],
    ['no type and no HTML', undefined, 'text <meta charset=gbk>', 'none'],
    ['a type that says nothing', '*/*', '<html><meta charset=gbk>', 'gbk'],
    ['a type that is none', 'gbk', 'text', 'none'],
  ])('%s: %j with %j is %s', (_, type, page, expected) => {
    const { encoding, isDeclared } = charsetOf(Buffer.from(page, 'latin1'), type)
    expect(isDeclared ? encoding : 'none').toBe(expected)
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
    expect(decodeBody(body(bytes), { 'content-type': type })).toEqual({ text, isSure: true })
  })

  test('is not sure without a charset and without UTF-8', () => {
    expect(decodeBody(body(Buffer.from('ok ä', 'latin1')), {})).toEqual({ text: 'ok \ufffd', isSure: false })
    expect(decodeBody(body(Buffer.from('ok ä')), {})).toEqual({ text: 'ok ä', isSure: true })
  })

  test('that is cut inside a character is still UTF-8', () => {
    expect(decodeBody(body(Buffer.from('ok ä').subarray(0, -1), true), {})).toEqual({
      text: 'ok ',
      isSure: true,
    })
  })
})
