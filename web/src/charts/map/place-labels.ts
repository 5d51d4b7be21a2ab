/** The size of a drawing and the height of its labels, in pixels at its smallest. */
export type Room = { width: number; height: number; labelHeight: number }

/** An estimate of the width of 12 px text in a wide typeface. */
export const labelWidth = (text: string): number => Math.ceil(Math.max(3, text.length) * 6.8)

/**
 * @param isLeftOfMark the text ends at the right edge of the box
 * @param isApart too far from its mark to be recognised without a line
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
/** Obstacles for a label: earlier labels, and other marks. */
type Taken = { labels: readonly Label[]; marks: readonly Mark[] }

/** Distance from the middle of a mark to its label. */
const gap = 11

/**
 * Places the label of each mark at its side if there is room, else one or more lines above or below. Labels
 * do not overlap, do not cover other marks, and stay inside the room.
 */
export const placeLabels = (marks: readonly Mark[], room: Room): Label[] => {
  const labels: Label[] = []
  for (const mark of marks) {
    const taken: Taken = { labels, marks: marks.filter((other) => other !== mark) }
    const fits = (label: Label): boolean => isFree(label, taken, room)
    const place = candidates(mark, room).find(fits) ?? anywhere(mark, room).find(fits)
    labels.push(place ?? labelAt(mark, { x: 0, y: 0 }))
  }
  return labels
}

const rowsOf = ({ height, labelHeight }: Room): number[] =>
  Array.from({ length: Math.ceil(height / labelHeight) }, (_, row) => row)

const candidates = ({ x, y, width }: Mark, room: Room): Label[] => {
  const { labelHeight } = room
  const offsets = rowsOf(room).flatMap((row) => (row === 0 ? [0] : [row * labelHeight, -row * labelHeight]))
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

const labelAt = ({ width }: Mark, { x, y }: Point): Label => ({
  x,
  y,
  width,
  isLeftOfMark: false,
  isApart: true,
})

/** All positions in the room, nearest to the mark first. */
const anywhere = (mark: Mark, room: Room): Label[] => {
  const columns = Array.from({ length: Math.floor(room.width / 10) }, (_, column) => column * 10)
  const places = rowsOf(room).flatMap((row) => columns.map((x) => ({ x, y: row * room.labelHeight })))
  const distance = ({ x, y }: Point): number => Math.hypot(x + mark.width / 2 - mark.x, y - mark.y)
  return places.toSorted((a, b) => distance(a) - distance(b)).map((place) => labelAt(mark, place))
}

const isFree = (label: Label, { labels, marks }: Taken, room: Room): boolean =>
  isWithin(label, room) &&
  !labels.some((other) => overlap(label, other, room)) &&
  !marks.some((other) => covers(label, other, room))

const isWithin = ({ x, y, width }: Label, room: Room): boolean =>
  x >= 0 && y >= 0 && x + width <= room.width && y + room.labelHeight <= room.height

const overlap = (a: Label, b: Label, { labelHeight }: Room): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && Math.abs(a.y - b.y) < labelHeight

/** Labels keep this distance from the middle of a mark. */
const markReach = 7

const covers = (label: Label, { x, y }: Point, { labelHeight }: Room): boolean =>
  x > label.x - markReach &&
  x < label.x + label.width + markReach &&
  y > label.y - markReach &&
  y < label.y + labelHeight + markReach
