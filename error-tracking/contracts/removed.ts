/** The replacement for a removed value in a scrubbed event, with the kind of the value. */
export const removedMark = (what: string): string => `[removed: ${what}]`

/** Splits a text into remaining text and marks. Marks have odd indexes. */
export const removedMarks = /(\[removed: [a-z0-9 ]+\])/
