import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fewColours } from './few-colours.ts'
import { decodePng, encodeIndexedPng } from './png.ts'

const picture = fc
  .record({ width: fc.integer({ min: 1, max: 9 }), height: fc.integer({ min: 1, max: 9 }) })
  .chain(({ width, height }) =>
    fc
      .uint8Array({ minLength: width * height * 3, maxLength: width * height * 3 })
      .map((bytes) => ({ width, height, bytes })),
  )

test('a picture of no more colours than the palette may have stays as it is', () => {
  fc.assert(
    fc.property(picture, (pixels) => {
      const { palette, indices } = fewColours(pixels, 256)
      const shown = [...indices].map((index) => palette[index] ?? -1)
      expect(shown.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255])).toEqual([
        ...pixels.bytes,
      ])
    }),
  )
})

test('of more colours, a mark of its own stays, and a shade becomes the nearest', () => {
  const [white, shade, black, red] = [
    [255, 255, 255],
    [250, 250, 250],
    [0, 0, 0],
    [200, 0, 0],
  ] as const
  const pixels = [white, white, white, white, shade, shade, black, black, red]
  const bytes = Uint8Array.from(pixels.flat())
  const { palette, indices } = fewColours({ width: 9, height: 1, bytes }, 3)
  expect([...indices].map((index) => palette[index])).toEqual([
    ...Array.from({ length: 6 }, () => 0xffffff),
    0,
    0,
    0xc80000,
  ])
})

/** A PNG as the standard has it, whose rows are filtered as told; no checksum is looked at. */
const pngOf = (width: number, height: number, rows: number[]): Buffer => {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const data = deflateSync(Buffer.from(rows))
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data)])
}

test.each([
  [0, [10, 20, 30, 11, 22, 33]],
  [1, [10, 20, 30, 21, 42, 63]],
  [2, [11, 22, 33, 15, 27, 39]],
  [3, [10, 21, 31, 18, 35, 51]],
  [4, [11, 22, 33, 22, 44, 66]],
])('filter %i of a row is undone', (filter, expected) => {
  const file = pngOf(2, 2, [0, 1, 2, 3, 4, 5, 6, filter, 10, 20, 30, 11, 22, 33])
  expect([...decodePng(file).bytes]).toEqual([1, 2, 3, 4, 5, 6, ...expected])
})

test('what is no PNG of a browser is refused', () => {
  expect(() => decodePng(Buffer.from('GIF89a..'))).toThrow('no PNG')
  expect(() =>
    decodePng(encodeIndexedPng({ width: 1, height: 1 }, [0], new Uint8Array(1))),
  ).toThrow('no PNG of a browser')
})
