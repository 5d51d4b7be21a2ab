/** Three digits: more than any of the measurements repeats. */
export const numberText = (value: number): string =>
  value >= 100 ? countText(value) : String(Number(value.toPrecision(3)))

/** Whole, and thousands apart. */
export const countText = (value: number): string => {
  const digits = value >= 1_000 ? Number(value.toPrecision(3)) : Math.round(value)
  return digits.toLocaleString('en-US')
}
