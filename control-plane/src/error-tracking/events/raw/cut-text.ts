export const cutRest = '[cut: the rest]'
export const cutDeeper = '[cut: what is deeper]'

/** A text of so many UTF-16 units at most, an ellipsis for what was cut, and no half of a pair. Pure. */
export const cutText = (text: string, unitsMax: number): string =>
  text.length <= unitsMax ? text : `${whole(text.slice(0, unitsMax - 1))}…`

/** Without the first half of a surrogate pair at its end. */
const whole = (text: string): string => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text)
