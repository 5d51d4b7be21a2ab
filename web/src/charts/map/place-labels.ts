import { mapSize } from './projection.ts'

/** Two lines of text, in units of the drawing. */
export const labelHeight = 30

/** As wide as the text is in a wide face: nobody measures it here. */
export const labelWidth = (text: string): number => Math.ceil(Math.max(3, text.length) * 6.8)

/**
 * @param isLeftOfMark its text ends where the box does
 * @param isApart too far from its mark to be seen as its own without a line
 */
export type Label = {
  x: number
  y: number
  width: number
  isLeftOfMark: boolean
  isApart: boolean
}

type Point = { x: number; y: number }
type Mark = Point & { width: number }

/** From a mark's middle to the label beside it. */
const gap = 11

/**
 * Where the label of each mark stands: beside it where there is room, else a line or more above or
 * below; no two overlap, none covers another's mark, and all are within the map.
 */
export const placeLabels = (marks: readonly Mark[]): Label[] => {
  const taken: Label[] = []
  for (const mark of marks) {
    const others = marks.filter((other) => other !== mark)
    const fits = (label: Label): boolean =>
      isWithinMap(label) &&
      !taken.some((other) => overlap(label, other)) &&
      !others.some((other) => covers(label, other))
    taken.push(candidates(mark).find(fits) ?? anywhere(mark.width, taken))
  }
  return taken
}

const candidates = ({ x, y, width }: Mark): Label[] => {
  const steps = Array.from({ length: Math.ceil(mapSize.height / labelHeight) }, (_, step) => step)
  const offsets = steps.flatMap((step) => (step === 0 ? [0] : [step * labelHeight, -step * labelHeight]))
  return offsets.flatMap((offset) =>
    [false, true].map((isLeftOfMark) => ({
      x: isLeftOfMark ? x - gap - width : x + gap,
      y: y - labelHeight / 2 + offset,
      width,
      isLeftOfMark,
      isApart: offset !== 0,
    })),
  )
}

/** Below one another at the left edge: there are ten regions at the most, and room for more lines. */
const anywhere = (width: number, taken: readonly Label[]): Label => {
  const at = (y: number): Label => ({ x: 0, y, width, isLeftOfMark: false, isApart: true })
  const rows = Array.from({ length: Math.floor(mapSize.height / labelHeight) }, (_, row) => row)
  const free = rows
    .map((row) => at(row * labelHeight))
    .find((label) => !taken.some((other) => overlap(label, other)))
  return free ?? at(0)
}

const isWithinMap = ({ x, y, width }: Label): boolean =>
  x >= 0 && y >= 0 && x + width <= mapSize.width && y + labelHeight <= mapSize.height

const overlap = (a: Label, b: Label): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && Math.abs(a.y - b.y) < labelHeight

const covers = (label: Label, { x, y }: Point): boolean =>
  x > label.x - gap && x < label.x + label.width + gap && y > label.y - gap && y < label.y + labelHeight + gap
