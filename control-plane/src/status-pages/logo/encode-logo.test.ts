import sharp from 'sharp'
import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { encodeLogo, type EncodedLogo } from './encode-logo.ts'

const red = { r: 255, g: 0, b: 0 }
const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { ...red, alpha: 0.5 } } })

const encoded = async (file: Uint8Array): Promise<EncodedLogo> => {
  const logo = await encodeLogo(file)
  if ('problem' in logo) throw new Error(logo.problem)
  return logo
}
const problemOf = async (file: Uint8Array): Promise<string | null> => {
  const logo = await encodeLogo(file)
  return 'problem' in logo ? logo.problem : null
}

/** A PNG with this size in its header, and some rows of zeros. */
const pngOf = (width: number, height: number, rows = height): Buffer => {
  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n
    for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
    return c >>> 0
  })
  const crc = (bytes: Buffer): number => {
    let c = 0xffffffff
    for (const byte of bytes) c = (table[(c ^ byte) & 255] ?? 0) ^ (c >>> 8)
    return (c ^ 0xffffffff) >>> 0
  }
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    return Buffer.concat([number(data.length), body, number(crc(body))])
  }
  const head = Buffer.concat([number(width), number(height), Buffer.from([8, 0, 0, 0, 0])])
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe('a logo', () => {
  test.each([
    ['png', 'png'],
    ['jpeg', 'jpg'],
    ['webp', 'webp'],
    ['gif', 'png'],
  ] as const)('of a %s is a %s of the same size', async (format, type) => {
    const logo = await encoded(await blank(120, 40).toFormat(format).toBuffer())
    expect(logo).toMatchObject({ type, width: 120, height: 40, hash: expect.stringMatching(/^[\w-]{22}$/) })
    expect(await sharp(logo.bytes).metadata()).toMatchObject({ width: 120, height: 40 })
  })

  test('of the largest size is scaled down in proportion', async () => {
    const logo = await encoded(await blank(2_000, 500).webp().toBuffer())
    expect(logo).toMatchObject({ width: 1_024, height: 256 })
  })

  test('keeps only the pixels of the file, upright', async () => {
    const file = await sharp({ create: { width: 40, height: 20, channels: 3, background: red } })
      .withExif({ IFD0: { Copyright: 'the-secret-place', Orientation: '6' } })
      .jpeg()
      .toBuffer()
    expect(file.includes('the-secret-place')).toBe(true)
    const turned = await sharp(file).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const logo = await encoded(turned)
    expect(logo.bytes.includes('the-secret-place')).toBe(false)
    expect(logo).toMatchObject({ width: 20, height: 40 })
    const appended = Buffer.concat([
      await blank(10, 10).png().toBuffer(),
      Buffer.from('<script>alert(1)</script>'),
    ])
    expect((await encoded(appended)).bytes.includes('script')).toBe(false)
  })

  test('is the same for the same file, and has another hash for other pixels', async () => {
    const file = await blank(10, 10).png().toBuffer()
    expect((await encoded(file)).hash).toBe((await encoded(file)).hash)
    expect((await encoded(await blank(10, 11).png().toBuffer())).hash).not.toBe((await encoded(file)).hash)
  })
})

describe('an invalid logo', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

  test.each<[string, () => Promise<Uint8Array> | Uint8Array, RegExp]>([
    ['an SVG', () => Buffer.from(svg), /PNG, JPEG, WebP or GIF/],
    [
      'an SVG behind a signature of a PNG',
      () => Buffer.concat([pngOf(1, 1).subarray(0, 8), Buffer.from(svg)]),
      /damaged/,
    ],
    ['a TIFF', () => blank(10, 10).tiff().toBuffer(), /PNG, JPEG, WebP or GIF/],
    ['a text', () => Buffer.from('logo'), /PNG, JPEG, WebP or GIF/],
    ['an empty file', () => new Uint8Array(), /PNG, JPEG, WebP or GIF/],
    ['a half file', async () => (await blank(300, 300).jpeg().toBuffer()).subarray(0, 700), /damaged/],
    ['2,001 pixels in width', () => pngOf(2_001, 10), /2000 pixels/],
    ['2,001 pixels in height', () => pngOf(10, 2_001), /2000 pixels/],
    [
      'a file of 512 KB and a byte',
      () => Buffer.concat([pngOf(1, 1), Buffer.alloc(512 * 1024 - pngOf(1, 1).length + 1)]),
      /512 KB/,
    ],
  ])('%s is refused', async (_, fileOf, message) => {
    expect(await problemOf(await fileOf())).toMatch(message)
  })

  test('a small file that claims millions of pixels is refused by its header alone', async () => {
    expect(await problemOf(pngOf(20_000, 20_000, 1))).toMatch(/2000 pixels/)
    // a decoder finds the same file damaged
    expect(await problemOf(pngOf(2_000, 2_000, 1))).toMatch(/damaged/)
  })

  test('an animation is refused, in a GIF and in a WebP', async () => {
    const frames = await Promise.all(
      [red, { r: 0, g: 255, b: 0 }].map((background) =>
        sharp({ create: { width: 8, height: 8, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    for (const format of ['gif', 'webp'] as const) {
      const file = await sharp(frames, { join: { animated: true } })
        .toFormat(format)
        .toBuffer()
      expect(await problemOf(file)).toMatch(/animated/)
    }
  })

  test('any bytes after a signature are refused or decoded, without an exception', async () => {
    const signatures = [pngOf(1, 1).subarray(0, 8), Buffer.from([0xff, 0xd8, 0xff]), Buffer.from('GIF89a')]
    for (const signature of signatures) {
      for (let seed = 0; seed < 20; seed += 1) {
        const noise = Buffer.from(Array.from({ length: 200 }, (_, n) => (n * 31 + seed * 17) % 256))
        expect(await problemOf(Buffer.concat([signature, noise]))).not.toBeNull()
      }
    }
  })
})
