/** What stands in a scrubbed event where something was taken away, and what that looked like. */
export const removedMark = (what: string): string => `[removed: ${what}]`

/** Splits a text into what is left of it and marks, which come at odd places. */
export const removedMarks = /(\[removed: [a-z0-9 ]+\])/
