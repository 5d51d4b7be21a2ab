/**
 * A figure, and the share of its time that was measured, 0 to 1. `value` is null where nothing was: neither good nor
 * bad, and never 0. What is computed from a figure keeps its share.
 */
export type Measured = { readonly value: number | null; readonly share: number }

/** A part of what was counted, in a time of which `share` was measured. */
export const measuredPart = (part: number, whole: number, share: number): Measured =>
  whole === 0 || share === 0 ? { value: null, share: 0 } : { value: part / whole, share }

/** Another figure of the same measurement. */
export const mapMeasured = ({ value, share }: Measured, to: (value: number) => number): Measured => ({
  value: value === null ? null : to(value),
  share,
})

/** A part of the whole time: what was not measured adds nothing. */
export const partOfWhole = ({ value, share }: Measured): number | null =>
  value === null ? null : value * share

/** The figure, where enough of its time was measured to speak of the whole of it. */
export const knownAbove = ({ value, share }: Measured, shareMin: number): number | null =>
  share >= shareMin ? value : null
