import type { Pixels } from './png.ts'

/**
 * The same picture in at most so many colours: each next one is that which many pixels have and which
 * is far from all before it, so that a mark of a few pixels keeps its own. The others become the
 * nearest of them; on a page these are the edges of letters. Pure.
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
  const palette = paletteOf(counts, most)
  const indexOf = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]))
  return { palette, indices: Uint8Array.from(colours, (colour) => indexOf.get(colour) ?? 0) }
}

const paletteOf = (counts: ReadonlyMap<number, number>, most: number): number[] => {
  // of the same worth, the lowest: the same palette whatever the order of the pixels
  const left = [...counts]
    .toSorted(([a], [b]) => a - b)
    .map(([colour, count]) => ({ colour, count, distance: distanceMax }))
  const palette: number[] = []
  while (palette.length < most) {
    let best = left[0]
    for (const one of left) if (best === undefined || worthOf(one) > worthOf(best)) best = one
    if (best === undefined || worthOf(best) === 0) return palette
    palette.push(best.colour)
    for (const one of left)
      one.distance = Math.min(one.distance, distanceOf(one.colour, best.colour))
  }
  return palette
}

const distanceMax = 3 * 255 ** 2

const worthOf = ({ count, distance }: { count: number; distance: number }): number =>
  Math.sqrt(count) * distance

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
