import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** A picture, three bytes a pixel: red, green, blue. */
export type Pixels = { width: number; height: number; bytes: Uint8Array }

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Colour types of a PNG that browsers write, and their bytes a pixel (PNG 3, 11.2.2). */
const bytesOfType: Readonly<Record<number, number>> = { 2: 3, 6: 4 }
const indexed = 3

/**
 * The pixels of a PNG as browsers write it: 8 bits a channel, not interlaced. What is transparent is
 * shown as its colour.
 * @throws Error for any other
 */
export const decodePng = (file: Buffer): Pixels => {
  if (!file.subarray(0, 8).equals(signature)) throw new Error('this is no PNG')
  const chunks: Buffer[] = []
  let [width, height, size] = [0, 0, 0]
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const data = file.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') {
      ;[width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)]
      size = bytesOfType[data[9] ?? -1] ?? 0
      if (data[8] !== 8 || size === 0 || data[12] !== 0) throw new Error('no PNG of a browser')
    }
    if (type === 'IDAT') chunks.push(data)
    at += length + 12
  }
  const rows = unfilter(inflateSync(Buffer.concat(chunks)), { width, height, size })
  const bytes = new Uint8Array(width * height * 3)
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      bytes[pixel * 3 + channel] = rows[pixel * size + channel] ?? 0
    }
  }
  return { width, height, bytes }
}

/** PNG 3, 9: every row begins with the name of its filter. */
const unfilter = (
  filtered: Buffer,
  { width, height, size }: { width: number; height: number; size: number },
): Uint8Array => {
  const line = width * size
  const out = new Uint8Array(line * height)
  for (let row = 0; row < height; row += 1) {
    const filter = filtered[row * (line + 1)] ?? 0
    const from = row * (line + 1) + 1
    const to = row * line
    for (let x = 0; x < line; x += 1) {
      const left = x < size ? 0 : (out[to + x - size] ?? 0)
      const above = row === 0 ? 0 : (out[to + x - line] ?? 0)
      const corner = row === 0 || x < size ? 0 : (out[to + x - line - size] ?? 0)
      out[to + x] = (filtered[from + x] ?? 0) + predicted(filter, left, above, corner)
    }
  }
  return out
}

const predicted = (filter: number, left: number, above: number, corner: number): number => {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  return filter === 4 ? paeth(left, above, corner) : 0
}

const paeth = (left: number, above: number, corner: number): number => {
  const guess = left + above - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

/** @param palette at most 256 colours as 0xrrggbb @param indices one byte a pixel */
export const encodeIndexedPng = (
  { width, height }: Pick<Pixels, 'width' | 'height'>,
  palette: readonly number[],
  indices: Uint8Array,
): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, indexed, 0, 0, 0], 8)
  const colours = Buffer.from(palette.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255]))
  const rows = Buffer.alloc((width + 1) * height)
  for (let row = 0; row < height; row += 1) {
    rows.set(indices.subarray(row * width, (row + 1) * width), row * (width + 1) + 1)
  }
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}
