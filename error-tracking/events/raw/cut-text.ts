export const cutRest = '[cut: the rest]'
export const cutDeeper = '[cut: what is deeper]'

/** A text of at most `unitsMax` UTF-16 units, with an ellipsis for a cut and no lone surrogate. */
export const cutText = (text: string, unitsMax: number): string =>
  text.length <= unitsMax ? text : `${whole(text.slice(0, unitsMax - 1))}…`

/** Removes a lone surrogate at the end. */
const whole = (text: string): string => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text)
