import type { Pixels } from './png.ts'

/**
 * The same picture in at most so many colours: those that most pixels have, and for every other one
 * the nearest of them. Pages are drawn in few colours; the rest is the edges of letters. Pure.
 * @returns the palette as 0xrrggbb, and one index into it a pixel
 */
export const fewColours = (
  { width, height, bytes }: Pixels,
  most: number,
): { palette: number[]; indices: Uint8Array } => {
  const counts = new Map<number, number>()
  const colours = new Uint32Array(width * height)
  for (let pixel = 0; pixel < colours.length; pixel += 1) {
    const at = pixel * 3
    const colour = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    colours[pixel] = colour
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const palette = [...counts]
    // the same whatever the order of the pixels
    .toSorted(([a, of], [b, ofOther]) => ofOther - of || a - b)
    .slice(0, most)
    .map(([colour]) => colour)
  const indexOf = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]))
  return { palette, indices: Uint8Array.from(colours, (colour) => indexOf.get(colour) ?? 0) }
}

const nearest = (palette: readonly number[], colour: number): number => {
  let [best, least] = [0, Number.POSITIVE_INFINITY]
  for (const [index, one] of palette.entries()) {
    const distance = distanceOf(one, colour)
    if (distance < least) [best, least] = [index, distance]
  }
  return best
}

const distanceOf = (a: number, b: number): number => {
  const [red, green, blue] = [
    (a >> 16) - (b >> 16),
    ((a >> 8) & 255) - ((b >> 8) & 255),
    (a & 255) - (b & 255),
  ]
  return red * red + green * green + blue * blue
}
